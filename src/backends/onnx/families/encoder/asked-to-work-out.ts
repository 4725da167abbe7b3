// Whether a number that is asked for stands in the text, by the words of the question: what is left, what several come
// to and how far it is between two mostly has to be worked out, and no number of the text answers it.

const WORKED_OUT =
  /\b(?:left|sum|between|together|altogether|in (?:all|total)|all|both|still|until|missing|remain\w*|more|fewer|separates?|difference|ahead|average|plus|minus|by how (?:many|much))\b/i
/** Counted, or worked out now and then. */
const COUNTED =
  /^(?:how many|(?:the )?(?:number|count) of)\b|\b(?:last|takes?|took|long|needs?|per|each|every|total|short|spent|net|twice)\b/i
/**
 * How many of such numbers stand in the text: rounded from 503 of families held out and 263 of newcomers, by how much
 * surer the shipped model was of them than they were right.
 */
const [STAND_OF_WORKED_OUT, STAND_OF_COUNTED, STAND_OF_OTHERS] = [0.3, 0.65, 0.9]

/** The log-probability that a number that is asked for stands in the text at all. */
export function logStands(question: string): number {
  if (WORKED_OUT.test(question)) return Math.log(STAND_OF_WORKED_OUT)
  return Math.log(COUNTED.test(question) ? STAND_OF_COUNTED : STAND_OF_OTHERS)
}
