// Draws a response for a person: a bar and a number per option, the value of a read, the box in pixels.

import { kindOf } from '../questions/index.ts'
import type { AnswerBar } from '../questions/kind.ts'
import type { AskResponse, DeriveAnswer, QuestionAnswer, QuestionReport, StageReport } from '../wire/types.ts'
import { columnsOf, type Paint, padColumns, painter, plain, shorten, type Terminal } from './terminal.ts'

type Look = Pick<Terminal, 'columns' | 'hasColor' | 'hasUnicode'>

interface Pen {
  readonly paint: Paint
  readonly columns: number
  readonly hasUnicode: boolean
}

/** `titles`: what to call each question, by id. Ends with a newline. */
export function showResponse(response: AskResponse, titles: ReadonlyMap<string, string>, look: Look): string {
  const pen: Pen = { paint: painter(look.hasColor), columns: Math.max(40, Math.min(look.columns, 100)), hasUnicode: look.hasUnicode }
  const [asked, derived]: [string[], string[]] = [[], []]
  for (const [id, answer] of Object.entries(response.answers)) {
    const report = response.simo.questions[id]
    if (answer.type === 'derive') derived.push(showDerive(id, answer, pen))
    else asked.push([showAnswer(id, titles.get(id) ?? null, answer, isCalibrated(report), pen), ...learnedLines(report, pen)].join('\n'))
  }
  const blocks = derived.length === 0 ? asked : [...asked, derived.join('\n')]
  const { usage, simo } = response
  const ms = simo.timings_ms.total
  const facts = [
    simo.chain === undefined ? response.model : `${response.model} (${simo.chain.map(stageText).join(', ')})`,
    `${usage.input_tokens} tokens in${simo.cached_tokens > 0 ? ` (${simo.cached_tokens} cached)` : ''}`,
    ...(ms === undefined ? [] : [`${Math.round(ms)} ms`]),
  ]
  const warnings = simo.warnings.flatMap((warning) => wrapped(`! ${plain(warning)}`, pen.columns).map((line) => pen.paint('yellow', line)))
  return `${[...blocks, [...warnings, pen.paint('dim', facts.join(pen.hasUnicode ? ' · ' : ', '))].join('\n')].join('\n\n')}\n`
}

function stageText({ model, status, answered }: StageReport): string {
  return `${model} ${status === 'answered' ? answered : status === 'skipped' ? 'passed over' : 'not needed'}`
}

/** Whether a calibration was applied; boxes have none, and neither have models without labels of their own. */
function isCalibrated(report: QuestionReport | undefined): boolean {
  return report !== undefined && report.calibration !== null && report.calibration.level !== 'none'
}

/** Says that the question has learned its answers: asked in other words it has not. */
function learnedLines(report: QuestionReport | undefined, { paint }: Pen): string[] {
  const calibration = report?.calibration ?? null
  return calibration?.applied === 'learned' ? [`  ${paint('dim', `learned from ${calibration.labels} labels`)}`] : []
}

function showAnswer(id: string, title: string | null, answer: QuestionAnswer, calibrated: boolean, pen: Pen): string {
  const heading = plain(title ?? id)
  const tag = title === null || title === id ? '' : ` ${pen.paint('dim', `(${shorten(plain(id), 24)})`)}`
  const room = pen.columns - (tag === '' ? 0 : 3 + Math.min(24, columnsOf(plain(id))))
  const lines = [...linesOf(answer, calibrated, pen), ...cautionLines(answer, pen)]
  return [`${pen.paint('bold', shorten(heading, room))}${tag}`, ...lines.map((line) => `  ${line}`)].join('\n')
}

/** Lines of at most so many columns, broken between words; a longer word is shortened. */
function wrapped(text: string, columns: number): string[] {
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const last = lines.at(-1)
    const longer = `${last} ${word}`
    if (last === undefined || columnsOf(longer) > columns) lines.push(shorten(word, columns))
    else lines[lines.length - 1] = longer
  }
  return lines
}

/** One line: `name = value`. */
function showDerive(id: string, answer: DeriveAnswer, pen: Pen): string {
  const name = shorten(plain(id), Math.floor(pen.columns / 2))
  const rest: Pen = { ...pen, columns: pen.columns - columnsOf(name) - 3 }
  const value = answer.valid ? pen.paint('green', shorten(plain(String(answer.value)), rest.columns)) : failed(answer.error, rest)
  return `${pen.paint('bold', name)} = ${value}`
}

function linesOf(answer: QuestionAnswer, calibrated: boolean, pen: Pen): string[] {
  const { bars: rows, values, notes, args } = kindOf(answer).view(answer)
  if (values !== null) return readLines(answer, values, calibrated ? notes : [...notes, 'not calibrated'], pen)
  const below = Object.entries(args).flatMap(([name, arg]) =>
    arg.type === 'derive' ? [] : showAnswer(name, null, arg, calibrated, pen).split('\n'),
  )
  return [...bars(rows, pen), ...notes.map((note) => pen.paint('dim', note)), ...below.map((line) => `  ${line}`)]
}

/** The prediction set and the abstention, where they were asked for. */
function cautionLines(answer: QuestionAnswer, pen: Pen): string[] {
  if (!('set' in answer || 'abstained' in answer)) return []
  const names = answer.set?.map(plain) ?? null
  return [
    ...(names === null
      ? []
      : [pen.paint('dim', shorten(names.length === 0 ? 'in the set: none' : `in the set: ${names.join(', ')}`, pen.columns - 2))]),
    ...(answer.abstained === true ? [pen.paint('yellow', 'not sure enough to answer')] : []),
  ]
}

/** The values that were read, then one line of facts about them. */
function readLines(answer: QuestionAnswer, texts: readonly string[], notes: readonly string[], pen: Pen): string[] {
  const { paint } = pen
  const values = texts.map((value) => paint('green', shorten(plain(value), pen.columns - 2)))
  const facts = [
    ...notes,
    ...('check' in answer && answer.check !== undefined ? [`checked ${percent(answer.check)}`] : []),
    ...('confidence' in answer ? [`confidence ${percent(answer.confidence)}`] : []),
  ]
  const isValid = !('valid' in answer) || answer.valid
  const error = 'error' in answer ? answer.error : undefined
  const said = isValid ? (values.length === 0 ? [paint('yellow', 'not there')] : values) : [...values, failed(error, pen)]
  return [...said, paint('dim', shorten(facts.join(', '), pen.columns - 2))]
}

function failed(error: string | undefined, { paint, columns }: Pen): string {
  return paint('red', shorten(`no valid value${error === undefined ? '' : `: ${plain(error)}`}`, columns - 2))
}

/**
 * One line per row: mark, label, bar, percent. The label takes up to a third of the line, the bar what is left, up to
 * 32.
 */
function bars(rows: readonly AnswerBar[], { paint, columns, hasUnicode }: Pen): string[] {
  const labels = rows.map(({ label }) => plain(label))
  const labelColumns = Math.min(Math.max(...labels.map(columnsOf)), Math.floor(columns / 3))
  const barColumns = Math.max(8, Math.min(32, columns - labelColumns - 15))
  const mark = hasUnicode ? '●' : '*'
  return rows.map(({ probability, isChosen }, i) => {
    const bar = drawBar(probability, barColumns, hasUnicode)
    const line = `${isChosen ? mark : ' '} ${padColumns(labels[i] ?? '', labelColumns)} ${bar} ${percent(probability).padStart(7)}`
    return isChosen ? paint('cyan', line) : line
  })
}

const EIGHTHS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉']

/** Eighths of a column where Unicode can be shown, so that near values look different. */
function drawBar(probability: number, columns: number, hasUnicode: boolean): string {
  const share = Math.max(0, Math.min(1, probability))
  if (!hasUnicode) return padColumns('#'.repeat(Math.round(share * columns)), columns).replaceAll(' ', '.')
  const eighths = Math.round(share * columns * 8)
  return padColumns('█'.repeat(Math.floor(eighths / 8)) + (EIGHTHS[eighths % 8] ?? ''), columns)
}

/** 0.5 as "50.0 %". Never "100.0 %" or "0.0 %", which would claim certainty. */
export function percent(probability: number): string {
  if (probability >= 0.9995) return '>99.9 %'
  if (probability < 0.0005) return '<0.1 %'
  return `${(probability * 100).toFixed(1)} %`
}
