// Makes text of unknown origin safe to print: what a terminal would obey, or what would turn the reading order, is spelt out.

// C0 and C1 controls, DEL, line and paragraph separators, marks and overrides of the writing direction, lone surrogates.
const unsafe = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]/gu

/** The text with every such character as `\u{1b}`. The result is one line. */
export function visibleText(text: string): string {
  return text.replace(unsafe, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`)
}

const wide =
  /^[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]/u
const zeroWidth = /^[\p{Mn}\p{Me}\p{Cf}]+$/u
const segments = new Intl.Segmenter('en', { granularity: 'grapheme' })

/** Columns that a text takes on a terminal: two for wide letters and emoji, none for marks that stand on another letter. */
export function textWidth(text: string): number {
  // Printable ASCII is what nearly every cell holds.
  if (/^[ -~]*$/.test(text)) return text.length
  let width = 0
  for (const { segment } of segments.segment(text)) width += segmentWidth(segment)
  return width
}

/** The text cut to so many columns, with `…` as the last one where something was cut. */
export function cutText(text: string, columns: number): string {
  if (textWidth(text) <= columns) return text
  let cut = ''
  let width = 0
  for (const { segment } of segments.segment(text)) {
    width += segmentWidth(segment)
    if (width > columns - 1) break
    cut += segment
  }
  return `${cut}…`
}

function segmentWidth(segment: string): number {
  if (zeroWidth.test(segment)) return 0
  return wide.test(segment) || /\p{Emoji_Presentation}/u.test(segment) ? 2 : 1
}
