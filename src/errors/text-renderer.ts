// An error as plain text, complete enough for a ticket, and as Markdown, for chats and agents: request data cannot close the code spans and
// fences around it.

import { fillPlaceholders } from '../base/log/logger.ts'
import type { CapturedBody } from '../http/recording/captured-body.ts'
import type { ErrorView } from './error-view.ts'
import type { ErrorChain, FlattenedError, Frame } from './flattened-error.ts'
import { visibleLine, visibleText, codeBlock, codeSpan } from '../base/markdown-text.ts'
import { Drawn } from './drawn.ts'
import { candidateLine, originHead, originSourceLines } from './origin-lines.ts'
import { workLines } from './request-work.ts'
import type { ChangeCandidate, ValueOrigin } from './value-origin.ts'
import { excerptLines, framePlace, leadingFrame, repeatsText, variableLines, frameText } from './trace-lines.ts'

/** Escapes control characters of request data. */
export function renderErrorText(view: ErrorView): string {
  const sections = [
    headLines(view),
    adviceLines(view),
    titled('Where to change it', (view.candidates ?? []).map(candidateLine).map(visibleLine)),
    chainLines(view.chain),
    titled('Where the value comes from', (view.origins ?? []).flatMap(originLines)),
    ...Object.entries(requestLines(view)).map(([title, lines]) => titled(title, lines.map(visibleLine))),
  ]
  const texts = sections.filter((lines) => lines.length > 0).map((lines) => lines.join('\n'))
  return `${texts.join('\n\n')}\n`
}

/** What is known of the request itself, line by line. */
function requestLines(view: ErrorView): Readonly<Record<string, readonly string[]>> {
  return {
    Log: view.log.slice(0, maxLogLines).map(logLine),
    'Work so far': workLines(view.work),
    Query: view.query.map(([name, value]) => `${name}=${value}`),
    'Request headers': view.requestHeaders.map(([name, value]) => `${name}: ${value}`),
    'Request body': bodyLines(view.body),
  }
}

/** A log record on one line: `   12.3 ms  WARN   router  No route.` */
export function logLine(record: ErrorView['log'][number]): string {
  const time = `${record.timeMs.toFixed(1)} ms`.padStart(11)
  return visibleLine(`${time}  ${record.level.toUpperCase().padEnd(5)}  ${record.channel}  ${fillPlaceholders(record)}`)
}

const maxLogLines = 100

/** Lines of source before and after a frame. */
const sourceRadius = 4

function headLines(view: ErrorView): string[] {
  const [, ...facts] = factLines(view, visibleLine)
  return [`Error ${view.statusCode} ${view.statusText}`, visibleLine(`${view.method} ${view.url}`), ...facts]
}

/** The request first. */
function factLines(view: ErrorView, quote: (text: string) => string): readonly string[] {
  const { method, url, route, subRequestToken, errorHandler, token, reference } = view
  return [
    `Request: ${quote(`${method} ${url}`)}`,
    ...(route === null ? [] : [`Route: ${quote(route)}`]),
    ...(subRequestToken === null ? [] : [`Forwarded to ${errorHandler} (${quote(subRequestToken)})`]),
    ...(token === null ? [] : [`Profile: ${quote(token)}`]),
    `Error ID: ${quote(reference)}`,
  ]
}

function adviceLines(view: ErrorView): string[] {
  const hints = (view.hints ?? []).map(({ title, text }) => visibleText(`${title}\n  ${text}`))
  const routes = view.suggestions.map((suggestion) =>
    visibleLine(
      `${suggestion.method} ${suggestion.url ?? suggestion.pattern} (${suggestion.routeName}): ${suggestion.reason}`,
    ),
  )
  return titled('How to fix it', [...hints, ...routes])
}

function originLines(origin: ValueOrigin): string[] {
  const source = origin.source === null ? [] : originSourceLines(origin.source)
  return [visibleLine(originHead(origin)), ...source.map((line) => `  ${visibleText(line)}`)]
}

function titled(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [title, ...lines.map((line) => `  ${line}`)]
}

/** Styles a trace. What it gets is escaped, except for the frame. */
export interface TracePaint {
  readonly name: (text: string) => string
  readonly dim: (text: string) => string
  readonly place: (frame: Frame) => string
}

const plainPaint: TracePaint = {
  name: (text) => text,
  dim: (text) => text,
  place: (frame) => visibleLine(framePlace(frame)),
}

/** The errors of a chain with their frames, and source below the most useful frame of each. */
export function chainLines(chain: ErrorChain, paint: TracePaint = plainPaint, indent = ''): string[] {
  const total = chain.errors.length
  const lines = chain.errors.flatMap((error, index) => errorLines(error, `[${total - index}/${total}]`, paint, indent))
  return chain.cut === null ? lines : [...lines, `${indent}${paint.dim(`(${chain.cut})`)}`]
}

function errorLines(error: FlattenedError, position: string, paint: TracePaint, indent: string): string[] {
  const leading = leadingFrame(error.frames)
  const message = visibleText(error.message).replaceAll('\n', `\n${indent}  `)
  return [
    `${indent}${position} ${paint.name(visibleLine(error.className))}: ${message}`,
    ...error.properties.map(({ name, value }) => `${indent}  ${paint.dim(visibleLine(`${name}: ${value}`))}`),
    ...error.frames.flatMap((frame) => [
      `${indent}    ${frameLine(frame, paint)}`,
      ...variableLines(frame).map((line) => `${indent}      ${visibleLine(line)}`),
      ...(frame === leading
        ? excerptLines(frame, sourceRadius).map((line) => `${indent}      ${visibleText(line)}`)
        : []),
      ...(frame.repeats === undefined ? [] : [`${indent}    ${paint.dim(`(${repeatsText(frame.repeats)})`)}`]),
    ]),
    ...error.members.flatMap((member) => chainLines(member, paint, `${indent}  | `)),
  ]
}

function frameLine(frame: Frame, paint: TracePaint): string {
  const place = paint.place(frame)
  const call = frame.functionName === null ? place : `${visibleLine(frame.functionName)} (${place})`
  const line = `at ${frame.isAsync ? 'async ' : ''}${call}`
  return frame.origin === 'own' ? line : paint.dim(line)
}

/** At most 40 lines. The caller escapes control characters. */
export function bodyLines(body: CapturedBody | undefined): string[] {
  const content = body?.content ?? null
  if (content === null) return []
  switch (content.kind) {
    case 'json':
      return cut(JSON.stringify(content.value, null, 2).split('\n'))
    case 'form':
      return cut(content.fields.map(([name, value]) => `${name}=${value}`))
    case 'text':
      return cut(content.text.slice(0, 4096).split('\n'))
    case 'binary':
      return []
  }
}

const maxLines = 40

function cut(lines: string[]): string[] {
  return lines.length <= maxLines ? lines : [...lines.slice(0, maxLines), `… ${lines.length - maxLines} more lines`]
}

/** `drawn` has pieces of other errors. Default: none. */
export function renderErrorMarkdown(view: ErrorView, drawn: Drawn<string> = new Drawn()): string {
  const sections = [
    headSection(view),
    adviceSection(view),
    candidateSection(view, drawn),
    ...chainBlocks(view.chain, 2, drawn),
    originSection(view, drawn),
    ...Object.entries(requestLines(view)).map(([title, lines]) => blockSection(title, lines)),
  ]
  return `${sections.filter((section) => section !== '').join('\n\n')}\n`
}

/** The errors of a chain as sections, with the source of the first own frame. */
function chainBlocks(chain: ErrorChain, level: number, drawn: Drawn<string>): string[] {
  const total = chain.errors.length
  const blocks = chain.errors.flatMap((error, index) => errorBlocks(error, `[${total - index}/${total}]`, level, drawn))
  return chain.cut === null ? blocks : [...blocks, `_Cut here: ${chain.cut}._`]
}

/** A titled fence, or nothing without lines. */
function blockSection(title: string, lines: readonly string[]): string {
  return lines.length === 0 ? '' : `## ${title}\n\n${codeBlock(lines.join('\n'), 'text')}`
}

const deepestHeading = 6

function headSection(view: ErrorView): string {
  const facts = factLines(view, codeSpan).map((fact) => `- ${fact}`)
  return `# Error ${view.statusCode} ${view.statusText}\n\n${facts.join('\n')}`
}

function adviceSection(view: ErrorView): string {
  const hints = (view.hints ?? []).map(({ title, text }) => `- ${codeSpan(title)}: ${codeSpan(text)}`)
  const routes = view.suggestions.map(({ method, url, pattern, routeName, reason }) => {
    return `- ${codeSpan(`${method} ${url ?? pattern}`)} (route ${codeSpan(routeName)}): ${codeSpan(reason)}`
  })
  const items = [...hints, ...routes]
  return items.length === 0 ? '' : `## How to fix it\n\n${items.join('\n')}`
}

function candidateSection({ candidates = [] }: ErrorView, drawn: Drawn<string>): string {
  if (candidates.length === 0) return ''
  const item = (candidate: ChangeCandidate): string => `1. ${codeSpan(candidateLine(candidate))}`
  const items = candidates.map((candidate) => drawn.piece(candidate, '', () => item(candidate)))
  return `## Where to change it\n\nMost likely first.\n\n${items.join('\n')}`
}

function originSection({ origins = [] }: ErrorView, drawn: Drawn<string>): string {
  if (origins.length === 0) return ''
  const block = (origin: ValueOrigin): string => {
    const head = codeSpan(originHead(origin))
    return origin.source === null ? head : `${head}\n\n${codeBlock(originSourceLines(origin.source).join('\n'), 'ts')}`
  }
  const blocks = origins.map((origin) => drawn.piece(origin, '', () => block(origin)))
  return `## Where the value comes from\n\n${blocks.join('\n\n')}`
}

function errorBlocks(error: FlattenedError, position: string, level: number, drawn: Drawn<string>): string[] {
  const properties = error.properties.map(({ name, value }) => `- ${codeSpan(`${name}: ${value}`)}`)
  return [
    `${'#'.repeat(Math.min(level, deepestHeading))} ${position} ${codeSpan(error.className)}`,
    ...(error.message === '' ? [] : [codeBlock(error.message, 'text')]),
    ...(properties.length === 0 ? [] : [properties.join('\n')]),
    ...frameBlocks(error.frames, drawn),
    ...error.members.flatMap((member) => chainBlocks(member, level + 1, drawn)),
  ]
}

/** The source of the most useful frame, and the frames down to the last own one. */
function frameBlocks(frames: readonly Frame[], drawn: Drawn<string>): string[] {
  if (frames.length === 0) return []
  const shown = frames.slice(0, frames.findLastIndex(({ origin }) => origin === 'own') + 1 || frames.length)
  const more = frames.length - shown.length
  const lines = shown
    .flatMap((frame) => [`at ${frameText(frame)}`, variableLines(frame).map((line) => `   ${line}`)].flat())
    .concat(more === 0 ? [] : [`${more} more, none of them own code`])
  const trace = codeBlock(lines.join('\n'), 'text')
  const leading = leadingFrame(frames)
  if (!leading?.excerpt) return [trace]
  const source = (): string => codeBlock(excerptLines(leading).join('\n'), 'ts')
  return [codeSpan(framePlace(leading)), drawn.piece(leading.excerpt, String(leading.line), source), trace]
}
