// Pictures that go with a request: their bytes, a name that is safe in a form and in a shell, and a URL to show them.

export interface Attachment {
  /** The name of the file in the request; all different. */
  readonly name: string
  readonly blob: Blob
  /**
   * `blob:…`, for as long as the page is open: answers go on showing pictures that were taken out of the form since.
   */
  readonly url: string
}

/** `name` with nothing that a form or a shell reads otherwise, and not yet taken. */
export function fileName(name: string, taken: readonly string[]): string {
  const [, stem = '', ending = ''] = /^(.*?)(\.[A-Za-z0-9]{1,8})?$/s.exec(name.normalize('NFKD').replace(/[^A-Za-z0-9._-]+/g, '-')) ?? []
  const safe = stem.replace(/^[-.]+|[-.]+$/g, '').slice(0, 60) || 'picture'
  let unique = `${safe}${ending}`
  // `request` is the part that holds the questions.
  for (let n = 2; taken.includes(unique) || unique === 'request'; n++) unique = `${safe}-${n}${ending}`
  return unique
}

export function attach(blobs: readonly { readonly name: string; readonly blob: Blob }[], before: readonly Attachment[]): Attachment[] {
  const all = [...before]
  for (const { name, blob } of blobs) {
    const own = fileName(
      name,
      all.map((attachment) => attachment.name),
    )
    all.push({ name: own, blob, url: URL.createObjectURL(blob) })
  }
  return all
}
