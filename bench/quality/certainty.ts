// Whether the model is sure where it cannot know: certainty where there is nothing to know, against where there is.
// Usage: npx tsx bench/quality/certainty.ts MODEL_FOLDER ROOT OUT.json FILE.jsonl[.gz]... [--limit N] > TABLE.md
// ROOT is the folder that image paths are relative to. Choices are split by their truth: the option that says so ("none
// of these", "not enough information", "neutral"), or an ordinary option. Nouls are split by whether annotators could
// know. A noul may have a plain truth even then ("can this be answered?": no), so only being sure and wrong is a fault.
import { writeFileSync } from 'node:fs'
import { groupBy } from '../../src/core/group-by.ts'
import { mean } from '../../src/core/math.ts'
import { openDataset, type Row, readRows } from '../../src/evaluate/dataset.ts'
import type { GradedQuestion } from '../../src/evaluate/graded-question.ts'
import { runRow } from '../../src/evaluate/run.ts'
import { marginOf } from '../../src/evaluate/summary.ts'
import { ENGINE_VERSION } from '../../src/index.ts'
import { answering } from '../lib/answering.ts'
import { benchArguments } from '../lib/arguments.ts'
import { machine } from '../lib/machine.ts'

/** Options that say that no listed option holds. "None" of SGD is not one: it means that no subtitles are wanted. */
const NONE = new Set(['none of these', 'no match', 'other', 'out of scope', 'something else'])
/** Options that say that the text does not tell. */
const UNSAID = new Set(
  [
    ['not enough information', 'not enough info', 'cannot be told from the text', 'unknown', 'not known', 'undetermined'],
    ['cannot be determined', "can't be determined", 'cannot answer', "can't answer", 'not answerable'],
  ].flat(),
)
/** Of inference: the text leaves it open. Elsewhere "neutral" is an answer as any other: an emotion, a tone. */
const OPEN = new Set(['neutral', 'open', 'left open'])
const INFERENCE = new Set(['multinli', 'commitmentbank'])
/** Sources some of whose rows show what could not be known. */
const SHOWN = new Set(['bbq', 'bfcl', 'clinc150', ...INFERENCE])

type Group = 'cannot know' | 'can know' | 'can know, way out offered'

interface Placed {
  readonly task: string
  readonly type: 'choice' | 'noul'
  readonly group: Group
  readonly question: GradedQuestion
}

const { folder, root, out, files, limit } = benchArguments('quality/certainty.ts')

const { settings, revision, close } = await answering(folder)
const { chosen, files: read } = await openDataset(files, { limit, sample: null, seed: 0 })
const found: Placed[] = []
const failures: Record<string, number> = {}
/** Nouls of these sources whose row does not show whether it could be known. */
const unplaced: Record<string, number> = {}
let done = 0
for await (const row of readRows(files, root)) {
  if (!chosen.has(row.at)) continue
  const decisions = decisionsOnly(row)
  if (Object.keys(decisions.request.questions).length === 0) continue
  const { questions, error } = await runRow(decisions, settings)
  if (error !== undefined) failures[error.code] = (failures[error.code] ?? 0) + 1
  const task = sourceOf(row)
  for (const question of questions) {
    if (question.type === 'choice') for (const group of groupsOf(task, question)) found.push({ task, type: 'choice', group, question })
    if (question.type !== 'noul' || !SHOWN.has(task)) continue
    const canKnow = canBeKnown(row)
    if (canKnow === null) unplaced[task] = (unplaced[task] ?? 0) + 1
    else found.push({ task, type: 'noul', group: canKnow ? 'can know' : 'cannot know', question })
  }
  if (++done % 50 === 0) process.stderr.write(`\r${task} ${done}/${chosen.size}   `)
}
process.stderr.write('\n')
await close()

// Only tasks that have both, so that the sum compares groups and not tasks.
const own = (['choice', 'noul'] as const).flatMap((type) => {
  const byTask = groupBy(
    found.filter((one) => one.type === type),
    ({ task }) => task,
  )
  const both = [...byTask.values()].filter((placed) =>
    (['cannot know', 'can know'] as const).every((g) => placed.some((p) => p.group === g)),
  )
  return both.flatMap((placed) => placed.flatMap((one) => [one, { ...one, task: '(all)' }]))
})
const table = [...groupBy(own, ({ type, task, group }) => `${type}\t${task}\t${group}`)]
  .sort(([a], [b]) => (a < b ? -1 : 1))
  .map(([, group]) => ({ ...placeOf(group[0]!), ...measure(group.map(({ question }) => question)) }))

console.log('| questions | rows | n | right | top probability | entropy over its most | top where wrong |')
console.log('|---|---|---|---|---|---|---|')
for (const { type, task, group, n, right, rightMargin, top, topMargin, entropy, wrongTop } of table) {
  const said = `${three(right)} ± ${three(rightMargin)} | ${three(top)} ± ${three(topMargin)} | ${three(entropy)} | ${three(wrongTop)}`
  console.log(`| ${task} ${type} | ${group} | ${n} | ${said} |`)
}
if (Object.keys(unplaced).length > 0) console.log('\nnouls of rows that do not show it, left out:', JSON.stringify(unplaced))
if (Object.keys(failures).length > 0) console.log('\nrows that failed:', JSON.stringify(failures))
writeFileSync(
  out,
  `${JSON.stringify({ engine: ENGINE_VERSION, revision: revision(), machine, limit, files: read, unplaced, failures, table }, null, 1)}\n`,
)

function sourceOf({ task }: Row): string {
  return task.split(':')[0] as string
}

/** The row with its choices and nouls only; the truths of the others stay, since they say what could be known. */
function decisionsOnly(row: Row): Row {
  const isAsked = (type: unknown): boolean => type === 'choice' || type === 'noul'
  const questions = Object.fromEntries(Object.entries(row.request.questions).filter(([, question]) => isAsked(question?.type)))
  const truth = Object.fromEntries(Object.entries(row.truth).filter(([name]) => Object.hasOwn(questions, name)))
  return { ...row, request: { ...row.request, questions } as Row['request'], truth }
}

/** Whether an option of this source says that there is nothing to choose. */
function isWayOut(task: string, option: string): boolean {
  const name = option.toLowerCase()
  return NONE.has(name) || UNSAID.has(name) || (INFERENCE.has(task) && OPEN.has(name))
}

function groupsOf(task: string, { truth, distribution }: GradedQuestion): Group[] {
  if (isWayOut(task, String(truth))) return ['cannot know']
  const isOffered = distribution?.names.some((name) => isWayOut(task, name)) === true
  return isOffered ? ['can know', 'can know, way out offered'] : ['can know']
}

/** Whether the annotators of a row could know; null where the row does not show it. */
function canBeKnown(row: Row): boolean | null {
  const { truth } = row
  const task = sourceOf(row)
  const choice = (name: string): boolean | null => (truth[name] === undefined ? null : !isWayOut(task, String(truth[name])))
  if (task === 'bbq') return choice('who')
  if (task === 'bfcl') return choice('function')
  if (INFERENCE.has(task)) {
    if (truth.relation !== undefined) return choice('relation')
    if (truth.support !== undefined) return truth.support !== 1
    if (truth.follows === true || truth.contradicts === true) return true
    return truth.follows === false && truth.contradicts === false ? false : null
  }
  // An intent that was only left out of the list can be known: a domain, or a question about the intent, says so.
  if (task === 'clinc150') return choice('domain') ?? (choice('intent') === true || truth.is_intent === true ? true : null)
  return null
}

function placeOf({ type, task, group }: Placed): Pick<Placed, 'type' | 'task' | 'group'> {
  return { type, task, group }
}

/**
 * `top`: mean of the largest probability; `entropy`: mean entropy, 1 for a uniform distribution. Margins: half of a
 * normal 95 % interval.
 */
function measure(questions: readonly GradedQuestion[]) {
  const right = questions.map((question) => question.right)
  const top = questions.map((question) => question.top!)
  const wrong = top.filter((_, i) => right[i]! < 0.5)
  return {
    n: questions.length,
    right: mean(right),
    rightMargin: marginOf(right),
    top: mean(top),
    topMargin: marginOf(top),
    entropy: mean(questions.map(({ entropyBits, distribution }) => entropyBits! / Math.log2(distribution!.probabilities[0]!.length))),
    wrongTop: wrong.length === 0 ? null : mean(wrong),
  }
}

function three(value: number | null): string {
  return value === null ? '' : value.toFixed(3)
}
