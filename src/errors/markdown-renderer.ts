// An error as Markdown, for tickets, chats and agents. Request data cannot close the code spans and fences around it.

import type { ErrorView } from './error-view.ts'
import type { ErrorChain, FlattenedError, Frame } from './flattened-error.ts'
import { codeBlock, codeSpan } from './markdown-text.ts'
import { candidateLine, originHead, originSourceLines } from './origin-lines.ts'
import { workLines } from './request-work.ts'
import { bodyLines, logLine } from './text-renderer.ts'
import { excerptLines, framePlace, frameText, leadingFrame, variableLines } from './trace-lines.ts'

export function renderErrorMarkdown(view: ErrorView): string {
  const sections = [
    headSection(view),
    adviceSection(view),
    candidateSection(view),
    ...chainBlocks(view.chain, 2),
    originSection(view),
    blockSection('Log', view.log.slice(0, maxLogLines).map(logLine)),
    blockSection('Work so far', workLines(view.work)),
    requestSection(view),
  ]
  return `${sections.filter((section) => section !== '').join('\n\n')}\n`
}

/** The errors of a chain as sections, with the source of the first own frame. */
function chainBlocks(chain: ErrorChain, level: number): string[] {
  const total = chain.errors.length
  const blocks = chain.errors.flatMap((error, index) => errorBlocks(error, `[${total - index}/${total}]`, level))
  return chain.cut === null ? blocks : [...blocks, `_Cut here: ${chain.cut}._`]
}

/** A titled fence, or nothing without lines. */
function blockSection(title: string, lines: readonly string[]): string {
  return lines.length === 0 ? '' : `## ${title}\n\n${codeBlock(lines.join('\n'), 'text')}`
}

const maxLogLines = 100
const deepestHeading = 6

function headSection(view: ErrorView): string {
  const facts = [`- Request: ${codeSpan(`${view.method} ${view.url}`)}`]
  if (view.route !== null) facts.push(`- Route: ${codeSpan(view.route)}`)
  if (view.subRequestToken !== null)
    facts.push(`- Forwarded to ${view.errorHandler} (${codeSpan(view.subRequestToken)})`)
  if (view.token !== null) facts.push(`- Profile: ${codeSpan(view.token)}`)
  facts.push(`- Error ID: ${codeSpan(view.reference)}`)
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

function candidateSection({ candidates = [] }: ErrorView): string {
  if (candidates.length === 0) return ''
  const items = candidates.map((candidate) => `1. ${codeSpan(candidateLine(candidate))}`)
  return `## Where to change it\n\nMost likely first.\n\n${items.join('\n')}`
}

function originSection({ origins = [] }: ErrorView): string {
  if (origins.length === 0) return ''
  const blocks = origins.map((origin) => {
    const head = codeSpan(originHead(origin))
    return origin.source === null ? head : `${head}\n\n${codeBlock(originSourceLines(origin.source).join('\n'), 'ts')}`
  })
  return `## Where the value comes from\n\n${blocks.join('\n\n')}`
}

function errorBlocks(error: FlattenedError, position: string, level: number): string[] {
  const properties = error.properties.map(({ name, value }) => `- ${codeSpan(`${name}: ${value}`)}`)
  return [
    `${'#'.repeat(Math.min(level, deepestHeading))} ${position} ${codeSpan(error.className)}`,
    ...(error.message === '' ? [] : [codeBlock(error.message, 'text')]),
    ...(properties.length === 0 ? [] : [properties.join('\n')]),
    ...frameBlocks(error.frames),
    ...error.members.flatMap((member) => chainBlocks(member, level + 1)),
  ]
}

/** The source of the most useful frame, and all frames. */
function frameBlocks(frames: readonly Frame[]): string[] {
  if (frames.length === 0) return []
  const trace = codeBlock(
    frames
      .flatMap((frame) => [`at ${frameText(frame)}`, variableLines(frame).map((line) => `   ${line}`)].flat())
      .join('\n'),
    'text',
  )
  const leading = leadingFrame(frames)
  if (leading === undefined) return [trace]
  const place = codeSpan(framePlace(leading))
  return [place, codeBlock(excerptLines(leading).join('\n'), 'ts'), trace]
}

function requestSection(view: ErrorView): string {
  return [
    blockSection(
      'Query',
      view.query.map(([name, value]) => `${name}=${value}`),
    ),
    blockSection(
      'Request headers',
      view.requestHeaders.map(([name, value]) => `${name}: ${value}`),
    ),
    blockSection('Request body', bodyLines(view.body)),
  ]
    .filter((section) => section !== '')
    .join('\n\n')
}
