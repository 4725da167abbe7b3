// A state and a question to token ids: the model's own chat template around them, pictures as rows of image tokens.
// The prompt is one user turn, state first and question last, then the opening of the answer:
//
//   <|im_start|>User: {state}{question}<end_of_utterance>⏎Assistant:
//   └────────── prefix ──────┘└──────────── branch ───────────────┘
//
// so that all questions about a state share its prefix. Both are tokenised on their own.
import { Template } from '@huggingface/jinja'
import { EngineError } from '../../../../core/errors.ts'
import type { Json, Picture, Piece } from '../../../../core/types.ts'
import { type TileRule, tileGrid } from '../../images/tiles.ts'
import { type JsonObject, type ModelFolder, readText } from '../../runtime/layout.ts'
import type { Run, TextTokenizer } from '../../runtime/tokenizer.ts'

/** A prefix as ids. `pictures[i]` fills `count` image tokens from position `at` on, in the order of its tiles. */
export interface EncodedState {
  readonly ids: readonly number[]
  readonly pictures: readonly { readonly picture: Picture; readonly rule: TileRule; readonly at: readonly number[] }[]
}

export interface Chat {
  readonly template: string
  encodeState(pieces: readonly Piece[]): EncodedState
  /** The ids behind a prefix: the question and the opening of the answer, then `lead` text. */
  encodeQuestion(question: string): number[]
  /** Whether the opening of the answer ends in white space, so that a first word needs no space of its own. */
  readonly opensWithSpace: boolean
}

export interface ChatParts {
  readonly tokenizer: TextTokenizer
  readonly template: string
  /** `bos_token`, `eos_token` and others that templates may name. */
  readonly variables: { readonly [name: string]: string }
  readonly rule: TileRule
  readonly tokensPerTile: number
}

/** Pictures up to this many are cut as the rule says; more (the frames of a video) are one tile each, as the reference does with frames. */
export const SPLIT_PICTURES_UP_TO = 4

// Stand-ins for user text while the template is rendered, so that no template logic and no control name ever meets it.
const slot = (index: number): string => `\uE000${index}\uE001`
const SLOT = /\uE000(\d+)\uE001/
const IMAGE = '<image>'

/** The chat template of a folder, wherever its generation of the format keeps it. */
export async function readTemplate(folder: ModelFolder, tokenizerConfig: JsonObject): Promise<string> {
  const jinja = await readText(folder, 'chat_template.jinja')
  if (jinja !== null) return jinja
  const json = await readText(folder, 'chat_template.json')
  const own: Json | undefined = json === null ? tokenizerConfig.chat_template : (JSON.parse(json) as JsonObject).chat_template
  const template = Array.isArray(own) ? own.find((one) => one?.name === 'default')?.template : own
  if (typeof template === 'string') return template
  throw new EngineError('model_not_available', `the model folder '${folder.name}' has no chat template; take an instruction-tuned model`)
}

export function makeChat({ tokenizer, template, variables, rule, tokensPerTile }: ChatParts): Chat {
  const compiled = new Template(template)

  /** The turn with stand-ins, cut at the question: what comes before it and what comes behind. */
  const render = (content: Json[], questionSlot: number): [string, string] => {
    const messages = [{ role: 'user', content: [...content, { type: 'text', text: slot(questionSlot) }] }]
    const rendered = compiled.render({ ...variables, messages, add_generation_prompt: true })
    const parts = rendered.split(slot(questionSlot))
    if (parts.length !== 2) {
      throw new EngineError('model_not_available', `the chat template writes a question ${parts.length - 1} times; once was expected`)
    }
    return parts as [string, string]
  }

  const [, opening] = render([], 0)
  const openingRuns = tokenizer.controls(opening)

  /** Placeholders of one picture, as in the reference (processing_idefics3.py). */
  const pictureRuns = (rows: number, cols: number): Run[] => {
    const fake = named('<fake_token_around_image>')
    const image = named(IMAGE)
    const tile = new Array<Run>(tokensPerTile).fill(image)
    const global = [fake, named('<global-img>'), ...tile, fake]
    if (rows === 0) return global
    const runs: Run[] = []
    for (let row = 1; row <= rows; row++) {
      for (let col = 1; col <= cols; col++) runs.push(fake, named(`<row_${row}_col_${col}>`), ...tile)
      runs.push('\n')
    }
    return [...runs, '\n', ...global]
  }
  /** Grids beyond the vocabulary are written as text, which is what the reference does. */
  const named = (name: string): Run => tokenizer.control(name) ?? name

  return {
    template,
    opensWithSpace: /\s$/.test(opening),
    encodeQuestion: (question) => tokenizer.encodeRuns([question, ...openingRuns]),
    encodeState(pieces) {
      // Neighbouring texts are one item of the message, as if they had been written so.
      const content: { type: string; text?: string }[] = []
      const texts: string[] = []
      for (const piece of pieces) {
        if (piece.type === 'image') content.push({ type: 'image' })
        else if (content.at(-1)?.type === 'text') texts[texts.length - 1] += piece.text
        else content.push({ type: 'text', text: slot(texts.push(piece.text) - 1) })
      }
      const [before] = render(content as Json[], texts.length)

      const images = pieces.filter((piece) => piece.type === 'image')
      const split = rule.split && images.length <= SPLIT_PICTURES_UP_TO
      const runs: Run[] = []
      const placed: { picture: Picture; rule: TileRule; count: number }[] = []
      const imageId = tokenizer.control(IMAGE)
      before.split(SLOT).forEach((part, i) => {
        if (i % 2 === 1) {
          runs.push(texts[Number(part)] as string)
          return
        }
        for (const run of tokenizer.controls(part)) {
          if (run !== imageId || imageId === undefined) {
            runs.push(run)
            continue
          }
          const picture = images[placed.length]?.picture
          if (picture === undefined) throw new EngineError('internal_error', 'the chat template wrote more pictures than the state has')
          const used = { ...rule, split }
          const { rows, cols, count } = tileGrid(picture, used)
          placed.push({ picture, rule: used, count: count * tokensPerTile })
          runs.push(...pictureRuns(rows, cols))
        }
      })
      if (placed.length !== images.length) {
        throw new EngineError(
          'model_not_available',
          `the chat template wrote ${placed.length} of ${images.length} pictures; is it made for pictures?`,
        )
      }

      const ids = tokenizer.encodeRuns(runs)
      const positions = ids.flatMap((id, at) => (id === imageId ? [at] : []))
      let from = 0
      const pictures = placed.map(({ picture, rule: used, count }) => {
        const at = positions.slice(from, from + count)
        from += count
        return { picture, rule: used, at }
      })
      if (from !== positions.length) {
        throw new EngineError('internal_error', `${positions.length} image tokens for ${from} rows of picture features`)
      }
      return { ids, pictures }
    },
  }
}
