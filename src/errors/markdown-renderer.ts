// An error as Markdown, for tickets, chats and agents. Everything that may come from a request stands in code spans or
// fences that it cannot leave.

import type { TextPart } from '../framework/html/html.ts'
import type { ErrorView } from './error-view.ts'
import { bodyLines } from './body-lines.ts'
import type { ErrorChain, FlattenedError } from './flattened-error.ts'
import { codeBlock, codeSpan } from './markdown-text.ts'
import { workLines } from './request-work.ts'
import { logLine } from './text-renderer.ts'
import { partsOf, type TextParts } from './text-parts.ts'
import { traceMarkdown } from './written-trace.ts'

/** The whole view as Markdown. */
export function renderErrorMarkdown(view: ErrorView): string {
  return errorMarkdownParts(view).join('')
}

/** The same Markdown in parts. */
export function errorMarkdownParts(view: ErrorView): TextParts {
  const sections = [
    headSection(view),
    adviceSection(view),
    ...chainBlocks(view.chain, 2),
    blockSection('Log', view.log.slice(0, maxLogLines).map(logLine)),
    blockSection('Work so far', workLines(view.work)),
    requestSection(view),
  ]
  return partsOf(
    sections.filter((section) => section !== ''),
    '\n\n',
    '\n',
  )
}

/** The errors of a chain as sections of a level, with source of the first own frame. */
export function chainSection(chain: ErrorChain, level: number): string {
  return chainBlocks(chain, level).join('\n\n')
}

function chainBlocks(chain: ErrorChain, level: number): TextPart[] {
  const blocks: TextPart[] = []
  const total = chain.errors.length
  for (const [index, error] of chain.errors.entries()) addError(blocks, error, `[${total - index}/${total}]`, level)
  if (chain.cut !== null) blocks.push(`_Cut here: ${chain.cut}._`)
  return blocks
}

/** A titled fence, or nothing without lines. */
export function blockSection(title: string, lines: readonly string[]): string {
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
  facts.push(`- Reference: ${codeSpan(view.reference)}`)
  return `# Error ${view.statusCode} ${view.statusText}\n\n${facts.join('\n')}`
}

function adviceSection(view: ErrorView): string {
  const hints = (view.hints ?? []).map(({ title, text }) => `- ${codeSpan(title)}: ${codeSpan(text)}`)
  const routes = view.suggestions.map(({ method, url, pattern, routeName, reason }) => {
    return `- ${codeSpan(`${method} ${url ?? pattern}`)} (route ${codeSpan(routeName)}): ${codeSpan(reason)}`
  })
  const items = [...hints, ...routes]
  return items.length === 0 ? '' : `## What to do\n\n${items.join('\n')}`
}

function addError(blocks: TextPart[], error: FlattenedError, position: string, level: number): void {
  blocks.push(`${'#'.repeat(Math.min(level, deepestHeading))} ${position} ${codeSpan(error.className)}`)
  if (error.message !== '') blocks.push(codeBlock(error.message, 'text'))
  if (error.properties.length > 0) {
    blocks.push(error.properties.map(({ name, value }) => `- ${codeSpan(`${name}: ${value}`)}`).join('\n'))
  }
  if (error.frames.length > 0) blocks.push(traceMarkdown(error.frames))
  for (const member of error.members) blocks.push(...chainBlocks(member, level + 1))
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
