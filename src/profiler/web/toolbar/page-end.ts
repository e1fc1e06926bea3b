// Finds the end of an HTML page: the `</body>` after which nothing but closing tags, comments and white space comes. A
// `</body>` in a script or in the middle of a page is none.

/** Characters of an ending at most; one that is longer is not looked for. */
export const maxEndingLength = 8192

/** Characters in which a policy of the page itself is looked for; browsers heed it in the head only. */
export const maxHeadLength = 65_536

/**
 * Index from which the text is, or may still become, the end of a page; the length of the text where nothing of the kind
 * stands there. Looks at the last `maxEndingLength` characters only.
 */
export function endingFrom(text: string): number {
  const windowStart = Math.max(0, text.length - maxEndingLength)
  openingTag.lastIndex = windowStart
  for (let found = openingTag.exec(text); found !== null; found = openingTag.exec(text)) {
    if (isEnding(text, found.index)) return found.index
  }
  return text.length - unfinishedLength(text)
}

/** Index where something is to be put so that it stands last in the body. */
export function pageEnd(text: string): number {
  const index = endingFrom(text)
  return isBodyEnd(text.slice(index, index + tag.length)) ? index : text.length
}

/** Whether an ending has its `</body`, or is only the beginning of one. */
export function isBodyEnd(ending: string): boolean {
  return ending.slice(0, tag.length).toLowerCase() === tag
}

/** Whether the page brings a policy of its own, which no header of ours could change. */
export function declaresPolicy(head: string): boolean {
  return /<meta\b[^>]{0,4096}\bhttp-equiv[\t\n\f\r ]*=[\t\n\f\r ]*["']?[\t\n\f\r ]*content-security-policy/i.test(
    head.slice(0, maxHeadLength),
  )
}

const tag = '</body'
const openingTag = /<\/body/gi
const piece = /(?:[\t\n\f\r ]+|<\/(?:body|html)[\t\n\f\r /]*>|<!--[^]*?-->)/iy
/** What more text could turn into a piece. */
const openTag = /^<\/(?:body|html)[\t\n\f\r /]*$/i
const pieceStarts = ['</body', '</html', '<!--'] as const

function isEnding(text: string, from: number): boolean {
  piece.lastIndex = from
  let end = from
  while (piece.test(text)) end = piece.lastIndex
  return end === text.length || isOpen(text.slice(end))
}

function isOpen(rest: string): boolean {
  if (rest.startsWith('<!--') || openTag.test(rest)) return true
  const lower = rest.toLowerCase()
  return pieceStarts.some((start) => start.startsWith(lower))
}

/** How much of `</body` stands at the very end of the text. */
function unfinishedLength(text: string): number {
  for (let length = Math.min(tag.length - 1, text.length); length > 0; length--) {
    if (tag.startsWith(text.slice(-length).toLowerCase())) return length
  }
  return 0
}
