// Text that may come from a request, made fit for a terminal or a plain page: nothing in it can move the cursor, change
// colours or turn the direction of reading.

/** The text with control and bidi characters written out, `\x1b`, `\u202e`; line breaks and tabs stay. */
export function visibleText(text: string): string {
  return unseen.test(text) ? text.replace(everyUnseen, writtenOut) : text
}

/** The same on one line: line breaks and tabs are written out too. */
export function visibleLine(text: string): string {
  if (!hasUnseen(text)) return text
  return visibleText(text).replace(/[\n\t]/g, (character) => (character === '\n' ? '\\n' : '\\t'))
}

/** Whether `visibleLine` would change the text. */
export function hasUnseen(text: string): boolean {
  return unseenOrBreak.test(text)
}

// C0 but tab and line feed, DEL, C1, line and paragraph separators, bidi marks, embeddings and isolates, byte order
// mark.
const characters =
  '\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f\\u061c\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u2069\\ufeff'
const unseen = new RegExp(`[${characters}]`)
const unseenOrBreak = new RegExp(`[\\n\\t${characters}]`)
const everyUnseen = new RegExp(`[${characters}]`, 'g')

function writtenOut(character: string): string {
  const code = character.charCodeAt(0)
  return code < 256 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u${code.toString(16).padStart(4, '0')}`
}
