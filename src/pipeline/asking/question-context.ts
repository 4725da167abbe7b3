// What the coroutines of the questions are given: the images and texts of the state, and what decisions are made with.
import type { QuestionContext, QuestionImage } from '../../questions/shared/checked-question.ts'

/** What decisions need beside the state. */
export type DecisionContext = Pick<QuestionContext, 'calibrator' | 'deliberation' | 'predictionSets'>

/** What is said of texts: how long they are, of which numbers are read and compared, and what is quoted. */
type TextContext = Pick<QuestionContext, 'stateTokens' | 'usesLogic' | 'countsReads' | 'jsonValues' | 'records' | 'textOf' | 'placesOf'>

/** What coroutines need. Call it only after `requirementFaults` found nothing. */
export function questionContext(
  images: readonly QuestionImage[],
  parse: QuestionContext['parse'],
  decisions: DecisionContext,
  texts: TextContext,
): QuestionContext {
  return {
    image: (id) => (id === null ? (images.length === 1 ? images[0]! : null) : (images.find((image) => image.id === id) ?? null)),
    hasImages: images.length > 0,
    parse,
    ...decisions,
    ...texts,
  }
}
