// What the console's own words mean, each in a sentence or two, for the hints that stand beside them.

export const WORDS = {
  abstained: 'The answer is not sure enough for the risk that the request allows.',
  calibration:
    'Calibration corrects the probabilities of the model, so that of all answers given with 80 %, about 80 of 100 come true. It is learned from outcomes.',
  'calibrated by':
    'The map that corrected the probabilities, how near the outcomes are that it was learned from (this question, this wording, this kind, or all), and how many they are.',
  'calibration error':
    'How far probabilities are from what came true, on average: 2 % means that an answer given with 80 % came true about 78 or 82 times in 100.',
  checked: 'The model was asked once more whether this value is right. This is the probability that it is.',
  confidence: 'The probability of the answer that is shown. Of a value that was read, that it is right.',
  deliberated: 'The first pass was uncertain, so the question was read again in other ways and the passes were put together.',
  derived: 'Computed from the other answers by an expression, without the model.',
  drift:
    'Newer requests no longer look like those that the calibration was learned from. Its probabilities may be off until it is fitted again.',
  entropy: 'How undecided the answer is, in bits: 0 when one option has all the probability, 1 when two options share it equally.',
  fit: 'Learns a new calibration from the outcomes so far. It answers only if it is no worse on outcomes that it has not seen.',
  label: 'One answer of which it is known what was true: an outcome of one question.',
  'log-loss': 'How surprised the probabilities were by what came true; lower is better. A sure and wrong answer costs most.',
  mass: 'How much probability the model gave to the listed options before they were made to sum to 1. A low mass means that none of them fits well.',
  outcome: 'What turned out to be true of an answer. Outcomes teach the calibration; nothing else is learned from them.',
  passes: 'How often the model was run for this question.',
  'pixels as sent': 'Left, top, right and bottom edge, counted from the upper left corner of the picture file as it was sent.',
  state: 'What the questions are about: a text, a JSON value, pictures, or several of them.',
  token: 'A piece of text, about three quarters of a word, or a piece of a picture. Requests are paid by the tokens that the model reads.',
  unseen: 'Log-loss on outcomes that the new calibration was not fitted on: before the change, and after it.',
} as const satisfies Readonly<Record<string, string>>

export type Word = keyof typeof WORDS
