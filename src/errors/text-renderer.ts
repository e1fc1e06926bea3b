// An error as Markdown, for chats and agents, and as plain text, for tickets: request data cannot close the code spans and fences around it.

import { fillPlaceholders } from '../base/log/logger.ts'
import { contentText } from '../http/recording/body-content.ts'
import type { CapturedBody } from '../http/recording/captured-body.ts'
import type { ErrorView } from './error-view.ts'
import type { ErrorChain, FlattenedError, Frame } from './flattened-error.ts'
import { visibleLine, codeBlock, codeSpan, plainText } from '../base/markdown-text.ts'
import { Drawn } from './drawn.ts'
import { candidateLine, originHead, originSourceLines } from './origin-lines.ts'
import { workLines } from './request-work.ts'
import type { ChangeCandidate, ValueOrigin } from './value-origin.ts'
import { excerptLines, framePlace, leadingFrame, variableLines, frameText } from './trace-lines.ts'

/** What the page copies as text. */
export function renderErrorText(view: ErrorView): string {
  return plainText(renderErrorMarkdown(view))
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
function logLine(record: ErrorView['log'][number]): string {
  const time = `${record.timeMs.toFixed(1)} ms`.padStart(11)
  return visibleLine(`${time}  ${record.level.toUpperCase().padEnd(5)}  ${record.channel}  ${fillPlaceholders(record)}`)
}

const maxLogLines = 100

/** At most 40 lines. The caller escapes control characters. */
function bodyLines(body: CapturedBody | undefined): string[] {
  const text = body?.content ? contentText(body.content, true) : null
  return text === null ? [] : cut(text.slice(0, 8192).split('\n'))
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
  const { method, url, route, subRequestToken, errorHandler, token, reference } = view
  const facts = [
    `Request: ${codeSpan(`${method} ${url}`)}`,
    ...(route === null ? [] : [`Route: ${codeSpan(route)}`]),
    ...(subRequestToken === null ? [] : [`Forwarded to ${errorHandler} (${codeSpan(subRequestToken)})`]),
    ...(token === null ? [] : [`Profile: ${codeSpan(token)}`]),
    `Error ID: ${codeSpan(reference)}`,
  ]
  return `# Error ${view.statusCode} ${view.statusText}\n\n- ${facts.join('\n- ')}`
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
  const source = (): string => codeBlock(excerptLines(leading, 4).join('\n'), 'ts')
  return [codeSpan(framePlace(leading)), drawn.piece(leading.excerpt, String(leading.line), source), trace]
}
