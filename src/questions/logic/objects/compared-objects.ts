// "Selin has more points than Lotte", "Desko is cheaper than Ferro", "Mira has the most points": claims that compare
// objects of a list, which they call by name, by a number or a day of theirs.
import type { Json } from '../../../core/types.ts'
import { questionText } from '../fields/claim.ts'
import { ADJECTIVES, HAS, LESS, MORE, named, type RankedBy, VERBS } from './adjectives.ts'
import { placeCalled } from './meant.ts'
import { type ObjectList, objectLists } from './objects.ts'
import { rankedPlace } from './ranked.ts'
import { worthsBy } from './worths.ts'

const BE = '(?:is|are|was|were)'
const DENIED = '(?<not>not )?'

interface Comparing {
  readonly pattern: RegExp
  readonly isMore: boolean
  /** Null where the claim says by what. */
  readonly isBy: RankedBy | null
}

const FORMS: readonly Comparing[] = [
  ...ADJECTIVES.flatMap(({ less, more, isBy }) => [
    { pattern: than(`${BE} ${DENIED}(?:${less})`), isMore: false, isBy },
    { pattern: than(`${BE} ${DENIED}(?:${more})`), isMore: true, isBy },
  ]),
  ...VERBS.flatMap(({ verb, less, more, isBy }) => [
    { pattern: than(`(?:${verb}) (?:${less})`), isMore: false, isBy },
    { pattern: than(`(?:${verb}) (?:${more})`), isMore: true, isBy },
  ]),
  { pattern: than(`(?:${HAS}) (?:an? )?(?:${LESS}) (?<by>.+?)`), isMore: false, isBy: null },
  { pattern: than(`(?:${HAS}) (?:an? )?(?:${MORE}) (?<by>.+?)`), isMore: true, isBy: null },
]

function than(pattern: string): RegExp {
  return new RegExp(`^(?<one>.+?) ${pattern} than (?<other>.+)$`, 'iu')
}

/** Null where two objects are not plainly compared, or have no numbers. */
export function comparedObjects(claim: string, values: readonly Json[]): boolean | null {
  const text = questionText(claim)
  const forms = FORMS.flatMap((form) => {
    const groups = form.pattern.exec(text)?.groups
    return groups === undefined ? [] : [{ ...form, groups }]
  })
  if (forms.length === 0) return null
  const found = objectLists(values).flatMap((list) => forms.map((form) => comparedIn(list, form)).filter((holds) => holds !== null))
  return new Set(found).size === 1 ? (found[0] as boolean) : null
}

function comparedIn(
  list: ObjectList,
  { groups, isMore, isBy }: Comparing & { readonly groups: Readonly<Record<string, string | undefined>> },
) {
  const [one, other] = [placeCalled(groups.one as string, list), placeCalled(groups.other as string, list)]
  if (one === null || other === null || one === other) return null
  const worths = worthsBy(list.objects, isBy ?? named(groups.by as string))
  const [own, others] = [worths?.[one] ?? null, worths?.[other] ?? null]
  if (own === null || others === null) return null
  return (isMore ? own > others : own < others) === (groups.not === undefined)
}

const FIRST = new RegExp(
  `^(?<one>.+?) (?<be>${BE}|${HAS}|costs?|weighs?|takes?|took|lasts?|lasted|stays?|stayed) ${DENIED}(?<how>(?:the )?(?:least|most|fewest|shortest|longest|best|worst|\\p{L}+est)\\b.*)$`,
  'iu',
)

/** "Mira has the most points", "R-311 is not the cheapest": null where none surely is first, or no object is called. */
export function rankedClaim(claim: string, values: readonly Json[]): boolean | null {
  const { one = '', be, not, how } = FIRST.exec(questionText(claim))?.groups ?? {}
  if (how === undefined) return null
  const found = objectLists(values).flatMap((list) => {
    const [own, first] = [placeCalled(one, list), rankedPlace(`Who ${be} ${how}`, list.objects)]
    return own === null || first === null ? [] : [(own === first) === (not === undefined)]
  })
  return found.length === 1 ? (found[0] as boolean) : null
}
