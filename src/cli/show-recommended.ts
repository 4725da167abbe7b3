// Draws the recommended models for a person: what each is for, and what is known of it.
import type { RecommendedModel } from '../hub/recommended.ts'
import { megabytes } from './show-models.ts'
import { columnsOf, padColumns, painter, type Terminal } from './terminal.ts'

/** `256 M`, `1.7 B`. */
const parametersOf = (count: number): string => (count < 1e9 ? `${Math.round(count / 1e6)} M` : `${Number((count / 1e9).toFixed(1))} B`)

export function showRecommended(
  models: readonly (RecommendedModel & { readonly pulled: readonly string[] })[],
  { hasColor }: Pick<Terminal, 'hasColor'>,
): string {
  const paint = painter(hasColor)
  const columns = Math.max(...models.map(({ name }) => columnsOf(name)))
  const lines = models.flatMap((model) => {
    const { name, id, license, parameters, bytes, dtype, reads, languages, contextTokens, pulled } = model
    const facts = [
      id,
      ...(license === undefined ? ['licence not known'] : [license]),
      ...(parameters === undefined ? [] : [`${parametersOf(parameters)} parameters`]),
      ...(bytes === undefined ? [] : [`${megabytes(bytes)}${dtype === undefined ? '' : ` in ${dtype}`}`]),
      ...(contextTokens === undefined ? [] : [`${contextTokens} tokens`]),
      reads.join(' and '),
      ...(languages === undefined ? [] : [languages]),
    ]
    const here = pulled.length === 0 ? '' : paint('green', ` (pulled: ${pulled.join(', ')})`)
    return [`${paint('bold', padColumns(name, columns))}  ${model.for}${here}`, `${' '.repeat(columns)}  ${paint('dim', facts.join(', '))}`]
  })
  return `${[...lines, paint('dim', 'assay models pull NAME gets one; what is not known of a model is left out')].join('\n')}\n`
}
