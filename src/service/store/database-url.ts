// Reads the name of a database: its scheme, if any, and the file of a file:// URL.

/** In lower case; null for a name without one, which is a file's. */
export function schemeOf(url: string): string | null {
  return /^([a-z][a-z0-9+.-]*):\/\//i.exec(url)?.[1]?.toLowerCase() ?? null
}

/** The path in a `file:///…`; null when it cannot be read, as in `file://folder/…`, which names a machine. */
export function fileOf(url: string): string | null {
  try {
    const { host, pathname } = new URL(url)
    return host === '' ? decodeURIComponent(pathname) : null
  } catch {
    return null
  }
}
