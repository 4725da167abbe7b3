// Draws what `assay models verify` found for a person: a line for each check, its next step below it, and the speed.
import type { ModelVerification } from '../index.ts'
import { padColumns, painter, plain, type Style, type Terminal } from './terminal.ts'

type Checked = ModelVerification['checks'][number]
type Timing = NonNullable<ModelVerification['speed']>['loadMs']

const STYLES: Readonly<Record<Checked['status'], Style>> = {
  passed: 'green',
  noted: 'yellow',
  failed: 'red',
  not_applicable: 'dim',
  skipped: 'yellow',
}
const NAME_COLUMNS = 18
const STATUS_COLUMNS = 15

/** `12.3 ms`, `1.45 s`. */
function time(ms: number): string {
  return ms < 1000 ? `${ms.toPrecision(3)} ms` : `${(ms / 1000).toPrecision(3)} s`
}

const range = ({ median, least, most, runs }: Timing): string =>
  runs === 1 ? time(median) : `${time(median)} (${time(least)} to ${time(most)}, ${runs} times)`

export function showVerified(
  { name, ok, checks, speed }: ModelVerification & { readonly name: string },
  { hasColor }: Pick<Terminal, 'hasColor'>,
): string {
  const paint = painter(hasColor)
  const lines = checks.flatMap(({ check, part, status, detail, remedy }) => {
    const what = padColumns(part === undefined ? check : `${check} (${part})`, NAME_COLUMNS)
    const said = paint(STYLES[status], padColumns(status.replaceAll('_', ' '), STATUS_COLUMNS))
    const next = remedy === undefined ? [] : [`${' '.repeat(NAME_COLUMNS + STATUS_COLUMNS)}${paint('dim', `next: ${plain(remedy)}`)}`]
    return [`${what}${said}${plain(detail)}`, ...next]
  })
  const timed =
    speed === null
      ? 'not measured'
      : `on ${speed.device}: loads in ${range(speed.loadMs)}, first question ${range(speed.firstQuestionMs)}, one more ${range(speed.nextQuestionMs)}`
  const verdict = ok ? paint('green', 'everything holds') : paint('red', 'does not hold')
  return `${[`${paint('bold', plain(name))}  ${verdict}`, ...lines, `${padColumns('speed', NAME_COLUMNS + STATUS_COLUMNS)}${timed}`].join('\n')}\n`
}
