// A replica that is killed by its parent: settles without end, and says each answer only when it is settled, as a
// service would.
import { openStore } from '../../../src/service/store/open.ts'
import { event } from '../../calibration/outcome-events.ts'
import { begun, settlement } from './settlements.ts'

const [url, name] = process.argv.slice(2) as [string, string]
const store = await openStore(url)
const lane = async (number: number): Promise<void> => {
  for (let i = 0; ; i++) {
    const id = `evt_${name}_${number}_${i}`
    const token = await begun(store, { idempotencyKey: id })
    const settled = await store.settle(settlement({ id, cost: 3n }, { token, event: event(id, i) }))
    if (settled.state === 'settled') process.stdout.write(`${id}\n`)
  }
}
await Promise.all([lane(0), lane(1), lane(2)])
