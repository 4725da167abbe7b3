// Reads the name of a database: its scheme, if any, and the file of a file:// URL.

/** In lower case; null for a name without one, which is a file's. */
export function schemeOf(url: string): string | null {
  return /^([a-z][a-z0-9+.-]*):\/\//i.exec(url)?.[1]?.toLowerCase() ?? null
}

/** The path in a `file://…`; null when it cannot be read. */
export function fileOf(url: string): string | null {
  try {
    return decodeURIComponent(new URL(url).pathname)
  } catch {
    return null
  }
}
