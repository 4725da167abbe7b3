// Markup that shows text and does nothing else. All content is escaped; only what `markup` made is inserted as it is.

/** A piece of finished HTML or SVG. */
export interface Markup {
  readonly html: string
}

export type Content = Markup | string | number | null | undefined | false | readonly Content[]

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

/** Characters that control a page or a reading direction are shown by their number; tabs and newlines stay. */
export function escaped(text: string): string {
  return text
    .replace(/[&<>"']/g, (character) => ENTITIES[character]!)
    .replace(/[\p{Bidi_Control}\p{Cc}\p{Cs}\u2028\u2029\uFFFE\uFFFF]/gu, (character) =>
      character === '\n' || character === '\t'
        ? character
        : `&lt;U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}&gt;`,
    )
}

/** A template: its literal parts are markup, and what is inserted is escaped unless it is `Markup`. */
export function markup(words: TemplateStringsArray, ...content: readonly Content[]): Markup {
  return { html: words.reduce((html, word, i) => html + htmlOf(content[i - 1]) + word) }
}

function htmlOf(content: Content): string {
  if (content === null || content === undefined || content === false) return ''
  if (typeof content === 'string') return escaped(content)
  if (typeof content === 'number') return String(content)
  if (Array.isArray(content)) return content.map(htmlOf).join('')
  return (content as Markup).html
}
