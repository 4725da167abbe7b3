// Checks a screenshot, as the last step of a browser test: what page it is, whether it shows an error, and where the
// button to click lies. Between the limits the test says that it does not know, rather than fail at random.
import { fileURLToPath } from 'node:url'
import { choice, createEngine, extract, noul } from 'assay-engine'

// In a real test: await page.screenshot({ path }).
const path = fileURLToPath(new URL('../shop.png', import.meta.url))
const questions = {
  page: choice('What kind of page is it?', ['login page', 'orders', 'chat', 'settings page']),
  error: noul('There is an error message.'),
  save: extract('Where is the Save button?', { kind: 'coordinates' }),
}

const engine = await createEngine()
const { answers } = await engine.ask({ state: [{ type: 'image', source: { type: 'path', path } }], questions })
await engine.close()

const { page, error, save } = answers
const known = (probability) => (probability > 0.8 ? 'yes' : probability < 0.2 ? 'no' : 'not known, look at the page')
console.log(`the orders are shown: ${known(page.probabilities.orders)}`)
console.log(`an error is shown: ${known(error.noul)}`)
// The box is in pixels of the picture as sent: ready for page.mouse.click(x, y). The real button spans 554 to 649.
const [x, y] = save.center ?? []
console.log(`Save can be clicked: ${x > 554 && x < 649 && y > 431 && y < 476 ? 'yes' : 'no'}`)
