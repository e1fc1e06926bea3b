// Cuts the lines around a place out of a source file and colours them. Synchronous: the languages are loaded with this
// file, and an excerpt that was made once is kept with its file.

import js from '@speed-highlight/core/languages/js.js'
import jsdoc from '@speed-highlight/core/languages/jsdoc.js'
import regex from '@speed-highlight/core/languages/regex.js'
import todo from '@speed-highlight/core/languages/todo.js'
import ts from '@speed-highlight/core/languages/ts.js'
import { tokenizeWith, type ShjLanguageData } from '@speed-highlight/core/tokenize'
import type { SourceExcerpt, SourceToken } from './flattened-error.ts'
import type { SourceFile } from './source-files.ts'

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
  const lines = maskLines(highlightLines(file, first, last), maskText)
  const { changedSince } = file
  const excerpt: SourceExcerpt = { startLine: first, lines, ...(changedSince === null ? {} : { changedSince }) }
  if (file.excerpts.size < maxExcerptsPerFile) file.excerpts.set(line, { excerpt, radius })
  return excerpt
}

/** Takes secrets out of a text. */
export type MaskText = (text: string) => string

/** Source as tokens, line by line. Never throws: what cannot be highlighted stays plain. */
export function highlight(lines: readonly string[], extension: string): SourceToken[][] {
  const result: [string, string][][] = [[]]
  const add = (text: string, kind: string | undefined): void => {
    for (const [index, part] of text.split('\n').entries()) {
      if (index > 0) result.push([])
      const line = result.at(-1)
      if (part === '' || line === undefined) continue
      const previous = line.at(-1)
      if (previous !== undefined && previous[0] === (kind ?? '')) previous[1] += part
      else line.push([kind ?? '', part])
    }
  }
  const language = typescriptExtensions.has(extension) ? typescript : javascript
  tokenizeWith(lines.map(cutLine).join('\n'), language, add, { languages })
  return result
}

const maxExcerptsPerFile = 200
const maxLineChars = 400
const maxCommentLines = 60

// The library's declarations know its language modules only by the shape of their values.
const javascript: ShjLanguageData = js as ShjLanguageData
const typescript: ShjLanguageData = ts as ShjLanguageData
const languages: Record<string, ShjLanguageData> = {
  js: javascript,
  ts: typescript,
  jsdoc: jsdoc as ShjLanguageData,
  regex: regex as ShjLanguageData,
  todo: todo as ShjLanguageData,
}
const typescriptExtensions: ReadonlySet<string> = new Set(['ts', 'mts', 'cts', 'tsx', 'vue', 'svelte', 'astro'])

function maskLines(lines: readonly SourceToken[][], maskText: MaskText | undefined): readonly SourceToken[][] {
  if (maskText === undefined) return lines
  return lines.map((tokens) =>
    tokens.map((token) => (maskedKinds.has(token[0]) ? [token[0], maskText(token[1])] : token)),
  )
}

const maskedKinds: ReadonlySet<string> = new Set(['str', 'cmnt'])

function highlightLines(file: SourceFile, first: number, last: number): SourceToken[][] {
  const start = startOfComment(file.lines, first)
  const extension = file.path.slice(file.path.lastIndexOf('.') + 1).toLowerCase()
  return highlight(file.lines.slice(start - 1, last), extension).slice(first - start)
}

/** The line where a block comment begins that is still open at `first`; `first` itself if there is none near. */
function startOfComment(lines: readonly string[], first: number): number {
  for (let line = first - 1; line >= Math.max(1, first - maxCommentLines); line -= 1) {
    const text = lines[line - 1] ?? ''
    const open = text.lastIndexOf('/*')
    if (text.lastIndexOf('*/') > open) return first
    if (open >= 0) return line
  }
  return first
}

function cutLine(line: string): string {
  return line.length > maxLineChars ? `${line.slice(0, maxLineChars)}…` : line
}
