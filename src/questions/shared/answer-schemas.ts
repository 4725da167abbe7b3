// What the zod schemas of answers share. It describes replies; nothing is checked with it at run time.
import { z } from 'zod'
import type { Coordinates, Point, SeenAnswer, SpanAnswer } from '../../wire/types.ts'

/** Probabilities are never 0 or 1: nothing is ruled out. */
export const probability = z.number().gt(0).lt(1)
const count = z.int().min(0)

export const point = (description: string): z.ZodType<Point> =>
  z.tuple([z.number(), z.number()]).readonly().meta({ description, minItems: 2 })
export const box: z.ZodType<Coordinates> = z
  .tuple([z.number(), z.number(), z.number(), z.number()])
  .readonly()
  .meta({ description: 'left, top, right, bottom in pixels of the picture as sent.', minItems: 4 })
export const center = point('x, y of its middle.')
export const imageSize = point('width, height of the picture as sent.')

export const valid = z
  .boolean()
  .describe('Whether there is an answer and it parses. A read that failed alone is invalid; the others stand.')
export const error = z.string().optional().describe('Why, when it is not valid.')
export const confidence = probability.describe(
  'How sure it is of what it read; calibrated where the model has labels of its reads, see `calibration` in `simo.questions`.',
)
export const checkSchema = probability.optional().describe('With `self_check`: calibrated probability that the value is right.')

/** By the names of the candidates. */
export const byCandidate = (description: string) => z.record(z.string(), probability).describe(description)
/** By level numbers. */
export const level = z.string().regex(/^\d+$/)

export const span: z.ZodType<SpanAnswer> = z
  .object({
    start: count,
    end: count,
    part: count.optional().describe('Index of the part; absent for the first, or when the state is not parts.'),
    path: z.string().optional().describe('JSON Pointer of the string (or number, as written) in that part; absent in text.'),
  })
  .meta({ id: 'Span', description: 'Where a value stands, in UTF-16 units from the start of the string it was taken from.' })

export const seen: z.ZodType<SeenAnswer> = z
  .object({ image: z.string().describe('Id of the image.'), coordinates: box, center, image_size: imageSize })
  .meta({ id: 'Seen', description: 'Where a value was read, when it stands in an image.' })
