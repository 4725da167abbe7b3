// A state of a data set to markup: text and JSON as they are, cut to a readable length, pictures small enough to stand in a page.
import { readFile } from 'node:fs/promises'
import type { Json } from '../../core/types.ts'
import { type Markup, markup } from './markup.ts'

/** UTF-16 units of text shown of one part. */
const MOST_TEXT = 2000
/** Pictures shown of one state, and the longest side of each. */
const MOST_PICTURES = 4
const PIXELS = 420

type Map = Readonly<Record<string, Json>>

function isMap(value: unknown): value is Map {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Undefined: the state is not at hand. A picture that cannot be read is said to be so. */
export async function showState(state: Json | undefined): Promise<Markup> {
  if (state === undefined) return markup`<p class="note">The state is not in the results; give the data set, or keep states.</p>`
  if (!Array.isArray(state) || !state.every((part) => isMap(part) && typeof part.type === 'string')) return showText(state)
  let pictures = 0
  const shown: Markup[] = []
  for (const part of state as readonly Map[]) {
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
  if (!isMap(source)) return null
  if (source.type === 'path' && typeof source.path === 'string') return readFile(source.path)
  return source.type === 'base64' && typeof source.data === 'string' ? Buffer.from(source.data, 'base64') : null
}
