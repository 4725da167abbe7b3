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
/** So many times as many small words of it as of English, and this share of all words. */
const TIMES_AS_MANY = 3
const LEAST_SHARE = 0.12

/** Fewer letters of another script than these may be a name or a sign. */
const FEWEST_LETTERS = 12
const SCRIPTS = ['Cyrillic', 'Greek', 'Arabic', 'Hebrew', 'Han', 'Hiragana', 'Katakana', 'Hangul', 'Devanagari', 'Thai'] as const
const JAPANESE: ReadonlySet<string> = new Set(['Hiragana', 'Katakana'])

const setOf = (words: string): ReadonlySet<string> => new Set(words.split(' '))
const SMALL_WORD_SETS = Object.entries(SMALL_WORDS).map(([language, words]) => ({ language, words: setOf(words) }))
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
  return otherScript(text) ?? otherWords(text)
}

function otherScript(text: string): string | null {
  const letters = text.match(/\p{L}/gu)?.length ?? 0
  const counts = SCRIPT_PATTERNS.map(({ script, pattern }) => ({ script, count: text.match(pattern)?.length ?? 0 }))
  const others = counts.reduce((sum, { count }) => sum + count, 0)
  if (others < FEWEST_LETTERS || others * 2 < letters) return null
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
  return small.length >= TIMES_AS_MANY * knownAmong(ENGLISH_SET).length ? language : null
}
