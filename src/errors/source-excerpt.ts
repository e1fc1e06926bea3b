// Highlights the lines around a place in a source file.

import { runsOf } from '../base/members.ts'
import type { SourceExcerpt, SourceToken } from './flattened-error.ts'
import type { SourceFile } from './source-files.ts'

/** Lines before and after the line of the first own frame. */
export const excerptRadius = 7

/** The same for other frames. */
export const shortRadius = 4

export type MaskText = (text: string) => string

interface ExcerptOptions {
  /** Lines before and after. Default `excerptRadius`. */
  readonly radius?: number
  /** Masks strings and comments. Default: nothing is masked. */
  readonly maskText?: MaskText | undefined
}

/** The lines around a line (from 1), cached with the file; `null` if the file has no such line. */
export function sourceExcerpt(file: SourceFile, line: number, options: ExcerptOptions = {}): SourceExcerpt | null {
  if (!(line >= 1 && line <= file.lines.length)) return null
  const { radius = excerptRadius, maskText } = options
  return sourceRange(file, Math.max(1, line - radius), Math.min(file.lines.length, line + radius), maskText)
}

/** The lines from one to another, both from 1 and in the file; cached with the file. */
export function sourceRange(file: SourceFile, startLine: number, end: number, maskText?: MaskText): SourceExcerpt {
  const range = `${startLine}-${end}`
  const known = file.excerpts.get(range)
  if (known !== undefined) return known
  const start = startOfComment(file.lines, startLine)
  const tokens = highlight(file.lines.slice(start - 1, end)).slice(startLine - start)
  const lines = maskText === undefined ? tokens : tokens.map((line) => maskLine(line, maskText))
  const { changedSince } = file
  const excerpt: SourceExcerpt = { startLine, lines, ...(changedSince === null ? {} : { changedSince }) }
  if (file.excerpts.size < maxExcerptsPerFile) file.excerpts.set(range, excerpt)
  return excerpt
}

const maxExcerptsPerFile = 200
const maxCommentLines = 60

/** Longer lines are not read to their end. */
const maxReadChars = 4000

/** Tokens line by line. Never throws: what cannot be highlighted stays plain. Lines are cut when the whole is read, so that nothing stays open. */
export function highlight(lines: readonly string[]): SourceToken[][] {
  // Lines that are too long to be read stand alone.
  const parts = runsOf(lines, (one, other) => one.length <= maxReadChars && other.length <= maxReadChars)
  return parts.flatMap((part) =>
    part[0].length > maxReadChars ? [shortLine([['', part[0]]])] : tokensOf(part).map(shortLine),
  )
}

function tokensOf(lines: readonly string[]): readonly SourceToken[][] {
  try {
    return codeTokens(lines.join('\n'))
  } catch {
    return lines.map((line) => [['', line]])
  }
}

function maskLine(tokens: readonly SourceToken[], maskText: MaskText): SourceToken[] {
  return tokens.map(([kind, text]) => [kind, kind === 'str' || kind === 'cmnt' ? maskText(text) : text])
}

/** The line where a block comment begins that is still open at `first`; `first` without one nearby. */
function startOfComment(lines: readonly string[], first: number): number {
  for (let line = first - 1; line >= Math.max(1, first - maxCommentLines); line -= 1) {
    const text = lines[line - 1] ?? ''
    const open = text.lastIndexOf('/*')
    if (text.lastIndexOf('*/') > open) return first
    if (open >= 0) return line
  }
  return first
}

const maxLineChars = 400
/** A cut must save more than its mark needs; a line that is cut is not cut again. */
const worthCutting = 40

/** The beginning of the line, and how much is missing: `… [12000 more characters]`. */
export function shortLine(tokens: readonly SourceToken[]): SourceToken[] {
  const length = tokens.reduce((sum, [, text]) => sum + text.length, 0)
  if (length <= maxLineChars + worthCutting) return [...tokens]
  const kept: SourceToken[] = []
  let room = maxLineChars
  for (const [kind, text] of tokens) {
    if (room <= 0) break
    kept.push([kind, text.slice(0, room).toWellFormed()])
    room -= text.length
  }
  return [...kept, ['', `… [${length - maxLineChars} more characters]`]]
}

type Token = [kind: string, text: string]

/** Kinds of pieces, each by its expression without groups. The first one that fits is taken; what has no kind is plain. */
const rules: readonly (readonly [kind: string, rule: RegExp])[] = [
  ['cmnt', /\/\/.*|\/\*[^]*?(?:\*\/|$)/],
  ['str', /"(?:\\[^]|[^"\\\n])*"?|'(?:\\[^]|[^'\\\n])*'?/],
  // An expression, where nothing can be divided.
  [
    'str',
    /\/(?<=(?:^|[^\w$)\]'"`\s<]|\b(?:await|case|in|of|return|throw|typeof|void|yield))\s*\/)(?:\[(?:\\.|[^\]\\\n]){0,200}\]|\\.|[^\n/\\[]){1,500}\/\w*/,
  ],
  ['', /[A-Za-z_$][\w$]*(?=:)/],
  ['type', /(?<=[:|<] ?)(?:any|bigint|boolean|never|number|object|string|symbol|unknown|void)\b/],
  [
    'kwd',
    /=>|(?<!(?<!\.)\.)\b(?:abstract|as|async|await|break|case|catch|class|const|constructor|continue|debugger|declare|default|delete|do|else|enum|export|extends|finally|for|from|function|get|if|implements|import|in|instanceof|interface|let|namespace|new|of|package|private|protected|public|readonly|return|satisfies|set|static|super|switch|this|throw|try|type|typeof|var|void|while|with|yield)\b/,
  ],
  ['bool', /\b(?:true|false)\b/],
  ['num', /\.?\b\d[\w.]*|\b(?:null|undefined|NaN|[A-Z][A-Z_]*)\b/],
  ['class', /\b[A-Z][\w$]*/],
  ['func', /[A-Za-z_$][\w$]*(?=\s*(?:\(|\?\.\(|=\s*(?:async\b|function\b|[\w$]+ =>|\([^()]{0,200}\) =>)))/],
  ['', /[\w$\u0080-\uffff]+|[`{}]/],
]
const pieces = new RegExp(rules.map(([, { source }]) => `(${source})`).join('|'), 'g')

/** From the mark that opens a template, or ends code in it, to the next mark. */
const templatePart = /[`}](?:\\[^]|\$(?!\{)|[^\\$`])*(`|\$\{|)/y

/** The pieces of each line. Throws where a text is too much for an expression. */
function codeTokens(code: string): Token[][] {
  let line: Token[] = []
  const lines = [line]
  let at = 0
  const add = (kind: string, end: number): void => {
    for (let until = at; at < end; at = until) {
      const newline = code.indexOf('\n', at)
      until = newline < 0 || newline >= end ? end : newline
      const previous = line.at(-1)
      if (previous?.[0] === kind) previous[1] += code.slice(at, until)
      else if (until > at) line.push([kind, code.slice(at, until)])
      if (until === newline) {
        lines.push((line = []))
        until += 1
      }
    }
  }
  /** Braces that are open in the code of each template around a place. */
  const templates: number[] = []
  pieces.lastIndex = 0
  for (let found = pieces.exec(code); found !== null; found = pieces.exec(code)) {
    const [piece] = found
    add('', found.index)
    if (piece === '`' || (piece === '}' && templates.at(-1) === 0)) {
      templatePart.lastIndex = at
      const [part, mark] = templatePart.exec(code) ?? [piece]
      if (piece === '}') templates.pop()
      if (mark === '${') templates.push(0)
      pieces.lastIndex = at + part.length
      add('str', pieces.lastIndex)
    } else if (piece === '{' || piece === '}') {
      if (templates.length > 0) templates.push((templates.pop() ?? 0) + (piece === '{' ? 1 : -1))
    } else add(rules[found.indexOf(piece, 1) - 1]?.[0] ?? '', pieces.lastIndex)
  }
  add('', code.length)
  return lines
}
