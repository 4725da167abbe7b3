// Recorded requests against a service that runs: `npx tsx test/conformance/run.ts http://127.0.0.1:8080 service_sk_…
// [name of the System One route]`. Ends with status 1 when a reply is not as expected.
import { checkCase, recordedWires } from './check.ts'

const [baseUrl, key, legacyName] = process.argv.slice(2)
if (baseUrl === undefined || key === undefined) {
  console.error('Give the URL of a service and an API key: npx tsx test/conformance/run.ts http://127.0.0.1:8080 service_sk_…')
  process.exit(2)
}
const target = { baseUrl: baseUrl.replace(/\/+$/, ''), key, ...(legacyName === undefined ? {} : { legacyName }) }
let [passed, failed] = [0, 0]
for (const wire of recordedWires()) {
  for (const one of wire.cases) {
    const misfits = await checkCase(target, wire, one).catch((error: Error) => [`there was no reply: ${error.message}`])
    if (misfits.length === 0) passed++
    else failed++
    console.log(`${misfits.length === 0 ? 'ok  ' : 'FAIL'} ${wire.wire} ${one.name}`)
    for (const misfit of misfits) console.log(`       ${misfit}`)
  }
}
console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1
