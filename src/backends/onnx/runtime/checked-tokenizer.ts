// Makes a tokenizer from a file of unknown origin. Its regular expressions may take for ever on some texts: those that
// repeat a repetition are refused by their form, and all others are tried on texts that make bad ones slow.
import { boundedWork } from '../../../core/bounded-work.ts'
import { EngineError } from '../../../core/errors.ts'
import type { Json } from '../../../core/types.ts'
import { isObject } from '../../../core/untrusted.ts'

/** Tokenizers of 260,000 pieces are made in 2 s. */
const MAKE_MS = 15_000
/** Of all trial texts together; they take a third of a second. */
const TRIAL_MS = 5000
const LONGEST_EXPRESSION = 10_000
const TRIAL_CHARACTERS = 200

/**
 * What `make` makes of tokenizer.json. Throws `model_not_available` when that fails or takes too long, and when the
 * tokenizer does not read the trial texts in time.
 */
export function checkedTokenizer<T>(folder: string, json: unknown, make: () => T, encode: (tokenizer: T, text: string) => unknown): T {
  const refuse = (what: string): EngineError =>
    new EngineError('model_not_available', `tokenizer.json of '${folder}' ${what}; take the folder as it was published`)
  const expressions = expressionsIn(json)
  const bad = expressions.find((expression) => expression.length > LONGEST_EXPRESSION || repeatsRepetition(expression))
  if (bad !== undefined) throw refuse(`has an expression that may take for ever (${JSON.stringify(bad.slice(0, 80))})`)
  let tokenizer: T
  try {
    tokenizer = boundedWork(MAKE_MS, make, () => refuse(`could not be read within ${MAKE_MS / 1000} s`))
  } catch (cause) {
    if (cause instanceof EngineError) throw cause
    throw new EngineError('model_not_available', refuse(`cannot be used (${messageOf(cause)})`).message, { cause })
  }
  // Without expressions of its own a tokenizer uses those of the library, which are fast.
  if (expressions.length === 0) return tokenizer
  const tryOut = (): void => {
    for (const text of trialTexts()) {
      try {
        encode(tokenizer, text)
      } catch {
        // A vocabulary may lack a character; what counts here is the time.
      }
    }
  }
  boundedWork(TRIAL_MS, tryOut, () =>
    refuse(`takes more than ${TRIAL_MS / 1000} s for a few words, so it has an expression that never ends`),
  )
  return tokenizer
}

/** One character again and again, alone, with another behind it, and in turns with another. */
function* trialTexts(): Generator<string> {
  const characters = [
    ...Array.from({ length: 95 }, (_, i) => String.fromCharCode(32 + i)),
    '\n',
    '\r',
    '\t',
    '\u00a0',
    'é',
    '中',
    '😀',
    '\u0301',
  ]
  for (const character of characters) {
    yield character.repeat(TRIAL_CHARACTERS)
    yield `${character.repeat(TRIAL_CHARACTERS)}\u0001`
    yield `${`${character}a`.repeat(TRIAL_CHARACTERS / 2)}\u0001`
  }
}

/** The values of all `Regex` fields outside of the vocabulary. */
function expressionsIn(json: unknown): readonly string[] {
  if (!isObject(json)) return []
  const found: string[] = []
  const { model: _vocabulary, added_tokens: _added, ...rest } = json
  const open: unknown[] = [rest]
  while (open.length > 0) {
    const value = open.pop()
    if (Array.isArray(value)) for (const item of value) open.push(item)
    else if (isObject(value)) {
      for (const [field, inner] of Object.entries(value)) {
        if (field === 'Regex' && typeof inner === 'string') found.push(inner)
        else open.push(inner as Json)
      }
    }
  }
  return found
}

/** Whether a group is repeated that has a repetition without end in it: `(a+)+`. */
export function repeatsRepetition(expression: string): boolean {
  /** For each open group, whether something in it is repeated without end. */
  const groups = [false]
  let wasGroup = false
  let inside = false
  let classes = 0
  for (let at = 0; at < expression.length; at++) {
    const character = expression[at] as string
    if (character === '\\') {
      at++
      wasGroup = false
    } else if (classes > 0 || character === '[') {
      if (character === '[') classes++
      if (character === ']') classes--
      wasGroup = false
    } else if (character === '(') {
      groups.push(false)
      // What follows says the kind of the group; its mark is no repetition.
      if (expression[at + 1] === '?') at++
      wasGroup = false
    } else if (character === ')') {
      inside = groups.length > 1 ? (groups.pop() as boolean) : false
      groups[groups.length - 1] ||= inside
      wasGroup = true
    } else {
      const counts = character === '{' ? (/^\{\d*(,?\d*)\}/.exec(expression.slice(at, at + 32)) ?? null) : null
      const isEndless = character === '*' || character === '+' || counts?.[1] === ','
      const isRepeated = isEndless || (counts !== null && !['{1}', '{0,1}'].includes(counts[0]))
      if (isRepeated && wasGroup && inside) return true
      if (isEndless) groups[groups.length - 1] = true
      wasGroup = false
    }
  }
  return false
}

function messageOf(cause: unknown): string {
  return (cause instanceof Error ? cause.message : String(cause)).replace(/\s+/g, ' ').slice(0, 200)
}
