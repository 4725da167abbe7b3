// Writes a request as a shell command, with its files.

/** Any text as one word of a POSIX shell. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}

/** `request`: JSON text. `files`: names of the attached files, looked for in the folder of the shell. */
export function curlOf(baseUrl: string, request: string, files: readonly string[]): string {
  const lines = [`curl ${quoted(`${baseUrl}/v1/ask`)}`, `-H ${quoted('authorization: Bearer service_sk_…')}`]
  if (files.length === 0) lines.push(`-H ${quoted('content-type: application/json')}`, `-d ${quoted(request)}`)
  else {
    lines.push(`--form-string ${quoted(`request=${request}`)}`)
    for (const name of files) lines.push(`-F ${quoted(`${name}=@${name}`)}`)
  }
  return lines.join(' \\\n  ')
}
