// Draws the list of models for a person: what answers by which name, and where it is from.
import type { ModelListing } from '../pipeline/models.ts'
import { columnsOf, padColumns, painter, plain, type Terminal } from './terminal.ts'

/** A model of the list: what an engine answers to by name, and for a pulled one where it is from. */
export interface ListedModel extends ModelListing {
  /** It answers when none is named. */
  readonly default: boolean
  readonly pulled?: {
    readonly license: string | null
    readonly dtype: unknown
    readonly bytes: number
    readonly pulledAt: string
    readonly folder: string
    /** Whether `assay models verify` found it sound; null: it has not been asked. */
    readonly verified: boolean | null
  }
}

/** `12.3 MB`, `1.7 GB`. */
export function megabytes(bytes: number): string {
  const [value, unit] = bytes < 1e9 ? [bytes / 1e6, 'MB'] : [bytes / 1e9, 'GB']
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ${unit}`
}

/** `partial`: names of models whose download was cut short. */
export function showModels(models: readonly ListedModel[], partial: readonly string[], look: Pick<Terminal, 'hasColor'>): string {
  const paint = painter(look.hasColor)
  const columns = Math.max(...models.map(({ id }) => columnsOf(plain(id))))
  const lines = models.map((model) => {
    const { id, name, status, stages, device } = model
    const about = stages === undefined ? name : `${name === id ? 'a chain' : name}: ${stages.join(', then ')}`
    const where = device === undefined ? '' : ` (on ${device.name}${device.reason === undefined ? '' : `: ${device.reason}`})`
    const state = status.replaceAll('_', ' ')
    const facts = [
      ...(model.pulled === undefined ? [plain(about + where)] : factsOf(model.pulled)),
      ...(model.default ? [paint('bold', 'the default')] : []),
    ]
    return `${padColumns(plain(id), columns)}  ${paint(status === 'available' ? 'green' : 'dim', padColumns(state, 11))}  ${facts.join(', ')}`
  })
  const cut = partial.map((name) =>
    paint('dim', `${plain(name)} is not all there; assay models pull goes on with it, assay models rm takes it away`),
  )
  return `${[...lines, ...cut].join('\n')}\n`
}

function factsOf({ bytes, dtype, license, verified }: NonNullable<ListedModel['pulled']>): string[] {
  const formats =
    dtype === null
      ? []
      : [
          typeof dtype === 'string'
            ? dtype
            : Object.entries(dtype as object)
                .map((pair) => pair.join('='))
                .join(' '),
        ]
  const checked = verified === null ? [] : [verified ? 'verified' : 'failed verification']
  return [megabytes(bytes), ...formats, plain(license ?? 'no licence said'), ...checked]
}
