// Checks `simo` of a request: how it wants to be answered. What is not known there is refused, since a wish that is
// ignored would look as if it were granted.
import { pointer } from '../core/pointer.ts'
import { didYouMean } from '../core/suggest.ts'
import { cut, isObject, jsonTypeOf, ownField } from '../core/untrusted.ts'
import type { Fault } from '../questions/shared/checked-question.ts'
import { DELIBERATION_MODES, type DeliberationMode } from '../questions/shared/deliberation.ts'
import { WISHES } from '../wire/wishes.ts'

/** Options of `ask`, as a request gives them. */
export interface AnsweringWishes {
  readonly deliberation?: DeliberationMode
  readonly sets?: { readonly coverage: number }
  readonly abstain?: { readonly maxRisk: number }
}

/** What is said of another value of `deliberation`. */
export function otherDeliberation(given: unknown): string {
  const modes = DELIBERATION_MODES.map((mode) => JSON.stringify(mode)).join(', ')
  const [received, hint] =
    typeof given === 'string' ? [JSON.stringify(cut(given, 80)), didYouMean(given, DELIBERATION_MODES)] : [jsonTypeOf(given), '']
  return `deliberation is one of ${modes}; received ${received}.${hint}`
}

/** What is right of `simo`; the rest is reported. */
export function checkWishes(simo: unknown, report: (fault: Fault) => void): AnsweringWishes {
  const fields = fieldsOf(simo, '/simo', WISHES, report)
  if (fields === null) return {}
  const deliberation = ownField(fields, 'deliberation') ?? null
  const isMode = DELIBERATION_MODES.some((mode) => mode === deliberation)
  if (deliberation !== null && !isMode) {
    report({ code: 'invalid_request', param: '/simo/deliberation', message: otherDeliberation(deliberation) })
  }
  const coverage = shareIn(ownField(fields, 'sets'), '/simo/sets', 'coverage', report)
  const maxRisk = shareIn(ownField(fields, 'abstain'), '/simo/abstain', 'max_risk', report)
  return {
    ...(isMode ? { deliberation: deliberation as DeliberationMode } : {}),
    ...(coverage === null ? {} : { sets: { coverage } }),
    ...(maxRisk === null ? {} : { abstain: { maxRisk } }),
  }
}

/** The share of an object that holds it alone; null where it is absent or not right. */
function shareIn(value: unknown, param: string, name: string, report: (fault: Fault) => void): number | null {
  const fields = fieldsOf(value, param, [name], report)
  if (fields === null) return null
  const share = ownField(fields, name)
  if (typeof share === 'number' && share > 0 && share < 1) return share
  report({ code: 'invalid_request', param: pointer(param, name), message: `${name} is a share between 0 and 1, such as 0.9.` })
  return null
}

/** The fields of an object; null where it is absent or none. Reports those that are not known. */
function fieldsOf(value: unknown, param: string, known: readonly string[], report: (fault: Fault) => void): object | null {
  if (value === undefined || value === null) return null
  if (!isObject(value)) {
    const message = `This is an object with ${known.join(', ')}; received ${jsonTypeOf(value)}.`
    report({ code: 'invalid_request', param, message })
    return null
  }
  for (const field of Object.keys(value)) {
    if (known.includes(field)) continue
    const message = `This takes ${known.join(', ')}; ${JSON.stringify(field.slice(0, 80))} is not known.${didYouMean(field, known)}`
    report({ code: 'invalid_request', param: pointer(param, field), message })
  }
  return value
}
