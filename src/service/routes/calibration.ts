// GET /v1/calibration: which calibration an account is answered with, how it came to be served, and whether it still
// fits.
import { fromStore } from '../from-store.ts'
import { calibrationSchemas } from '../openapi/calibration.ts'
import { json } from '../openapi/operation.ts'
import { ref } from '../openapi/schema.ts'
import { defineRoute } from './route.ts'

export const calibrationRoute = defineRoute({
  method: 'GET',
  path: '/v1/calibration',
  access: 'every key',
  body: null,
  operation: {
    id: 'showCalibration',
    tag: 'Calibration',
    summary: 'What answers this account now, since when, and whether it still fits',
    replies: { 200: { description: 'Calibrations, their history, and drift.', content: json(ref('CalibrationReply')) } },
    errors: [401, 429, 500, 503],
  },
  schemas: calibrationSchemas,
  open: ({ calibrations }) => ({
    answer: ({ request }) => fromStore(calibrations.status(request.principal!.account)),
  }),
})
