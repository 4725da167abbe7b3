// Shows a state of a data set as markup: text and JSON cut to a readable length, pictures small enough for a page.
import { readFile } from 'node:fs/promises'
import type { Json } from '../../core/types.ts'
import { isObject } from '../../core/untrusted.ts'
import { type Markup, markup } from './markup.ts'

/** Characters (UTF-16 units) shown of one part. */
const MOST_TEXT = 2000
/** Pictures shown of one state. */
const MOST_PICTURES = 4
/** Longest side of a shown picture. */
const PIXELS = 420

/** The state, or a note where it is undefined. A picture that cannot be read becomes a note too. */
export async function showState(state: Json | undefined): Promise<Markup> {
  if (state === undefined) return markup`<p class="note">The state is not in the results; give the data set, or keep states.</p>`
  if (!Array.isArray(state) || !state.every((part) => isObject(part) && typeof part.type === 'string')) return showText(state)
  let pictures = 0
  const shown: Markup[] = []
  for (const part of state as readonly Readonly<Record<string, Json>>[]) {
    if (part.type === 'text') shown.push(showText(part.text ?? ''))
    else if (part.type === 'json') shown.push(showText(part.value ?? null))
    else if (part.type === 'image' && ++pictures <= MOST_PICTURES) shown.push(await showPicture(part.source ?? null))
    else shown.push(markup`<p class="note">${part.type as string}</p>`)
  }
  return markup`${shown}`
}

function showText(value: Json): Markup {
  const text = typeof value === 'string' ? value : JSON.stringify(value, null, 1)
  const rest = text.length - MOST_TEXT
  return markup`<pre class="state">${rest > 0 ? text.slice(0, MOST_TEXT) : text}${rest > 0 && markup`<span class="note"> … ${rest} more characters</span>`}</pre>`
}

async function showPicture(source: Json): Promise<Markup> {
  const data = await dataOf(source).catch(() => null)
  if (data === null) return markup`<p class="note">picture that is not at hand</p>`
  try {
    const { default: sharp } = await import('sharp')
    const small = sharp(data, { limitInputPixels: 40_000_000 }).rotate().resize(PIXELS, PIXELS, { fit: 'inside', withoutEnlargement: true })
    const { data: bytes, info } = await small.flatten({ background: '#fff' }).webp({ quality: 70 }).toBuffer({ resolveWithObject: true })
    return markup`<img class="picture" width="${info.width}" height="${info.height}" alt="picture of the state" src="data:image/webp;base64,${bytes.toString('base64')}">`
  } catch {
    return markup`<p class="note">picture that cannot be read</p>`
  }
}

async function dataOf(source: Json): Promise<Buffer | null> {
  if (!isObject(source)) return null
  if (source.type === 'path' && typeof source.path === 'string') return readFile(source.path)
  return source.type === 'base64' && typeof source.data === 'string' ? Buffer.from(source.data, 'base64') : null
}
