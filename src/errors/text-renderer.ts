// An error as plain text, complete enough to be pasted into a ticket.

import { fillPlaceholders } from '../log/logger.ts'
import type { ErrorView } from './error-view.ts'
import { bodyLines } from './body-lines.ts'
import { excerptLines, leadingFrame } from './excerpt-lines.ts'
import type { ErrorChain, FlattenedError, Frame } from './flattened-error.ts'
import { visibleLine, visibleText } from './plain-text.ts'
import { workLines } from './request-work.ts'
import { partsOf, type TextParts } from './text-parts.ts'
import { frameText } from './trace-lines.ts'

/** The whole view as text. Control characters of request data are written out. */
export function renderErrorText(view: ErrorView): string {
  return errorTextParts(view).join('')
}

/** The same text in parts. */
export function errorTextParts(view: ErrorView): TextParts {
  const sections = [
    headLines(view),
    adviceLines(view),
    chainLines(view.chain, ''),
    titled('Log', view.log.slice(0, maxLogLines).map(logLine)),
    titled('Work so far', workLines(view.work).map(visibleLine)),
    titled(
      'Query',
      view.query.map(([name, value]) => visibleLine(`${name}=${value}`)),
    ),
    titled(
      'Request headers',
      view.requestHeaders.map(([name, value]) => visibleLine(`${name}: ${value}`)),
    ),
    titled('Request body', bodyLines(view.body).map(visibleLine)),
  ]
  const pieces: string[] = []
  for (const lines of sections) {
    if (lines.length === 0) continue
    // An empty line between two sections.
    if (pieces.length > 0) pieces.push('')
    pieces.push(...lines)
  }
  return partsOf(pieces, '\n', '\n')
}

/** Outside debug: status, reason phrase, reference. */
export function renderPublicText(facts: Pick<ErrorView, 'statusCode' | 'statusText' | 'reference'>): string {
  return `Error ${facts.statusCode} ${facts.statusText}\nReference: ${facts.reference}\n`
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

function chainLines(chain: ErrorChain, indent: string): string[] {
  const total = chain.errors.length
  const lines = chain.errors.flatMap((error, index) => errorLines(error, `[${total - index}/${total}]`, indent))
  return chain.cut === null ? lines : [...lines, `${indent}(${chain.cut})`]
}

function errorLines(error: FlattenedError, position: string, indent: string): string[] {
  const text = visibleText(error.message)
  const message = text.includes('\n') ? text.replaceAll('\n', `\n${indent}  `) : text
  const lines = [`${indent}${position} ${visibleLine(error.className)}: ${message}`]
  for (const { name, value } of error.properties) lines.push(`${indent}  ${visibleLine(`${name}: ${value}`)}`)
  if (error.frames.length > 0) lines.push(framesText(error.frames, indent))
  for (const member of error.members) lines.push(...chainLines(member, `${indent}  | `))
  return lines
}

/** The calls, and the source of the one that says most. Traces without indentation are the most, and come again. */
function framesText(frames: readonly Frame[], indent: string): string {
  const known = indent === '' ? writtenFrames.get(frames) : undefined
  if (known !== undefined) return known
  const leading = leadingFrame(frames)
  const lines: string[] = []
  for (const frame of frames) {
    lines.push(`${indent}    at ${visibleLine(frameText(frame))}`)
    if (frame !== leading) continue
    for (const line of excerptLines(frame, 4)) lines.push(`${indent}      ${visibleText(line)}`)
  }
  const written = lines.join('\n')
  if (indent === '') writtenFrames.set(frames, written)
  return written
}

const writtenFrames = new WeakMap<readonly Frame[], string>()
