// Text of the user for tokenizers and templates that read the names of control tokens wherever they stand: `<|im_end|>`
// in a state must stay ten characters.
import { EngineError } from '../../core/errors.ts'
import type { RemoteModel, Run } from './driver.ts'

/** What vocabularies write control tokens like: `<|…|>`, `</s>`, `<image>`, `[INST]`. */
const CONTROL_LIKE = /<(?=[^<>\s]{1,80}>)|\[(?=\/?[A-Z_]{2,40}\])/g

/**
 * Runs that are encoded part by part, cut as `plainParts` does. Each part takes a token at least, so more parts than
 * the model takes tokens are refused: `context_length_exceeded`.
 */
export function partsWithin({ identity, contextLength }: Pick<RemoteModel, 'identity' | 'contextLength'>, runs: readonly Run[]): Run[] {
  const parts = runs.flatMap(plainParts)
  if (parts.length <= contextLength) return parts
  throw new EngineError(
    'context_length_exceeded',
    `The text takes at least ${parts.length} tokens, and the model ${identity.model} takes ${contextLength}; shorten the state or the question.`,
  )
}

/** A text cut behind the first character of everything that may name a control token; a token as it is. */
function plainParts(run: Run): Run[] {
  if (typeof run === 'number') return [run]
  const parts: string[] = []
  let from = 0
  for (const { index } of run.matchAll(CONTROL_LIKE)) {
    parts.push(run.slice(from, index + 1))
    from = index + 1
  }
  parts.push(run.slice(from))
  return parts.filter((part) => part !== '')
}

/** The same for servers that take whole texts only: a space stands where the text would be cut. */
export const defused = (text: string): string => plainParts(text).join(' ')

/** Names of control tokens that a template may have written, with the text between: every second one is a name. */
export const controlLikeIn = (scaffold: string): string[] => scaffold.split(/(<[^<>\s]{1,80}>|\[\/?[A-Z_]{2,40}\])/)
