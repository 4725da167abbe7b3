// Which states are told to be in another language than the model knows.
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
]

const INFO = { id: 'm', capabilities: { images: false, boxes: false, isEnglishOnly: true } } as ModelInfo
const promptOf = (text: string) => ({ pieces: [{ type: 'text' as const, text, source: { part: 0, path: '' } }] })

describe('the language of a state', () => {
  it.each(OTHER)('tells %s', (written, text) => {
    expect(otherLanguage(text)).toBe(written)
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
