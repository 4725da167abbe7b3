// JSON Pointers (RFC 6901), which say where in a request or a document something stands.

/** Appends reference tokens to a JSON Pointer, escaping `~` and `/`. */
export function pointer(base: string, ...tokens: readonly (string | number)[]): string {
  return base + tokens.map((token) => `/${String(token).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
}

/** The reference tokens of a JSON Pointer, unescaped. */
export function pointerTokens(param: string): string[] {
  return param
    .split('/')
    .slice(1)
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'))
}
