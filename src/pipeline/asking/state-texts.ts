// The texts of a state as its caller wrote them: each by where it stands, and where a text stands in them.
import { wordBoundaries } from '../../constraint/words.ts'
import type { Prompt, TextSource } from '../../core/types.ts'
import type { QuestionContext } from '../../questions/shared/checked-question.ts'

interface StateText {
  readonly source: TextSource
  readonly text: string
}

/** They are put together once something asks for them, and then kept. */
export function stateTexts(prompt: Prompt): Pick<QuestionContext, 'textOf' | 'placesOf'> {
  let kept: ReadonlyMap<string, StateText> | null = null
  const texts = () => (kept ??= textsBySource(prompt))
  return {
    textOf: (source) => texts().get(idOf(source))?.text ?? null,
    placesOf: (wanted) =>
      [...texts().values()].flatMap(({ source, text }) => {
        if (source.path !== null) return text === wanted ? [{ source, start: 0, end: text.length }] : []
        return startsOf(wanted, text).map((start) => ({ source, start, end: start + wanted.length }))
      }),
  }
}

const idOf = ({ part, path }: TextSource): string => JSON.stringify([part, path])

function textsBySource({ pieces }: Prompt): ReadonlyMap<string, StateText> {
  const found = new Map<string, StateText>()
  for (const piece of pieces) {
    if (piece.type !== 'text' || piece.source === null) continue
    const id = idOf(piece.source)
    found.set(id, { source: piece.source, text: (found.get(id)?.text ?? '') + piece.text })
  }
  return found
}

/** Where a text begins in another and is no part of a longer word. */
function startsOf(wanted: string, text: string): number[] {
  if (wanted === '' || !text.includes(wanted)) return []
  const { starts, ends } = wordBoundaries(text)
  const found: number[] = []
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + 1)) {
    if (starts[at] === 1 && ends[at + wanted.length] === 1) found.push(at)
  }
  return found
}
