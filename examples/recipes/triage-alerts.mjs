// Triages alerts: who it is for, how severe it is, and whether to wake somebody, as one expression over both answers.
// An alert that fits no team wakes whoever is on duty, since a false alarm is cheaper than a missed one.
import { choice, createEngine, extract, score } from 'assay-engine'

const questions = {
  about: choice('What is the alert about?', ['disk', 'certificate', 'memory', 'slow requests']),
  severity: score('How severe is the alert?', ['info', 'warning', 'critical']),
  host: extract('The host'),
}
const derive = { wake: 'severity >= 1.5' }
const TEAMS = { disk: 'storage', certificate: 'security', memory: 'platform', 'slow requests': 'shop' }
const alerts = [
  { host: 'db-2', alert: 'disk almost full', severity: 'critical', status: 'firing' },
  { host: 'www-1', alert: 'certificate expires in 20 days', severity: 'warning', status: 'firing' },
  { host: 'shop-3', alert: 'requests take 2 seconds', severity: 'critical', status: 'firing' },
  { host: 'db-2', alert: 'disk almost full', severity: 'critical', status: 'resolved' },
]

const engine = await createEngine()
// What a field says needs no model: resolved alerts are not asked about.
for (const state of alerts.filter(({ status }) => status === 'firing')) {
  const { answers } = await engine.ask({ state, questions, derive })
  const team = answers.about.confidence > 0.6 ? TEAMS[answers.about.choice] : 'whoever is on duty'
  console.log(`${answers.wake.value ? 'wake' : 'mail'} ${team}: ${state.alert} on ${answers.host.value}`)
}
await engine.close()
