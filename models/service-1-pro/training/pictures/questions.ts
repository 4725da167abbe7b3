/**
 * Measured pages to questions with their truth, in the row format of the training packs. Half of the claims are false.
 */
import type { Asked, Asker, Context } from './asking.ts'
import { chooseSaid, claimSaid, readSaid } from './cells.ts'
import { buttonColour, looks, mainButton, pageKind, whatItSays, whichIsOn, wrongField } from './choices.ts'
import { elementState, isOn, isPresent, isShown, saysText } from './claims.ts'
import { howMany, where, whereWord, whichOn, whichPresent } from './counts-and-places.ts'
import { MIXED_PAGE, PAGE_WITH_TABLE } from './page-parts.ts'
import { besideIt, fieldValue, label, onlyOne, tableCell } from './read-out.ts'
import { shapeQuestion } from './shape-questions.ts'
import { countWritten, whatIsWritten } from './written.ts'

// biome-ignore format: repeats are weights
const PAGE_ASKERS: readonly Asker[] = [
  isShown, isShown, isPresent, isPresent, saysText, isOn, isOn, elementState, pageKind, pageKind, looks, whichIsOn, whichIsOn, mainButton, buttonColour, whatItSays, whatItSays,
  wrongField, whichPresent, whichPresent, whichOn, whichOn, howMany, howMany, where, where, where, whereWord,
]

// biome-ignore format: repeats are weights
/** Askers about states that are easily overlooked, added where questions are balanced. */
const STATE_ASKERS: readonly Asker[] = [isShown, isShown, isShown, isShown, isOn, isOn, isOn, whichIsOn, wrongField, elementState, mainButton, where, where]
/** Used only where questions are balanced, so that `dev` stays as it was. */
const WRITTEN_ASKERS: readonly Asker[] = [whatIsWritten, whatIsWritten, whatIsWritten, whatIsWritten, countWritten, countWritten]
// biome-ignore format: repeats are weights
const READ_ASKERS: readonly Asker[] = [label, label, label, label, fieldValue, fieldValue, fieldValue, besideIt, besideIt, besideIt, tableCell, tableCell, tableCell, onlyOne, onlyOne]

// biome-ignore format: repeats are weights
/** Added where a page has several parts: the contents of its tables and lists. */
const SAID_ASKERS: readonly Asker[] = [chooseSaid, chooseSaid, chooseSaid, chooseSaid, chooseSaid, claimSaid, claimSaid, claimSaid, claimSaid, claimSaid]
const SAID_READ_ASKERS: readonly Asker[] = Array.from({ length: 12 }, () => readSaid)

/** Up to `count` different questions about a page. `toRead`: only those whose answer is to be read from it. */
export function askAbout(context: Context, count: number, toRead = false): Asked[] {
  const { page, random } = context
  const isMixed = page.kind === MIXED_PAGE || page.kind === PAGE_WITH_TABLE
  const askers = toRead
    ? [...READ_ASKERS, ...(isMixed ? SAID_READ_ASKERS : [])]
    : page.kind === 'shapes'
      ? [shapeQuestion]
      : page.kind === 'words'
        ? [saysText, saysText, whereWord, isPresent]
        : context.isBalanced
          ? [...PAGE_ASKERS, ...STATE_ASKERS, ...WRITTEN_ASKERS, ...(isMixed ? SAID_ASKERS : [])]
          : PAGE_ASKERS
  const asked = new Map<string, Asked>()
  for (let attempt = 0; attempt < count * 5 && asked.size < count; attempt++) {
    const result = random.pick(askers)(context)
    if (result && !asked.has(result.question.instructions)) asked.set(result.question.instructions, result)
  }
  return [...asked.values()]
}
