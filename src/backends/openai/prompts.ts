// A state and a question to token ids, by the tokenizer and the chat template of the server. The template is rendered
// once, around placeholders, and the user's text is encoded apart from its control tokens, so that neither the template
// nor the tokenizer takes text for control. State first, question behind it, each on its own, as in the `onnx`
// decoders: all questions about a state share its tokens, and the server's cache of them.
import type { RemoteModel, Run, TokenDriver } from './driver.ts'
import { notAvailable } from './failures.ts'
import { controlLikeIn } from './plain-text.ts'

export interface PromptWriter {
  /** Ids of a state: the beginning of the turn, and its text. */
  state(asked: RemoteModel, text: string): Promise<readonly number[]>
  /** Ids behind a state: the question, and the opening of the answer. */
  question(asked: RemoteModel, text: string): Promise<readonly number[]>
  /** Ids of plain text. */
  text(asked: RemoteModel, text: string): Promise<readonly number[]>
  /** Whether the opening of the answer ends in white space, so that a first word needs no space of its own. */
  readonly opensWithSpace: boolean
  /** Tokens that end an answer. */
  readonly endTokens: readonly number[]
  /** Everything that decides how a request reads as tokens, beside the texts themselves. */
  readonly template: readonly (readonly Run[])[]
}

const STATE = '\uE000state\uE001'
const ANSWER = '\uE000answer\uE001'
/** Characters of texts whose ids are kept: symbols and questions that come again. */
const MOST_KEPT_CHARACTERS = 1_000_000

/** Reads the template. Throws `model_not_available` where it cannot be used. */
export async function makePromptWriter(asked: RemoteModel, driver: TokenDriver): Promise<PromptWriter> {
  const user = (content: string) => ({ role: 'user', content }) as const
  const rendered = await driver.render(asked, [user(STATE)])
  const [before, behind, more] = rendered.split(STATE)
  if (before === undefined || behind === undefined || more !== undefined) {
    throw notAvailable(
      `The chat template of the model server writes a message ${rendered.split(STATE).length - 1} times; once was expected. Serve the model with its own template.`,
    )
  }
  // A model that only thinks is told that it has thought.
  const opening = /<think>\s*$/.test(behind) ? `${behind.trimEnd()}\n\n</think>\n\n` : behind
  const controls = makeControls(asked, driver)
  const [beforeRuns, openingRuns] = [await controls(before), await controls(opening)]
  const endTokens = await endTokensOf(asked, driver, controls)
  const encode = kept((from, runs) => driver.encode(from, runs))
  return {
    state: (from, text) => driver.encode(from, joined([...beforeRuns, text])),
    question: (from, text) => encode(from, joined([text, ...openingRuns])),
    text: (from, text) => encode(from, [text]),
    opensWithSpace: /\s$/.test(opening),
    endTokens,
    template: [beforeRuns, openingRuns, [...endTokens]],
  }
}

/** What a template writes between an answer and the message behind it begins with the end of an answer. */
async function endTokensOf(asked: RemoteModel, driver: TokenDriver, controls: (text: string) => Promise<Run[]>): Promise<number[]> {
  const messages = [
    { role: 'user', content: STATE },
    { role: 'assistant', content: ANSWER },
    { role: 'user', content: STATE },
  ] as const
  const rendered = await driver.render(asked, messages)
  const [, behind] = rendered.split(ANSWER)
  const first = (await controls(behind ?? '')).find((run) => typeof run === 'number')
  if (first === undefined)
    throw notAvailable('The chat template of the model server ends no answer with a token; serve the model with its own template.')
  return [first as number]
}

/** Splits the text of a template at its control tokens. */
function makeControls(asked: RemoteModel, driver: TokenDriver): (scaffold: string) => Promise<Run[]> {
  const known = new Map<string, number | null>()
  const idOf = async (name: string): Promise<number | null> => {
    const [id, ...more] = await driver.encodeSpecial(asked, name)
    return id === undefined || more.length > 0 ? null : id
  }
  return async (scaffold) => {
    const runs: Run[] = []
    for (const [i, part] of controlLikeIn(scaffold).entries()) {
      if (part === '') continue
      if (i % 2 === 1 && !known.has(part)) known.set(part, await idOf(part))
      runs.push((i % 2 === 1 ? known.get(part) : null) ?? part)
    }
    return joined(runs)
  }
}

/** Neighbouring texts are one, so that words may span them. */
function joined(runs: readonly Run[]): Run[] {
  const out: Run[] = []
  for (const run of runs) {
    const last = out.at(-1)
    if (typeof run === 'string' && typeof last === 'string') out[out.length - 1] = last + run
    else out.push(run)
  }
  return out.filter((run) => run !== '')
}

type Encode = (asked: RemoteModel, runs: readonly Run[]) => Promise<readonly number[]>

/** Keeps the ids of what was encoded last. */
function kept(encode: Encode): Encode {
  const ids = new Map<string, Promise<readonly number[]>>()
  let characters = 0
  return (asked, runs) => {
    const key = JSON.stringify(runs)
    const known = ids.get(key)
    if (known !== undefined) return known
    const making = encode(asked, runs)
    // Not shared before it is there: it may be given up with the request that asked for it.
    making.then(
      () => {
        if (ids.has(key)) return
        characters += key.length
        if (characters > MOST_KEPT_CHARACTERS) {
          ids.clear()
          characters = key.length
        }
        ids.set(key, making)
      },
      () => {},
    )
    return making
  }
}
