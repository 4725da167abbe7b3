// Serves two services over the fake model for make.py, until its input ends: one that answers, and one whose model
// never does. Their addresses and keys are one line of JSON.
import { createGate } from '../../service/gate.ts'
import { startRunning } from '../../service/running.ts'

const services = [await startRunning(), await startRunning({ fake: createGate().fake, settings: { drainMs: 0 } })]
console.log(JSON.stringify(services.map(({ url, secret }) => ({ url, secret }))))
process.stdin.resume().on('end', () => process.exit(0))
