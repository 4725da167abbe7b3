// Tells that a state is written in another language than a model knows: by its script, and by the small words that no
// sentence does without. Both are rare in logs, codes and names, on which detectors by groups of letters err.
import type { ModelInfo } from '../../backends/backend.ts'
import type { Prompt } from '../../core/types.ts'

/** Characters that are looked at: two pages tell as much as a book, and every request pays for them. */
const LOOKED_AT = 4_000

/** Small words of a language that English does not have, nor (mostly) the others. */
const SMALL_WORDS: Readonly<Record<string, string>> = {
  German:
    'der das und ist nicht ein eine einen ich mit für auf dem wir sie es zu von wurde haben auch bei noch aber nach wenn mein mir ihr sich als sind einer wurden durch',
  French: 'le les des et est une je vous nous pas pour dans qui sur avec au aux ce cette mais ont sont mon ma votre été elle il du',
  Spanish: 'el los las y es una que por con para del se lo al como pero mi su muy está han fue más sin nos yo este esta',
  Portuguese: 'os um uma não que para por da em ao dos das mas meu minha foi está são você isso pelo muito seu',
  Italian: 'il gli di che è un una non con del della sono mi ma ho ha nel alla anche questo questa stato molto più sul',
  Dutch: 'het een en van ik niet voor dat zijn aan er maar ook naar wij we mijn deze wordt nog bij uit hebben geen',
  Swedish: 'och att det är en som på jag inte för av ett med har vi kan om från mitt min blev detta efter eller också',
  Danish: 'og det er en som på jeg ikke af et med har vi kan om fra mit min blev dette efter eller også',
  Polish: 'nie w na się jest z że jak ale po za od są przez dla ich czy już był mi mój oraz tak',
  Turkish: 've bir bu için ile çok ama da ne yok daha gibi olarak değil ben biz sonra kadar',
  Romanian: 'și în este care pentru cu nu sunt din sau fost mai pe să că lui acest această după prin mea meu',
  Vietnamese: 'và của là được trong không có một cho những các với người để này đã khi từ đến tôi vào bị',
}

const ENGLISH =
  'the and of to is a in that it for you was with on be are this have not my we at from i an or will has your by as he she they but if'

/** Fewer small words than these, or fewer different ones, may be names, quotes or chance. */
const FEWEST_SMALL_WORDS = 4
const FEWEST_DIFFERENT = 3
/**
 * A text is in another language that has so many times as many small words in it as English has, and this share of all
 * words.
 */
const TIMES_AS_MANY = 3
const LEAST_SHARE = 0.12

/**
 * What short messages have besides: words of people who want, have, ask and thank, which stand in no name and are not
 * English.
 */
const MESSAGE_WORDS: Readonly<Record<string, string>> = {
  German:
    'möchte möchten meine meinen meiner meinem bitte danke wo wie wann warum kann können könnte habe hatte bin seit keine keinen kein ihre ihren gerne würde will hat dass immer schon sehr geld zurück bestellung paket rechnung lieferung mich dich dir zweimal bezahlt bezahlen funktioniert stimmt kaputt falsch stornieren kündigen',
  French:
    'voudrais veux voudrait souhaite bonjour merci mes où quand pourquoi suis avez êtes plaît commande colis livraison remboursement reçu toujours très aussi faire peux pouvez comme quel quelle moi ne jamais rien deux fois marche annuler rembourser',
  Spanish:
    'hola gracias quiero quisiera pedido dónde cuándo cómo necesito tengo puedo pueden dinero devolver ayuda envío cuenta llegó llegado hace todavía aún ningún porque mis hay estoy mucho cancelar ha han funciona veces',
  Portuguese:
    'olá obrigado obrigada quero gostaria meus minhas pedido onde quando preciso tenho posso dinheiro ainda chegou chegaram encomenda reembolso vocês estou cancelar já nada fazer veio funciona vezes',
  Italian:
    'buongiorno grazie vorrei voglio mio mia miei ordine dove quando perché posso potete pacco soldi ancora arrivato rimborso annullare mai sempre molto stata fare quanto come funziona volte',
  Dutch:
    'graag bestelling wil waar bedankt pakket terug kan kunt jullie heb heeft wanneer annuleren ontvangen geld alstublieft altijd hoe waarom',
  Swedish: 'hej vill beställning när paket avboka tack pengar tillbaka skulle vilja hur varför beställt kommit',
  Danish: 'hej vil bestilling hvor hvornår pakke tak gerne annullere penge tilbage hvordan hvorfor kommet',
  Polish:
    'dzień chcę chciałbym chciałabym zamówienie gdzie kiedy moja moje moją paczka proszę dziękuję zwrot mam jestem anulować dlaczego jeszcze',
  Turkish: 'merhaba siparişim siparişimi nerede iptal etmek istiyorum lütfen teşekkürler benim kargom iade zaman neden hâlâ geldi gelmedi',
  Romanian: 'bună vreau aș dori comanda comandă unde când coletul anulez mulțumesc vă rog banii înapoi încă ajuns',
  Vietnamese: 'muốn đơn hàng đâu chào cảm ơn hủy tiền chưa nhận bao giờ',
}

/** Small words that stand in names, too: of people, streets, companies, languages. */
const IN_NAMES = new Set(
  'es pour der das und auf von zu für mit le les des du et aux au sur dans el los las y del con por para lo al e os um da em ao dos das do il gli di che della nel alla het een en van of op aan uit bij og i av på med fra från na w z ve bir'.split(
    ' ',
  ),
)

/** English words of short messages. Of the small words, those that other languages have as well say nothing. */
const ENGLISH_ALONE = new Set(
  'the and of to that it you with are this not my from has your he she they but if please could would should does did what when where how who which there care been were about than then their his him our them just very also says said new order'.split(
    ' ',
  ),
)

/** Up to so many words are a short message. */
const MOST_OF_SHORT = 30
/**
 * A short message is in a language of which it has so many different words, and this share of all its words, and no
 * English word.
 */
const FEWEST_IN_SHORT = 2
const LEAST_SHARE_OF_SHORT = 0.25
/** Brackets, quotes, signs and digits beyond this share of the characters: code or a record, where words are names. */
const MOST_SIGNS = 0.1

/** Fewer letters of another script than these may be a name or a sign; fewer do where nearly all are of it. */
const FEWEST_LETTERS = 12
const FEWEST_OF_NEARLY_ALL = 4
const NEARLY_ALL = 0.75
const SCRIPTS = ['Cyrillic', 'Greek', 'Arabic', 'Hebrew', 'Han', 'Hiragana', 'Katakana', 'Hangul', 'Devanagari', 'Thai'] as const
const JAPANESE: ReadonlySet<string> = new Set(['Hiragana', 'Katakana'])

const setOf = (words: string): ReadonlySet<string> => new Set(words.split(' '))
const SMALL_WORD_SETS = Object.entries(SMALL_WORDS).map(([language, words]) => ({ language, words: setOf(words) }))
const SHORT_WORD_SETS = Object.entries(SMALL_WORDS).map(([language, words]) => ({
  language,
  words: setOf(`${words} ${MESSAGE_WORDS[language]}`),
}))
const ENGLISH_SET = setOf(ENGLISH)
const SCRIPT_PATTERNS = SCRIPTS.map((script) => ({ script, pattern: new RegExp(`\\p{Script=${script}}`, 'gu') }))

/** A warning about a state in another language than the model was trained on; none where that is not known. */
export function languageWarnings({ id, capabilities }: ModelInfo, { pieces }: Prompt): string[] {
  if (capabilities.isEnglishOnly !== true) return []
  let text = ''
  for (const piece of pieces) {
    if (text.length >= LOOKED_AT) break
    if (piece.type === 'text' && piece.source !== null) text += ` ${piece.text}`
  }
  const written = otherLanguage(text.slice(0, LOOKED_AT))
  if (written === null) return []
  return [
    `The state seems to be written in ${written}, and ${id} knows English alone: its answers mean little; translate the state, or ask another model.`,
  ]
}

/** What a text is written in, where it is clearly not English: a language, or a script. */
export function otherLanguage(text: string): string | null {
  return otherScript(text) ?? otherWords(text) ?? otherMessage(text)
}

function otherScript(text: string): string | null {
  const letters = text.match(/\p{L}/gu)?.length ?? 0
  const counts = SCRIPT_PATTERNS.map(({ script, pattern }) => ({ script, count: text.match(pattern)?.length ?? 0 }))
  const others = counts.reduce((sum, { count }) => sum + count, 0)
  const isNearlyAll = others >= FEWEST_OF_NEARLY_ALL && others >= NEARLY_ALL * letters
  if (!isNearlyAll && (others < FEWEST_LETTERS || others * 2 < letters)) return null
  const [first] = counts.sort((a, b) => b.count - a.count)
  const isJapanese = counts.some(({ script, count }) => JAPANESE.has(script) && count > 0)
  return isJapanese ? 'Japanese' : `${first?.script} letters`
}

function otherWords(text: string): string | null {
  const words = text.toLowerCase().match(/\p{L}+/gu) ?? []
  const knownAmong = (known: ReadonlySet<string>): string[] => words.filter((word) => known.has(word))
  const found = SMALL_WORD_SETS.map(({ language, words: known }) => ({ language, small: knownAmong(known) }))
  const { language, small } = found.reduce((most, one) => (one.small.length > most.small.length ? one : most))
  if (small.length < Math.max(FEWEST_SMALL_WORDS, LEAST_SHARE * words.length) || new Set(small).size < FEWEST_DIFFERENT) return null
  if (small.every((word) => IN_NAMES.has(word))) return null
  return small.length >= TIMES_AS_MANY * knownAmong(ENGLISH_SET).length ? language : null
}

/** A small word of another alphabet of Latin letters: `beschädigt`, but `café` as well. */
const MARKED = /^(?=.*[^a-z])\p{Ll}+$/u

/**
 * The language of a short message, which has few small words. One of these must stand in no name and begin with no
 * capital; the first word and words with marks count beside it.
 */
function otherMessage(text: string): string | null {
  const words = text.match(/\p{L}+/gu) ?? []
  if (words.length < FEWEST_IN_SHORT || words.length > MOST_OF_SHORT) return null
  const signs = text.match(/[^\p{L}\p{M}\s.,!?¡¿'’-]/gu)?.length ?? 0
  if (signs > MOST_SIGNS * text.length || words.some((word) => ENGLISH_ALONE.has(word.toLowerCase()))) return null
  const [first = '', ...rest] = words
  const found = SHORT_WORD_SETS.map(({ language, words: known }) => {
    const own = [first.toLowerCase(), ...rest].filter((word) => known.has(word))
    return { language, own, isTold: words.some((word) => known.has(word) && !IN_NAMES.has(word)) }
  })
  const { language, own, isTold } = found.reduce((most, one) => (one.own.length > most.own.length ? one : most))
  if (!isTold) return null
  const different = new Set([...own, ...words.filter((word) => MARKED.test(word))])
  return different.size >= Math.max(FEWEST_IN_SHORT, LEAST_SHARE_OF_SHORT * words.length) ? language : null
}
