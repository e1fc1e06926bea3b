// An error as plain text, complete enough to be pasted into a ticket.

import type { TextPart } from '../framework/html/html.ts'
import { fillPlaceholders } from '../framework/log/logger.ts'
import type { ErrorView } from './error-view.ts'
import { bodyLines } from './body-lines.ts'
import type { ErrorChain, FlattenedError } from './flattened-error.ts'
import { visibleLine, visibleText } from './plain-text.ts'
import { workLines } from './request-work.ts'
import { partsOf, type TextParts } from './text-parts.ts'
import { traceText } from './written-trace.ts'

/** The whole view as text. Control characters of request data are written out. */
export function renderErrorText(view: ErrorView): string {
  return errorTextParts(view).join('')
}

/** The same text in parts. */
export function errorTextParts(view: ErrorView): TextParts {
  const pieces: TextPart[] = []
  addSection(pieces, headLines(view))
  addSection(pieces, adviceLines(view))
  addSection(pieces, chainLines(view.chain, ''))
  addSection(pieces, titled('Log', view.log.slice(0, maxLogLines).map(logLine)))
  addSection(pieces, titled('Work so far', workLines(view.work).map(visibleLine)))
  addSection(pieces, titled('Query', pairLines(view.query, '=')))
  addSection(pieces, titled('Request headers', pairLines(view.requestHeaders, ': ')))
  addSection(pieces, titled('Request body', bodyLines(view.body).map(visibleLine)))
  return partsOf(pieces, '\n', '\n')
}

function addSection(pieces: TextPart[], lines: readonly TextPart[]): void {
  // An empty line between two sections.
  if (lines.length > 0 && pieces.length > 0) pieces.push('')
  for (const line of lines) pieces.push(line)
}

function pairLines(pairs: ErrorView['query'], separator: string): string[] {
  return pairs.map(([name, value]) => visibleLine(`${name}${separator}${value}`))
}

/** A log record on one line: `   12.3 ms  WARN   router  No route.` */
export function logLine(record: ErrorView['log'][number]): string {
  const time = `${record.timeMs.toFixed(1)} ms`.padStart(11)
  return visibleLine(`${time}  ${record.level.toUpperCase().padEnd(5)}  ${record.channel}  ${fillPlaceholders(record)}`)
}

const maxLogLines = 100

function headLines(view: ErrorView): string[] {
  const lines = [`Error ${view.statusCode} ${view.statusText}`, visibleLine(`${view.method} ${view.url}`)]
  if (view.route !== null) lines.push(`Route: ${visibleLine(view.route)}`)
  if (view.subRequestToken !== null) lines.push(`Forwarded to ${view.errorHandler} (${view.subRequestToken})`)
  if (view.token !== null) lines.push(`Profile: ${view.token}`)
  return [...lines, `Reference: ${view.reference}`]
}

function adviceLines(view: ErrorView): string[] {
  const hints = (view.hints ?? []).map(({ title, text }) => visibleText(`${title}\n  ${text}`))
  const routes = view.suggestions.map((suggestion) =>
    visibleLine(
      `${suggestion.method} ${suggestion.url ?? suggestion.pattern} (${suggestion.routeName}): ${suggestion.reason}`,
    ),
  )
  return titled('What to do', [...hints, ...routes])
}

function titled(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [title, ...lines.map((line) => `  ${line}`)]
}

function chainLines(chain: ErrorChain, indent: string): TextPart[] {
  const lines: TextPart[] = []
  const total = chain.errors.length
  for (const [index, error] of chain.errors.entries()) addError(lines, error, `[${total - index}/${total}]`, indent)
  if (chain.cut !== null) lines.push(`${indent}(${chain.cut})`)
  return lines
}

function addError(lines: TextPart[], error: FlattenedError, position: string, indent: string): void {
  const text = visibleText(error.message)
  const message = text.includes('\n') ? text.replaceAll('\n', `\n${indent}  `) : text
  lines.push(`${indent}${position} ${visibleLine(error.className)}: ${message}`)
  for (const { name, value } of error.properties) lines.push(`${indent}  ${visibleLine(`${name}: ${value}`)}`)
  if (error.frames.length > 0) lines.push(traceText(error.frames, indent))
  for (const member of error.members) lines.push(...chainLines(member, `${indent}  | `))
}
