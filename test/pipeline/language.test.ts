// Which states are told to be in another language than the model knows.
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import type { ModelInfo } from '../../src/backends/backend.ts'
import { languageWarnings, otherLanguage } from '../../src/pipeline/state/language.ts'

const OTHER: readonly (readonly [written: string, text: string])[] = [
  ['German', 'Der Kunde will sein Geld zurück, weil die Lieferung nicht angekommen ist und er nicht mehr warten kann.'],
  ['French', 'Je vous écris parce que la livraison est arrivée avec une semaine de retard et que le colis est abîmé.'],
  ['Spanish', 'El paquete llegó roto y quiero que me devuelvan el dinero lo antes posible, por favor.'],
  ['Portuguese', 'O pacote não chegou e eu não consigo falar com o atendimento; quero uma solução para isso.'],
  ['Italian', 'Il pacco non è arrivato e non riesco a parlare con nessuno; vorrei che il rimborso fosse fatto alla svelta.'],
  ['Dutch', 'Het pakket is niet aangekomen en ik wil graag dat het geld wordt teruggestort, want ik heb er lang op gewacht.'],
  ['Polish', 'Paczka nie przyszła i nie wiem, co się z nią stało; proszę o zwrot pieniędzy na moje konto, bo już czekam.'],
  ['Cyrillic letters', 'Посылка не пришла, верните деньги.'],
  ['Japanese', '荷物がまだ届いていません。返金してください。'],
  ['Han letters', '包裹还没有到，请尽快退款，谢谢。'],
]

/** Messages of a few words. */
const SHORT: readonly (readonly [written: string, text: string])[] = [
  ['French', 'Bonjour, je voudrais annuler ma commande.'],
  ['French', 'Où est mon colis ?'],
  ['French', 'Le produit est cassé.'],
  ['German', 'Ich möchte meine Bestellung stornieren.'],
  ['German', 'Wo ist mein Paket?'],
  ['German', 'ich will mein geld zurück'],
  ['German', 'Die Lieferung ist beschädigt angekommen.'],
  ['Spanish', '¿Dónde está mi pedido?'],
  ['Spanish', 'Hola, no ha llegado el paquete.'],
  ['Portuguese', 'Quero cancelar o meu pedido.'],
  ['Italian', 'Vorrei annullare il mio ordine.'],
  ['Dutch', 'Waar is mijn pakket?'],
  ['Swedish', 'Jag vill avboka min beställning.'],
  ['Danish', 'Jeg vil gerne annullere min bestilling.'],
  ['Polish', 'Gdzie jest moja paczka?'],
  ['Turkish', 'Siparişim nerede?'],
  ['Romanian', 'Vreau să anulez comanda.'],
  ['Vietnamese', 'Tôi muốn hủy đơn hàng.'],
  ['Japanese', '私の荷物はどこですか'],
  ['Cyrillic letters', 'Где мой заказ?'],
  ['Han letters', '配送在哪里'],
  ['Hangul letters', '환불해 주세요'],
  ['Arabic letters', 'أين طلبي؟'],
]

const ENGLISH = [
  'The customer wants the money back because the parcel never arrived.',
  'ok',
  '',
  'Meet me at the Café des Amis in La Rochelle, says Monsieur Le Blanc.',
  'ERROR 2026-11-02 db-7 pool exhausted: 40/40 in use, 12 waiting, retry=3',
  'SELECT id, total FROM orders WHERE status = 4 AND en = 1',
  '{"el": 1, "la": 2, "los": 3, "de": 4, "es": 5, "fr": 6, "it": 7, "en": 8, "und": null}',
  'rm -rf /var/lib/docker && systemctl restart docker',
  'He wrote “Привет” on the card and everybody laughed at it for a while.',
  'Where is my parcel?',
  'Cancel order 4711',
  'No refund, no answer. Give me an answer, yes or no, fast.',
  'refund pls',
  'Los Angeles, El Paso del Norte, Las Vegas',
  'Rue des Martyrs sur Seine, Paris',
  'Calle de los Reyes y Santos 12',
  'Müller und Söhne GmbH, Zürich',
  'Maria da Silva e Costa dos Santos',
  'Ludwig van der Berg, Den Haag',
  'Société Générale pour le Commerce',
  'Crème brûlée, café au lait, piña colada',
  'My favourite song is Je ne regrette rien by Edith Piaf.',
  'She said "ich bin müde" and went to bed.',
  'Hasta la vista, baby',
  'Pizza Margherita, tiramisù, vino della casa',
  'John: hola! Mary: hello, how are you?',
  '5 kΩ ± 1 %, μ = 0.3',
  'team Müller: sprint review, retro, demo',
  'Die Hard, Das Boot, La La Land',
  'Thanks, merci, danke!',
  'GET /api/v1/users?lang=de&mode=est 200 12ms',
  'lang: de, fr, es; el, los, und',
]

/** The texts of a state, each by itself. */
function textsIn(state: unknown): string[] {
  if (typeof state === 'string') return [state]
  return typeof state === 'object' && state !== null ? Object.values(state).flatMap(textsIn) : []
}

const INFO = { id: 'm', capabilities: { images: false, boxes: false, isEnglishOnly: true } } as ModelInfo
const promptOf = (text: string) => ({ pieces: [{ type: 'text' as const, text, source: { part: 0, path: '' } }] })

describe('the language of a state', () => {
  it.each(OTHER)('tells %s', (written, text) => {
    expect(otherLanguage(text)).toBe(written)
  })

  it.each(SHORT)('tells %s of a few words: %s', (written, text) => {
    expect(otherLanguage(text)).toBe(written)
  })

  it('says nothing of the English states of examples and of cases', () => {
    const root = fileURLToPath(new URL('../..', import.meta.url))
    const cases = `${root}models/service-1-pro/training/text/first`
    const lines = [
      ...readdirSync(cases).map((name) => `${cases}/${name}`),
      `${root}examples/teach/tickets.jsonl`,
      `${root}test/shipped/examples.jsonl`,
    ]
      .flatMap((path) => readFileSync(path, 'utf8').trim().split('\n'))
      .concat(['ask-json', 'ask-text'].map((name) => readFileSync(`${root}examples/${name}.json`, 'utf8')))
    expect(lines.length).toBeGreaterThan(200)
    const texts = lines.flatMap((line) => textsIn(JSON.parse(line).state))
    expect(texts.filter((text) => otherLanguage(text) !== null)).toEqual([])
  })

  it.each(ENGLISH)('says nothing of %j', (text) => {
    expect(otherLanguage(text)).toBeNull()
  })

  it('warns where the model knows English alone, and says what can be done', () => {
    const [, text] = OTHER[0] as readonly [string, string]
    expect(languageWarnings(INFO, promptOf(text))).toEqual([expect.stringMatching(/German.* m knows English alone.*translate/)])
    const other = { ...INFO, capabilities: { images: false, boxes: false } }
    expect(languageWarnings(other, promptOf(text))).toEqual([])
  })

  it('looks at the beginning of a long state alone', () => {
    const [, text] = OTHER[0] as readonly [string, string]
    expect(languageWarnings(INFO, promptOf(`${'The parcel has not arrived. '.repeat(1000)}${text}`))).toEqual([])
  })
})
