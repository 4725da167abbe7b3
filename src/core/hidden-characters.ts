// Finds characters that people do not see, or that turn the order of what they read. In a name they make two names look
// alike, or one look like another.

/** Zero-width and ignorable characters, controls of writing direction, separators of lines, marks of annotations. */
const HIDDEN = /[\p{Default_Ignorable_Code_Point}\p{Bidi_Control}\p{Zl}\p{Zp}\ufff9-\ufffb]/u
/** Emoji are joined and coloured by characters that are hidden elsewhere. */
const EMOJI =
  /(?:[0-9#*]\ufe0f?\u20e3|\p{Extended_Pictographic}\ufe0f?\p{Emoji_Modifier}?(?:\u200d\p{Extended_Pictographic}\ufe0f?\p{Emoji_Modifier}?)*)/gu

/** The first hidden character of a name, as `U+202E`; null when there is none. */
export function hiddenCharacterIn(name: string): string | null {
  const found = HIDDEN.exec(name.replace(EMOJI, ''))
  return found === null ? null : `U+${found[0].codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`
}
