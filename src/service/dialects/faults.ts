// Collects what a dialect finds wrong with a body before the engine sees it, and throws all of it as one `EngineError`.
import type { ErrorCode } from '../../core/errors.ts'
import { MOST_FAULTS } from '../../core/limits.ts'
import { pointer } from '../../core/pointer.ts'
import { didYouMean } from '../../core/suggest.ts'
import { ownField, type UntrustedObject } from '../../core/untrusted.ts'
import { refuse } from '../../pipeline/faults.ts'
import type { Fault } from '../../questions/shared/checked-question.ts'

/**
 * The most questions, or items and parts of an input, that are translated: far more than the engine takes, and few
 * enough that reading them does not delay other requests.
 */
export const MOST_TRANSLATED = 4096

/** A field of the object itself; undefined where it is absent or null. */
export function presentField(fields: UntrustedObject, field: string): unknown {
  return ownField(fields, field) ?? undefined
}

export class Faults {
  readonly #all: Fault[] = []

  /** Throws at once when there are too many to go on. */
  report(code: ErrorCode, param: string, message: string): void {
    this.#all.push({ code, param, message })
    if (this.#all.length >= MOST_FAULTS) this.throwIfAny()
  }

  /** `noun` with its article, to follow "in". */
  unknownFields(fields: UntrustedObject, known: readonly string[], code: ErrorCode, param: string, noun: string): void {
    for (const field of Object.keys(fields)) {
      if (known.includes(field)) continue
      const hint = didYouMean(field, known)
      const message = `Unknown field ${JSON.stringify(field.slice(0, 80))} in ${noun}.${hint} It takes ${known.join(', ')}.`
      this.report(code, pointer(param, field), message)
    }
  }

  throwIfAny(): void {
    refuse(this.#all)
  }
}
