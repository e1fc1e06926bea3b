// Makes control and direction characters visible in log lines, so that a line is one line and shows what it holds.

/** The only one of them that takes one byte in UTF-8. */
const del = '\u007f'
// U+007F–9F, U+2028/9 and the bidirectional controls. U+0000–1F are escaped where a line is made.
const invisible = /[\u007f-\u009f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]/g

/** Escapes what JSON leaves as it is: the line stays valid JSON and reads back as the same data. */
export function escapeInvisible(line: string): string {
  // Counting bytes and looking for one character take a fraction of a look at each by an expression.
  if (Buffer.byteLength(line) === line.length && !line.includes(del)) return line
  return line.replace(invisible, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
