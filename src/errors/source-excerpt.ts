// Cuts the lines around a place out of a source file, coloured. A line is coloured once, an excerpt that was made once is kept
// with its file.

import type { SourceExcerpt, SourceToken } from './flattened-error.ts'
import { highlight } from './highlight.ts'
import type { SourceFile } from './source-files.ts'

export { highlight } from './highlight.ts'

/** Lines shown before and after the line of the frame that says most. */
export const excerptRadius = 7

/** The same for every other frame. */
export const shortRadius = 4

/** What an excerpt is made with. */
export interface ExcerptOptions {
  /** Lines before and after. Default `excerptRadius`. An excerpt that was made before may be longer. */
  readonly radius?: number
  /** Takes secrets out of strings and comments. Default: nothing is masked. */
  readonly maskText?: MaskText | undefined
}

/** The lines around a line (from 1), highlighted; `null` where the file has no such line. */
export function sourceExcerpt(file: SourceFile, line: number, options: ExcerptOptions = {}): SourceExcerpt | null {
  if (!(line >= 1 && line <= file.lines.length)) return null
  const { radius = excerptRadius, maskText } = options
  const known = file.excerpts.get(line)
  if (known !== undefined && known.radius >= radius) return known.excerpt
  const first = Math.max(1, line - radius)
  const last = Math.min(file.lines.length, line + radius)
  const lines = linesOf(file, { first, last }, maskText)
  const { changedSince } = file
  const excerpt: SourceExcerpt = { startLine: first, lines, ...(changedSince === null ? {} : { changedSince }) }
  if (file.excerpts.size < maxExcerptsPerFile) file.excerpts.set(line, { excerpt, radius })
  return excerpt
}

/** Takes secrets out of a text. */
export type MaskText = (text: string) => string

const maxExcerptsPerFile = 200
const maxCommentLines = 60

type LineTokens = readonly SourceToken[]

/** What was coloured of a file, by line. */
const colouredLines = new WeakMap<SourceFile, (LineTokens | undefined)[]>()

/** Lines of a file, from one to another and both included. */
export interface LineRange {
  readonly first: number
  readonly last: number
}

/** Colours what will be asked for at once: lines that several excerpts have, and what stands between near ones, are one run. */
export function colourLines(file: SourceFile, ranges: readonly LineRange[], maskText: MaskText | undefined): void {
  let open: LineRange | undefined
  for (const range of ranges.toSorted((one, other) => one.first - other.first)) {
    if (open !== undefined && range.first <= open.last + maxGap) {
      open = { first: open.first, last: Math.max(open.last, range.last) }
      continue
    }
    if (open !== undefined) linesOf(file, open, maskText)
    open = range
  }
  if (open !== undefined) linesOf(file, open, maskText)
}

/** Lines between two excerpts that are coloured along, because a run of its own costs more. */
const maxGap = 3

/** The lines of a range that the file has, coloured; from the first to the last of those not known yet in one run. */
function linesOf(file: SourceFile, range: LineRange, maskText: MaskText | undefined): readonly LineTokens[] {
  let known = colouredLines.get(file)
  if (known === undefined) colouredLines.set(file, (known = []))
  const first = Math.max(1, range.first)
  const last = Math.min(file.lines.length, range.last)
  let start = first
  while (start <= last && known[start] !== undefined) start += 1
  let end = last
  while (end > start && known[end] !== undefined) end -= 1
  if (start <= end) {
    if (start > first && mayReachOn(known[start - 1])) start = first
    const coloured = maskLines(highlightLines(file, start, end), maskText)
    for (let index = 0; index < coloured.length; index += 1) known[start + index] = coloured[index]
  }
  const lines: LineTokens[] = []
  for (let line = first; line <= last; line += 1) lines.push(known[line] ?? [])
  return lines
}

/** Whether a template or a comment may begin in a line that reaches into the next one. */
function mayReachOn(tokens: LineTokens | undefined): boolean {
  const last = tokens?.[tokens.length - 1]
  return last === undefined || last[0] !== ''
}

function maskLines(lines: readonly SourceToken[][], maskText: MaskText | undefined): readonly SourceToken[][] {
  if (maskText === undefined) return lines
  for (let line = 0; line < lines.length; line += 1) {
    const tokens = lines[line] ?? []
    for (let index = 0; index < tokens.length; index += 1) {
      const token = tokens[index]
      if (token === undefined || (token[0] !== 'str' && token[0] !== 'cmnt')) continue
      const masked = maskText(token[1])
      if (masked !== token[1]) tokens[index] = [token[0], masked]
    }
  }
  return lines
}

function highlightLines(file: SourceFile, first: number, last: number): SourceToken[][] {
  const start = startOfComment(file.lines, first)
  const extension = file.path.slice(file.path.lastIndexOf('.') + 1).toLowerCase()
  const lines = highlight(file.lines.slice(start - 1, last), extension)
  return start === first ? lines : lines.slice(first - start)
}

/** The line where a block comment begins that is still open at `first`; `first` itself if there is none near. */
function startOfComment(lines: readonly string[], first: number): number {
  for (let line = first - 1; line >= Math.max(1, first - maxCommentLines); line -= 1) {
    const text = lines[line - 1] ?? ''
    if (!text.includes('*')) continue
    const open = text.lastIndexOf('/*')
    if (text.lastIndexOf('*/') > open) return first
    if (open >= 0) return line
  }
  return first
}
