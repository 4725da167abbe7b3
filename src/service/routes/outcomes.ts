// POST /v1/outcomes: what was true of an answer. Events belong to the account that asked; those of other accounts are
// not found.
import { z } from 'zod'
import { ARE_TRUTHS, notKnown, recordOutcome } from '../../calibration/outcomes/record-outcome.ts'
import type { Json } from '../../core/types.ts'
import { isObject } from '../../core/untrusted.ts'
import { ServiceRefusal } from '../errors.ts'
import { fromStore } from '../from-store.ts'
import { OUTCOME } from '../openapi/examples.ts'
import { json, jsonBody, SMALL_ERRORS } from '../openapi/operation.ts'
import { closed, JSON_VALUE, list, map, ref, reply, STRING } from '../openapi/schema.ts'
import { bodyReader } from './body-reader.ts'
import { defineRoute } from './route.ts'

/** The shape only; `recordOutcome` compares what it says with the event. */
const body = z.object({
  event: z.string('The event is the id of a response: a string that begins with evt_.'),
  outcomes: z.custom<Readonly<Record<string, Json>>>(isObject, ARE_TRUTHS),
  selection_probability: z
    .custom<number>((value) => typeof value === 'number', 'The selection probability is a number above 0 and at most 1.')
    .default(1),
})

export const outcomesRoute = defineRoute({
  method: 'POST',
  path: '/v1/outcomes',
  access: 'outcomes',
  body: bodyReader(body, { bytes: 2 ** 18, notAnObject: 'The body is an object with event and outcomes.' }),
  operation: {
    id: 'recordOutcome',
    tag: 'Calibration',
    summary: 'Say what was true of an answer',
    description: 'Outcomes are what calibrations are fitted on. Needs the scope `outcomes`. States are not stored; decisions are.',
    request: jsonBody(ref('OutcomeRequest'), true, { 'What was true': OUTCOME }),
    replies: { 200: { description: 'Recorded.', content: json(ref('OutcomeReply')) } },
    errors: SMALL_ERRORS,
  },
  schemas: {
    OutcomeRequest: closed('What was true of an answer.', ['event', 'outcomes'], {
      event: { type: 'string', minLength: 1, description: 'The id of the response, `evt_…`.' },
      outcomes: map(
        'Truths by question id, of arguments as `question/argument`. A noul: true or false, or the probability that it is true; a choice: the option; a score: the level from 0; a select: the list of options that hold; a read with `self_check`: whether it was right, or the right value.',
        JSON_VALUE,
        { minProperties: 1 },
      ),
      selection_probability: {
        type: 'number',
        exclusiveMinimum: 0,
        maximum: 1,
        description:
          'With which this answer was chosen to be labelled, default 1. Labels of rare choices count more, at most as four: below .25 it counts as .25.',
      },
    }),
    OutcomeReply: reply('What was recorded. Recording again replaces.', {
      event: STRING,
      recorded: list('Decisions that have a label now.', STRING),
      replaced: list('Those of them that had one before.', STRING),
      quarantined: list('Those of them that no fit sees before the operator has looked: they came in a burst.', STRING),
    }),
  },
  open: ({ store, settings, log }) => ({
    async answer({ body: { event, outcomes, selection_probability: selectionProbability }, request }) {
      const { account } = request.principal!
      let isQuarantined = false
      const quarantined = (isNew: boolean): void => {
        isQuarantined = true
        if (isNew) log.warn({ account }, 'labels of an account came in a burst and wait in quarantine: look at them with assay quarantine')
      }
      const kept = store.outcomes(account, { labels: settings.labelsPerHour, quarantined })
      if ((await fromStore(kept.find(event))) === null) {
        throw new ServiceRefusal('not_found', notKnown(event, kept), { param: '/event' })
      }
      const said = await fromStore(recordOutcome(kept, event, outcomes, { selectionProbability }))
      return { ...said, quarantined: isQuarantined ? said.recorded : [] }
    },
  }),
})
