// A state and a question to token ids, with the model's own chat template around them.
// The prompt is one user turn, state first and question last, then the opening of the answer:
//
//   <|im_start|>User: {state}{question}<end_of_utterance>⏎Assistant:
//   └────────── prefix ──────┘└──────────── branch ───────────────┘
//
// so that all questions about a state share its prefix. Both are tokenised on their own.
import { Template } from '@huggingface/jinja'
import { boundedWork } from '../../../core/bounded-work.ts'
import { EngineError } from '../../../core/errors.ts'
import type { Json, Picture, Piece } from '../../../core/types.ts'
import type { TextTokenizer, TokenRun } from '../runtime/tokenizer.ts'
import { axisPositionsOf } from './positions.ts'
import type { PlacedImage, PromptBuilder } from './prompt-builder.ts'
import { joinVideos, type VideoFrame } from './videos.ts'

/** One image of a state as a family writes it: runs in which one token stands once for each row of features. */
export interface WrittenImage extends Omit<PlacedImage, 'at'> {
  readonly runs: readonly TokenRun[]
}

/** How a family writes videos, where its models have an input for them. */
export interface VideoTokens {
  /** The control token that stands for a row of features. */
  readonly row: string
  /** One video, of two frames or more of one size: one image or several, one behind the other, in order of time. */
  write(frames: readonly VideoFrame[]): readonly WrittenImage[]
}

/** How a family writes images. */
export interface ImageTokens {
  /** The control token that the chat template writes for an image. */
  readonly token: string
  /** The control token that stands for a row of features. Absent: the same. */
  readonly row?: string
  /** `images`: how many the state has in all. `isLast`: the state ends with this one, so a question comes next. */
  write(picture: Picture, images: number, isLast: boolean): WrittenImage
  /** Absent: frames of a video are images, each behind a text that says when it is shown. */
  readonly video?: VideoTokens
}

export interface ChatTemplateOptions {
  readonly tokenizer: TextTokenizer
  /** Jinja. */
  readonly template: string
  /** `bos_token`, `eos_token` and others that the template may name. */
  readonly variables: { readonly [name: string]: string | boolean }
  /** Whether the template takes the content of a message as one text, or as a list of texts and images. */
  readonly content: 'text' | 'list'
  /** Null: the model sees no images. */
  readonly images: ImageTokens | null
}

// Placeholders stand for the user's text while the template is rendered, so that neither template logic nor control
// names ever meet it.
const placeholder = (index: number): string => `\uE000${index}\uE001`
const PLACEHOLDER = /\uE000(\d+)\uE001/

type ContentItem = { readonly type: 'image' } | { readonly type: 'text'; readonly text: string }

/** What opens and ends the thoughts of models that write them before their answer. */
const THINKING = /<think>\s*$/

/** An answer is scored right behind its opening: thoughts that a template opens and does not end are ended. */
const withClosedThinking = (opening: string): string => (THINKING.test(opening) ? `${opening.trimEnd()}\n\n</think>\n\n` : opening)

/**
 * Templates may ask for the date of today. They are given one day, always the same, since a prompt that changes with
 * the day would change answers, and what was measured on them. It is the day that Llama's template names when it can
 * ask for none. In English, whatever this machine speaks.
 */
const FIXED_DAY = 'fixed_day_of_prompts'
const DAY: Readonly<Record<string, string>> = { d: '26', b: 'Jul', B: 'July', m: '07', Y: '2024', H: '00', M: '00', '%': '%' }
const fixedDay = (format: unknown): string => String(format).replace(/%([dbBmYHM%])/g, (_, code: string) => DAY[code] as string)

/**
 * The library's own `range` makes its list before anything can stop it, and one that no array can hold ends the
 * process.
 */
const BOUNDED_RANGE = 'bounded_range_of_prompts'
const MOST_OF_RANGE = 100_000
function boundedRange(first: number, second: number | null = null, step: number | null = 1): number[] {
  const [start, stop, by] = second === null ? [0, first, 1] : [first, second, step ?? 1]
  const count = Math.max(0, Math.ceil((stop - start) / by))
  if (!(count <= MOST_OF_RANGE)) throw new RangeError(`range() of more than ${MOST_OF_RANGE} numbers`)
  return Array.from({ length: count }, (_, i) => start + i * by)
}

/** How control tokens of chat templates are spelled: `<|im_start|>`, `<start_of_turn>`, `<|turn>`, `<turn|>`. */
const CONTROL_NAME = /<\|[^\s<>|]+\|?>|<[a-z_]+\|>|<(?:start|end)_of_[a-z]+>/

/** A control token that the tokenizer does not have would be written in letters, which no model knows its turn by. */
function refuseMissingControls(runs: readonly TokenRun[]): void {
  const missing = runs.flatMap((run) => (typeof run === 'string' ? (CONTROL_NAME.exec(run)?.[0] ?? []) : []))[0]
  if (missing === undefined) return
  throw new EngineError(
    'model_not_available',
    `the chat template writes ${missing}, which is no control token of tokenizer.json; take both files from the same model`,
  )
}

/** A template writes some words around what it is given, in less than a millisecond. */
const TEMPLATE_MS = 2000
const MOST_TEMPLATE_CHARACTERS = 1_000_000

/** What a template does, in bounded time; what it throws becomes `model_not_available`. */
function ofTemplate<T>(work: () => T): T {
  const refuse = (what: string, cause?: unknown): EngineError => {
    const options = cause === undefined ? {} : { cause }
    return new EngineError('model_not_available', `the chat template ${what}; take the folder as it was published`, options)
  }
  try {
    return boundedWork(TEMPLATE_MS, work, () => refuse(`did not end within ${TEMPLATE_MS / 1000} s, so it may be one that never ends`))
  } catch (cause) {
    if (cause instanceof EngineError) throw cause
    throw refuse(`cannot be used (${String(cause instanceof Error ? cause.message : cause).slice(0, 200)})`, cause)
  }
}

export function makePromptBuilder({ tokenizer, template, variables, content, images }: ChatTemplateOptions): PromptBuilder {
  const compiled = ofTemplate(() => new Template(template))
  // The library declares `strftime_now` and `range` itself, so they are set before the template begins.
  compiled.parsed.body.unshift(...new Template(`{% set strftime_now = ${FIXED_DAY} %}{% set range = ${BOUNDED_RANGE} %}`).parsed.body)

  /** The turn with placeholders, cut at the question: the text before it and the text behind it. */
  const render = (items: readonly ContentItem[], questionIndex: number): [string, string] => {
    const all: readonly ContentItem[] = [...items, { type: 'text', text: placeholder(questionIndex) }]
    const written = content === 'list' ? all : all.map((item) => (item.type === 'text' ? item.text : '')).join('')
    const messages = [{ role: 'user', content: written as Json }]
    const given = { ...variables, messages, add_generation_prompt: true, [FIXED_DAY]: fixedDay, [BOUNDED_RANGE]: boundedRange }
    const rendered = ofTemplate(() => compiled.render(given))
    if (rendered.length > MOST_TEMPLATE_CHARACTERS) {
      const message = `the chat template writes ${rendered.length} characters around a state, at most ${MOST_TEMPLATE_CHARACTERS} are taken`
      throw new EngineError('model_not_available', `${message}; take the folder as it was published`)
    }
    const parts = rendered.split(placeholder(questionIndex))
    if (parts.length !== 2) {
      throw new EngineError('model_not_available', `the chat template writes a question ${parts.length - 1} times; once was expected`)
    }
    return parts as [string, string]
  }

  const opening = withClosedThinking(render([], 0)[1])
  const openingRuns = tokenizer.controls(opening)
  refuseMissingControls([...tokenizer.controls(render([], 0)[0]), ...openingRuns])
  const imageId = images === null ? undefined : tokenizer.control(images.token)
  const rowNames = images === null ? [] : [images.row ?? images.token, ...(images.video === undefined ? [] : [images.video.row])]
  const rowIds = new Set<TokenRun | undefined>(rowNames.map((name) => tokenizer.control(name)))

  return {
    opensWithSpace: /\s$/.test(opening),
    joinsVideos: images?.video !== undefined,
    encodeQuestion: (question) => tokenizer.encodeRuns([question, ...openingRuns]),
    encodeState(pieces) {
      const { items, inserted, pictures } = contentOf(pieces, images?.video !== undefined)
      if (pictures.length > 0 && images === null) {
        throw new EngineError('capability_not_supported', 'this model sees no images; use a model whose capabilities say images')
      }
      const [before] = render(items, inserted.length)
      const runs: TokenRun[] = []
      const written: WrittenImage[] = []
      const add = (image: WrittenImage): void => {
        written.push(image)
        for (const one of image.runs) runs.push(one)
      }
      let seen = 0
      before.split(PLACEHOLDER).forEach((part, i) => {
        if (i % 2 === 1) {
          const own = inserted[Number(part)] as Inserted
          if (typeof own === 'string') runs.push(own)
          else for (const image of images?.video?.write(own) ?? []) add(image)
          return
        }
        for (const run of tokenizer.controls(part)) {
          if (images === null || run !== imageId || imageId === undefined) {
            runs.push(run)
            continue
          }
          const picture = pictures[seen]
          if (picture === undefined) throw new EngineError('internal_error', 'the chat template wrote more pictures than the state has')
          seen++
          add(images.write(picture, pictures.length, seen === pictures.length && items.at(-1)?.type === 'image'))
        }
      })
      if (seen !== pictures.length) {
        throw new EngineError(
          'model_not_available',
          `the chat template wrote ${seen} of ${pictures.length} pictures; is it made for pictures?`,
        )
      }
      const ids = tokenizer.encodeRuns(runs)
      const found = placed(written, ids, rowIds)
      return { ids, images: found, positions: axisPositionsOf(ids.length, found) }
    },
  }
}

/** What takes the place of a placeholder: a text, or a video. */
type Inserted = string | readonly VideoFrame[]

/**
 * The state as items of a message. Neighbouring texts are one item, as if they had been written so. A video is a text
 * to the template: what published templates write around a video, the family writes with it.
 */
function contentOf(pieces: readonly Piece[], joinsVideos: boolean): { items: ContentItem[]; inserted: Inserted[]; pictures: Picture[] } {
  const items: ContentItem[] = []
  const inserted: Inserted[] = []
  const pictures: Picture[] = []
  let endsInText = false
  for (const piece of joinsVideos ? joinVideos(pieces) : pieces) {
    if (piece.type === 'text' && endsInText) inserted[inserted.length - 1] += piece.text
    else if (piece.type === 'image') {
      items.push({ type: 'image' })
      pictures.push(piece.picture)
    } else items.push({ type: 'text', text: placeholder(inserted.push(piece.type === 'text' ? piece.text : piece.frames) - 1) })
    endsInText = piece.type === 'text'
  }
  return { items, inserted, pictures }
}

/** Where the image tokens of each image stand among the ids. `rowIds`: the tokens that stand for rows of features. */
function placed(written: readonly WrittenImage[], ids: readonly number[], rowIds: ReadonlySet<TokenRun | undefined>): PlacedImage[] {
  const positions = ids.flatMap((id, at) => (rowIds.has(id) ? [at] : []))
  let from = 0
  const images = written.map(({ runs, ...image }) => {
    const count = runs.filter((run) => rowIds.has(run)).length
    const at = positions.slice(from, from + count)
    from += count
    return { ...image, at }
  })
  if (from !== positions.length) {
    throw new EngineError('internal_error', `${positions.length} image tokens for ${from} rows of picture features`)
  }
  return images
}
