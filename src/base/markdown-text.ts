// Makes any text safe for terminals, plain text and Markdown: it cannot move the cursor or close a fence.

/** A code span on one line; its fence is longer than any run of backticks in the text (CommonMark, section 6.1). */
export function codeSpan(text: string): string {
  const line = visibleLine(text)
  if (line.trim() === '') return '` `'
  const ticks = '`'.repeat(longestRun(line) + 1)
  const padding = line.startsWith('`') || line.endsWith('`') ? ' ' : ''
  return `${ticks}${padding}${line}${padding}${ticks}`
}

/** A fenced block that the text cannot end (CommonMark, section 4.5). `info` is a constant: `ts`, `text`. */
export function codeBlock(text: string, info: string): string {
  const fence = '`'.repeat(Math.max(3, longestRun(text) + 1))
  return `${fence}${info}\n${visibleText(text)}\n${fence}`
}

function longestRun(text: string): number {
  let longest = 0
  for (let start = text.indexOf('`'); start >= 0;) {
    let end = start + 1
    while (text[end] === '`') end += 1
    longest = Math.max(longest, end - start)
    start = text.indexOf('`', end)
  }
  return longest
}

/** Markdown without its marks outside of fences. Also runs in browsers, as its text: it uses nothing beside it. */
export function plainText(markdown: string): string {
  const parts = markdown.split(/^(`{3,})\w*\n([\s\S]*?)\n\1$/m)
  const plain = (text: string): string => text.replace(/^#+ /gm, '').replace(/(`+) ?(.+?) ?\1/g, '$2')
  return parts.map((part, index) => (index % 3 === 1 ? '' : index % 3 === 2 ? part : plain(part))).join('')
}

/** Escapes control, bidi and invisible characters, `\x1b`, `\u202e`, `\u200b`; line breaks and tabs stay. */
export function visibleText(text: string): string {
  return text.replace(everyUnseen, writtenOut)
}

/** The same on one line: line breaks and tabs are escaped too. */
export function visibleLine(text: string): string {
  return visibleText(text).replace(/[\n\t]/g, (character) => (character === '\n' ? '\\n' : '\\t'))
}

/** Whether `visibleLine` would change the text. */
export function hasUnseen(text: string): boolean {
  return unseenOrBreak.test(text)
}

// C0 without tab and line feed, DEL, C1; what has no width or is another way to write a space; line and paragraph separators; bidi
// controls; tags, in which a text can hide another one; byte order mark. Joiners and emoji variations belong to many scripts: only a
// row of them hides something.
const characters =
  '\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180e\\u200b\\u200e\\u200f' +
  '\\u2028-\\u202e\\u2060-\\u206f\\u3164\\ufe00-\\ufe0d\\ufeff\\uffa0\\ufff9-\\ufffb\\u{1d173}-\\u{1d17a}\\u{e0000}-\\u{e0fff}\\p{Cs}'
const joiners = '[\\u200c\\u200d\\ufe0e\\ufe0f]{3,}'
const unseenOrBreak = new RegExp(`[\\n\\t${characters}]|${joiners}`, 'u')
const everyUnseen = new RegExp(`[${characters}]|${joiners}`, 'gu')

function writtenOut(found: string): string {
  return Array.from(found, (character) => {
    const code = character.codePointAt(0) ?? 0
    if (code < 256) return `\\x${code.toString(16).padStart(2, '0')}`
    return code > 0xffff ? `\\u{${code.toString(16)}}` : `\\u${code.toString(16).padStart(4, '0')}`
  }).join('')
}

/** In single quotes, where a POSIX shell takes everything but the quote itself for text. */
export function quotePosix(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
