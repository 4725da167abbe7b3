// POST /v1/calibration/fit: fits a calibration to the outcomes of an account, and serves it to this account if it is
// not worse.
import { z } from 'zod'
import { fromStore } from '../from-store.ts'
import { json, jsonBody, SMALL_ERRORS } from '../openapi/operation.ts'
import { closed, nullable, ref, reply, STRING, said } from '../openapi/schema.ts'
import { modelled, modelOf } from '../request-facts.ts'
import { bodyReader } from './body-reader.ts'
import { defineRoute } from './route.ts'

const LONGEST_MODEL = 128
const notAModel = `"model" is a text of 1 to ${LONGEST_MODEL} characters.`

const body = z.object({ model: z.string(notAModel).min(1, notAModel).max(LONGEST_MODEL, notAModel).optional() })

export const calibrationFitRoute = defineRoute({
  method: 'POST',
  path: '/v1/calibration/fit',
  access: 'calibration',
  body: bodyReader(body, {
    bytes: 2 ** 14,
    notAnObject: 'The body is an object with model, or absent.',
    isOptional: true,
    unknownFields: 'in order',
  }),
  operation: {
    id: 'fitCalibration',
    tag: 'Calibration',
    summary: 'Fit a calibration to the outcomes',
    description:
      'From the outcomes of the account of the key, and for it alone. The new one answers only if its log-loss on held-out labels of this account is not worse, and if questions without labels lose nothing on those that came with the model. Needs the scope `calibration`. One fit at a time.',
    request: jsonBody(ref('FitRequest'), false, { 'The default model': {} }),
    replies: { 200: { description: 'What came of it.', content: json(ref('FitReply')) } },
    errors: SMALL_ERRORS,
  },
  schemas: {
    FitRequest: closed('Which calibration to fit.', [], {
      model: {
        type: 'string',
        minLength: 1,
        maxLength: LONGEST_MODEL,
        description: 'Default: what answers when a request names none.',
      },
    }),
    FitReply: reply('What came of the fit.', {
      model: STRING,
      decision: { enum: ['serve', 'keep'], description: '`serve`: the new one answers from now on. `keep`: nothing changed.' },
      version: { type: ['string', 'null'], description: 'What answers now. Null: probabilities are as the model gives them.' },
      held_out: said(nullable(ref('HeldOut')), 'Null when there were too few outcomes to decide.'),
      reason: { ...STRING, description: 'Why, with the numbers.' },
    }),
  },
  open: ({ calibrations, engine, aliases }) => ({
    answer: async ({ body: { model }, request }) => {
      const asked = modelOf(modelled({ model }, engine, await aliases.table()))
      // A calibration is of a model: where a chain answers what names none, the default model is meant.
      const isChain = model === undefined && engine.models().some(({ id, stages }) => id === asked && stages !== undefined)
      return fromStore(calibrations.fit(request.principal!.account, isChain ? null : asked))
    },
  }),
})
