// Holds checked questions against the state and the model: every image that is named must be there, and the model must
// be capable of what is asked.
import type { ModelInfo } from '../backends/backend.ts'
import { pointer } from '../core/pointer.ts'
import { didYouMean } from '../core/suggest.ts'
import type { CheckedQuestion, Fault } from '../questions/shared/checked-question.ts'

/**
 * What is wrong between the questions and the pictures of the state, by their ids; empty when nothing is, or the ids
 * are not known.
 */
export function requirementFaults(questions: readonly CheckedQuestion[], ids: readonly string[] | null): readonly Fault[] {
  if (ids === null) return []
  return questions.flatMap((question) => {
    const own = imageFault(question, ids)
    return [...(own ? [own] : []), ...requirementFaults(question.args, ids)]
  })
}

function imageFault({ image, needsBoxes, param }: CheckedQuestion, ids: readonly string[]): Fault | null {
  const list = ids.map((id) => JSON.stringify(id)).join(', ')
  if (image !== null) {
    if (ids.includes(image)) return null
    const there = ids.length === 0 ? ' The state has no images.' : ` The state has ${list}.`
    const message = `There is no image ${JSON.stringify(image)}.${didYouMean(image, ids)}${there}`
    return { code: 'invalid_question', param: pointer(param, 'image'), message }
  }
  if (!needsBoxes || ids.length === 1) return null
  if (ids.length === 0) {
    const message = 'Coordinates lie in an image, and the state has none; send one as a part of type image.'
    return { code: 'invalid_question', param: pointer(param, 'kind'), message }
  }
  const message = `The state has ${ids.length} images, and coordinates lie in one of them; say which in image: ${list}.`
  return { code: 'image_ambiguous', param: pointer(param, 'image'), message }
}

/** What the model cannot take of the state and the questions; empty when it takes all of it. */
export function capabilityFaults(info: ModelInfo, questions: readonly CheckedQuestion[], imageCount: number): readonly Fault[] {
  const code = 'capability_not_supported'
  const { unseen: reason } = info.capabilities
  const why = reason === undefined ? '' : ` Why: ${reason}.`
  const unseen = `The model ${info.id} reads no images, and the state has ${imageCount}; leave them out or use another model.${why}`
  const unboxed = `The model ${info.id} gives no boxes; ask in words, or use another model.`
  const boxed = info.capabilities.boxes ? [] : flatten(questions).filter((question) => question.needsBoxes)
  return [
    ...(imageCount > 0 && !info.capabilities.images ? [{ code, param: '/state', message: unseen } as const] : []),
    ...boxed.map(({ param }) => ({ code, param: pointer(param, 'kind'), message: unboxed }) as const),
  ]
}

function flatten(questions: readonly CheckedQuestion[]): CheckedQuestion[] {
  return questions.flatMap((question) => [question, ...flatten(question.args)])
}
