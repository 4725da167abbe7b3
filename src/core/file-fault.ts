// What the file system refused, in words. A file of its own, since it is used where there may be no file system.

const WORDS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  ENOTDIR: 'a part of the path is no folder',
  EISDIR: 'it is a folder',
  EEXIST: 'a part of the path is no folder',
  EACCES: 'this user may not',
  EPERM: 'this user may not',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
  Z_BUF_ERROR: 'it is compressed and was cut short',
  Z_DATA_ERROR: 'it is compressed and damaged',
}

/** Why a file cannot be read or written, to follow a colon: in words where there are some, else the system's code. */
export function fileFault(error: unknown): string {
  const code = (error as { readonly code?: unknown } | null)?.code
  if (typeof code !== 'string') return error instanceof Error ? error.message : 'unknown reason'
  return WORDS[code] ?? code
}
