// The labelled packs to fixed questions with labelled states, as a caller with one own question has them: one wording,
// one set of options, and every row whose truth is known for them. Labels to learn from are calibration rows, which the
// model was not trained on; those to test on are dev rows.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import type { Json } from '../../src/core/types.ts'
import type { LabelledRow } from './labelled.ts'

export interface LabelledState {
  readonly state: Json
  readonly truth: Json
}

export interface FixedQuestion {
  readonly id: string
  readonly question: { readonly type: 'choice' | 'noul' | 'score' | 'select'; readonly [field: string]: Json }
  readonly learn: readonly LabelledState[]
  readonly test: readonly LabelledState[]
}

type Row = LabelledRow & { readonly questions: Record<string, { readonly criteria?: Json; readonly instructions: string }> }
type TruthOf = (row: Row) => Json | undefined

function readRows(file: string): Row[] {
  const lines = gunzipSync(readFileSync(file)).toString('utf8').split('\n').filter(Boolean)
  return lines.map((line) => JSON.parse(line) as Row)
}

/** The truth of question `id` where it is one of `names`. */
function among(id: string, names: readonly string[]): TruthOf {
  return ({ truth }) => (names.includes(truth[id] as string) ? truth[id] : undefined)
}

const criteria = (names: readonly string[]): Json => Object.fromEntries(names.map((name) => [name, null]))
const optionsOf = (row: Row, id: string): string[] => Object.keys(row.questions[id]?.criteria ?? {})

/** The longest list of options that question `id` has; other lists are parts of it, or add "none of these". */
function fullList(rows: readonly Row[], id: string, length: number): string[] {
  const row = rows.find((one) => optionsOf(one, id).length === length)
  if (row === undefined) throw new Error(`no row asks ${id} with ${length} options; is this the pack the bench was written for?`)
  return optionsOf(row, id).sort()
}

/** `root` is the folder with `dev/` and `train/`. */
export function fixedQuestions(root: string): FixedQuestion[] {
  const halves = (task: string) => ({
    calibration: readRows(join(root, 'dev', task, 'calibration.jsonl.gz')),
    dev: readRows(join(root, 'dev', task, 'dev.jsonl.gz')),
  })
  const asked = (id: string, task: string, question: FixedQuestion['question'], truthOf: TruthOf): FixedQuestion => {
    const { calibration, dev } = halves(task)
    const labelled = (rows: readonly Row[]): LabelledState[] =>
      rows.flatMap((row) => {
        const truth = truthOf(row)
        return truth === undefined ? [] : [{ state: row.state, truth }]
      })
    return { id, question, learn: labelled(calibration), test: labelled(dev) }
  }

  // clinc150: every intent belongs to one of ten topics; rows name the intent, the topic, or both.
  const train = readRows(join(root, 'train', 'text', 'clinc150.jsonl.gz'))
  const topics = fullList(train, 'domain', 10)
  const topicOf = new Map<string, string>()
  const mixed = new Set<string>()
  for (const { truth } of train) {
    const { intent, domain } = truth as Record<string, string | undefined>
    if (intent === undefined || domain === undefined || !topics.includes(domain)) continue
    // "None of these" stands for left-out intents of every topic.
    if ((topicOf.get(intent) ?? domain) !== domain) mixed.add(intent)
    topicOf.set(intent, domain)
  }
  for (const name of mixed) topicOf.delete(name)
  const intentOf: TruthOf = ({ truth, questions }) => {
    const named = truth.is_intent === true ? /"([^"]*)"/.exec(questions.is_intent?.instructions ?? '')?.[1] : undefined
    const intent = topicOf.has(truth.intent as string) ? (truth.intent as string) : named
    return intent !== undefined && topicOf.has(intent) ? intent : undefined
  }
  const topicTruth: TruthOf = (row) => {
    const intent = intentOf(row)
    return topics.includes(row.truth.domain as string) ? row.truth.domain : intent === undefined ? undefined : topicOf.get(intent as string)
  }
  const ofTopic =
    (named: (topic: string) => string | undefined): TruthOf =>
    (row) => {
      const topic = topicTruth(row)
      return topic === undefined ? undefined : named(topic as string)
    }
  const queueOf = (topic: string): string => `queue ${'ABCDEFGHIJ'[topics.indexOf(topic)]}`

  // The same requests by five teams: topics as someone else might draw them, and the model never saw them.
  const TEAMS: Readonly<Record<string, readonly string[]>> = {
    money: ['banking', 'credit cards'],
    'on the road': ['auto and commute', 'travel'],
    household: ['home', 'kitchen and dining'],
    office: ['work'],
    'the assistant itself': ['meta', 'small talk', 'utility'],
  }
  const teamOf = (topic: string): string | undefined => Object.keys(TEAMS).find((team) => TEAMS[team]?.includes(topic))

  const commands = fullList(halves('snips').calibration, 'intent', 7)
  const dialogues = halves('dialogue-state').calibration
  const acts = fullList(dialogues, 'act', 11)
  const emotions = fullList(halves('goemotions').calibration, 'main', 28)
  const details = fullList(halves('restaurant8k').calibration, 'given', 5)

  return [
    asked(
      'topic',
      'clinc150',
      { type: 'choice', instructions: 'What is the topic area of the message?', criteria: criteria(topics) },
      topicTruth,
    ),
    asked(
      'intent',
      'clinc150',
      { type: 'choice', instructions: 'What does the user want?', criteria: criteria([...topicOf.keys()].sort()) },
      intentOf,
    ),
    asked(
      'team',
      'clinc150',
      { type: 'choice', instructions: 'Which team takes care of this?', criteria: criteria(Object.keys(TEAMS)) },
      ofTopic(teamOf),
    ),
    // Names that say nothing: all there is to know of them is in the labels.
    asked(
      'queue',
      'clinc150',
      { type: 'choice', instructions: 'Which queue should handle the message?', criteria: criteria(topics.map(queueOf)) },
      ofTopic(queueOf),
    ),
    asked(
      'command',
      'snips',
      { type: 'choice', instructions: 'Which command is this?', criteria: criteria(commands) },
      among('intent', commands),
    ),
    asked(
      'act',
      'dialogue-state',
      { type: 'choice', instructions: 'Which kind of reply is the last message?', criteria: criteria(acts) },
      ({ truth }) => {
        const only = Array.isArray(truth.acts) && truth.acts.length === 1 ? truth.acts[0] : undefined
        const act = truth.act ?? only
        return acts.includes(act as string) ? act : undefined
      },
    ),
    asked(
      'emotion',
      'goemotions',
      { type: 'choice', instructions: 'Choose the emotion of this comment.', criteria: criteria(emotions) },
      ({ truth }) => {
        const only = Array.isArray(truth.emotions) && truth.emotions.length === 1 ? truth.emotions[0] : undefined
        const emotion = truth.main ?? only
        return emotions.includes(emotion as string) ? emotion : undefined
      },
    ),
    asked(
      'tone',
      'goemotions',
      { type: 'score', instructions: 'Tone of the comment', criteria: ['negative', 'neutral', 'positive'] },
      ({ truth }) => truth.tone,
    ),
    asked(
      'similarity',
      'sts-b',
      {
        type: 'score',
        instructions: 'How close in meaning are the two sentences?',
        criteria: ['unrelated', 'same topic only', 'some details shared', 'roughly the same', 'nearly the same', 'the same meaning'],
      },
      ({ truth }) => truth.similarity,
    ),
    asked(
      'relevance',
      'function-relevance',
      { type: 'noul', instructions: 'The agent has a fitting function.' },
      ({ truth }) => truth.relevant,
    ),
    asked(
      'details',
      'restaurant8k',
      { type: 'select', instructions: 'Which booking details does the message give?', criteria: criteria(details) },
      ({ truth }) => truth.given,
    ),
  ]
}
