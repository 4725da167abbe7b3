// Draws a calibration, and a comparison of two, as tables for a person.
import type { Calibration } from '../calibration/calibration.ts'
import type { CalibrationComparison, PairedLosses } from '../calibration/compare.ts'
import type { CalibrationNode } from '../calibration/hierarchy/tree.ts'
import type { CalibrationMap } from '../calibration/maps/map.ts'
import { mapOf, PARAMETER_HEADINGS } from '../calibration/maps/maps.ts'
import type { PassMode } from '../questions/shared/decision.ts'
import type { DecisionReadout } from '../questions/shared/readouts.ts'
import { painter, plain, type Terminal, tableOf } from './terminal.ts'

type Look = Pick<Terminal, 'hasColor' | 'hasUnicode'>

/** Maps with at least so many labels, indented by level; then when decisions look again. */
export function showCalibration({ version, model, fittedOn, trees, gates }: Calibration, least: number, look: Look): string {
  const { decisions, states, tasks } = fittedOn
  const about = `${version}  ${plain(model.id)}, revision ${plain(model.revision).slice(0, 12)}: ${decisions} decisions on ${states} states of ${Object.keys(tasks).length} tasks`
  const tables = (['single', 'deliberated'] as const).flatMap((passMode) => {
    const lines = Object.entries(trees[passMode]).flatMap(([readout, root]) =>
      linesOf(mapOf(readout as DecisionReadout, root.map), readout, root, 0, least, look),
    )
    return lines.length === 0 ? [] : ['', tableOf([HEADINGS[passMode], ...lines], look)]
  })
  const gateLines = Object.entries(gates).map(([readout, { threshold, share, rule, decisions: count, gain, short }]) => [
    readout,
    String(count),
    threshold.toFixed(3),
    `${(share * 100).toFixed(1)} %`,
    rule,
    gain === undefined ? '' : `${gain.escalated.toFixed(4)} of ${gain.total.toFixed(4)}`,
    short === undefined ? '' : `below ${short.tokens} tokens: ${short.decisions}, ${short.gain.toFixed(4)} each`,
  ])
  const gateTable =
    gateLines.length === 0
      ? []
      : ['', tableOf([['look again above', 'decisions', 'entropy', 'share', 'rule', 'nats saved', 'however sure'], ...gateLines], look)]
  return `${[about, ...tables, ...gateTable].join('\n')}\n`
}

const HEADINGS: Readonly<Record<PassMode, readonly string[]>> = {
  single: ['single pass', 'labels', ...PARAMETER_HEADINGS, 'steps'],
  deliberated: ['deliberated', 'labels', ...PARAMETER_HEADINGS, 'steps'],
}

function linesOf(map: CalibrationMap, name: string, node: CalibrationNode, depth: number, least: number, look: Look): string[][] {
  const sign = look.hasUnicode ? '±' : '+-'
  const numbers = PARAMETER_HEADINGS.map((_, i) => {
    const parameter = map.parameters[i]
    if (parameter === undefined) return ''
    const [value, deviation] = parameter.shown(node.parameters[i]!, Math.sqrt(node.variance[i]!))
    return `${value.toFixed(2)} ${sign} ${deviation.toFixed(2)}`
  })
  const own = [
    `${'  '.repeat(depth)}${plain(name)}`,
    node.labels.toFixed(0),
    ...numbers,
    node.blend === undefined ? '' : String(node.blend.positions.length),
  ]
  const children = Object.entries(node.children ?? {})
    .filter(([, child]) => child.labels >= least)
    .sort(([, a], [, b]) => b.labels - a.labels)
  return [own, ...children.flatMap(([childName, child]) => linesOf(map, childName, child, depth + 1, least, look))]
}

/** One line for all and for each task; which of the two is better, where the interval leaves no doubt. */
export function showComparison(tasks: readonly CalibrationComparison[], versions: readonly (string | null)[], look: Look): string {
  const paint = painter(look.hasColor)
  const lines = tasks.map(({ name, count, logLoss, brier, calibrationError: { first, second } }) => [
    plain(name),
    String(count),
    ...cellsOf(logLoss),
    ...cellsOf(brier),
    `${first.excess.toFixed(3)} / ${second.excess.toFixed(3)}`,
    `[${first.interval.map((end) => end.toFixed(3)).join(', ')}]`,
  ])
  const headings = ['task', 'distributions', 'log-loss', 'difference', 'Brier', 'difference', 'calibration error', 'interval']
  const judged = tasks.filter(({ states }) => states > 1)
  const isBetter = judged.filter(({ logLoss }) => logLoss.interval[1] < 0).length
  const isWorse = judged.filter(({ logLoss }) => logLoss.interval[0] > 0).length
  const which = judged.length === tasks.length ? 'lines' : 'lines with more than one state'
  const [own, other] = versions.map((version) => version ?? 'no calibration')
  const notes = [
    `first ${own}, second ${other}; differences are first - second with 95 % intervals by state, below 0 the first is better.`,
    'calibration error: smooth ECE above what chance alone gives; the interval is of the first.',
    paint(
      isWorse > 0 ? 'yellow' : 'green',
      `log-loss surely better in ${isBetter}, surely worse in ${isWorse} of ${judged.length} ${which}`,
    ),
  ]
  return `${[tableOf([headings, ...lines], look), ...notes].join('\n')}\n`
}

function cellsOf({ first, second, difference, interval }: PairedLosses): string[] {
  const signed = (value: number): string => `${value >= 0 ? '+' : ''}${value.toFixed(3)}`
  return [`${first.toFixed(3)} / ${second.toFixed(3)}`, `${signed(difference)} [${interval.map(signed).join(', ')}]`]
}
