// POST /v1/calibration/rollback: serves the account of the key the calibration before its present one, on all replicas.
import { z } from 'zod'
import { fromStore } from '../from-store.ts'
import { json, jsonBody, SMALL_ERRORS } from '../openapi/operation.ts'
import { closed, ref } from '../openapi/schema.ts'
import { bodyReader } from './body-reader.ts'
import { defineRoute } from './route.ts'

const LONGEST_REASON = 500
const notAReason = `"why" is a text of 1 to ${LONGEST_REASON} characters.`

const body = z.object({ why: z.string(notAReason).min(1, notAReason).max(LONGEST_REASON, notAReason).optional() })

export const calibrationRollbackRoute = defineRoute({
  method: 'POST',
  path: '/v1/calibration/rollback',
  access: 'calibration',
  body: bodyReader(body, {
    bytes: 2 ** 14,
    notAnObject: 'The body is an object with why, or absent.',
    isOptional: true,
    unknownFields: 'in order',
  }),
  operation: {
    id: 'rollBackCalibration',
    tag: 'Calibration',
    summary: 'Answer this account with the calibration before this one',
    description: 'Needs the scope `calibration`.',
    request: jsonBody(ref('RollBackRequest'), false, { 'With a reason': { why: 'Support sees too many escalations.' } }),
    replies: { 200: { description: 'The change.', content: json(ref('CalibrationChange')) } },
    errors: SMALL_ERRORS,
  },
  schemas: {
    RollBackRequest: closed('Why it is taken back.', [], {
      why: {
        type: 'string',
        minLength: 1,
        maxLength: LONGEST_REASON,
        description: 'For the history, which every key of the account sees. Default: that it was asked for over HTTP.',
      },
    }),
  },
  open: ({ calibrations }) => ({
    // Every key of the account can read the history, so the default reason does not name this one.
    answer: ({ body: { why = 'asked for over HTTP' }, request }) => fromStore(calibrations.rollBack(request.principal!.account, why)),
  }),
})
