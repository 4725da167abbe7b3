// Models that this engine loads, by short names: recommended-models.json of the package. Each fact stands there with
// the page that gave it; what no page gave is left out.
import { readFile } from 'node:fs/promises'
import * as z from 'zod'
import { DTYPES } from '../backends/onnx/runtime/layout.ts'

const Entry = z
  .strictObject({
    /** Short: no slash, so that it is no name on a hub. */
    name: z.string().regex(/^[a-z0-9][a-z0-9.-]*$/),
    /** `OWNER/NAME` on the hub. */
    id: z.string().regex(/^[\w.-]+\/[\w.-]+$/),
    /** The commit that the facts are about. Absent: `main` is pulled. */
    revision: z
      .string()
      .regex(/^[0-9a-f]{40}$/)
      .optional(),
    /** `model_type` of its config.json, or the section of it that tells the family. */
    modelType: z.string().optional(),
    section: z.string().optional(),
    /** As the hub says it. */
    license: z.string().optional(),
    parameters: z.number().positive().optional(),
    /** Pulled unless another is asked for. */
    dtype: z.enum(DTYPES as [string, ...string[]]).optional(),
    /** The graphs that are pulled, and their bytes with those of their weights. */
    graphs: z.array(z.string().regex(/^(onnx\/)?[\w.-]+\.onnx$/)).optional(),
    bytes: z.number().int().positive().optional(),
    reads: z.array(z.enum(['texts', 'pictures'])).min(1),
    /** What it is for. */
    for: z.string(),
    languages: z.string().optional(),
    contextTokens: z.number().int().positive().optional(),
    source: z.url(),
  })
  .refine(({ modelType, section }) => (modelType === undefined) !== (section === undefined), 'modelType or section tells the family')
  .refine(({ bytes, graphs }) => bytes === undefined || graphs !== undefined, 'bytes are those of the graphs')
const Recommended = z.strictObject({ about: z.string(), models: z.array(Entry) })

export type RecommendedModel = z.infer<typeof Entry>

let read: Promise<readonly RecommendedModel[]> | null = null

/** In the order of the file. */
export function recommendedModels(): Promise<readonly RecommendedModel[]> {
  read ??= readFile(new URL('../../recommended-models.json', import.meta.url), 'utf8').then(
    (text) => Recommended.parse(JSON.parse(text)).models,
  )
  return read
}

/** The model of a short name, in any case; null for a name that is none. */
export async function findRecommended(name: string): Promise<RecommendedModel | null> {
  const wanted = name.toLowerCase()
  return (await recommendedModels()).find((model) => model.name === wanted) ?? null
}
