// The alphabet in which byte-level vocabularies are spelled: every byte is one printable character.

/** GPT-2's table: each byte as a printable character (openai/gpt-2, encoder.py, bytes_to_unicode). */
export function byteOfCharacter(): Map<string, number> {
  const table = new Map<string, number>()
  let next = 256
  for (let byte = 0; byte < 256; byte++) {
    const printable = (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte <= 0xac) || byte >= 0xae
    table.set(String.fromCharCode(printable ? byte : next++), byte)
  }
  return table
}
