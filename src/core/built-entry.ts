// Finds what threads and processes of Node are started with: they run compiled code only, so sources start what was
// built of them.

/** `path`: of the JavaScript file below `dist/`. It need not be there when this runs from its source. */
export function builtEntry(path: string): URL {
  const isBuilt = import.meta.url.endsWith('.js')
  return new URL(isBuilt ? `../${path}` : `../../dist/${path}`, import.meta.url)
}
