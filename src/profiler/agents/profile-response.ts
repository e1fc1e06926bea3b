// One profile as a response: an overview, the most useful first, or one panel.

import { formatDuration } from '../../framework/html/components.ts'
import { didYouMean } from '../../framework/options/nearest-name.ts'
import { runTypeOf, type Profile, type ProfileSummary } from '../profile.ts'
import { isoTime, requestLine, statusMark } from '../query/profile-facts.ts'
import { AgentError } from './agent-error.ts'
import type { ToolResponse, ResponsePart } from './tool-response.ts'
import { causeParts, stackPart } from './error-parts.ts'
import { shown } from './parameters.ts'
import { findingParts, noteParts, panelParts, type MoreOf } from './panel-parts.ts'
import { quote } from './quote.ts'
import { readThrown } from './stored-error.ts'

/** What was asked for and why it failed, then what it did. `further`: facts that only the tool knows, such as how often an error was seen. */
export function overviewResponse(profile: Profile, further: readonly string[] = []): ToolResponse {
  const thrown = readThrown(profile)
  const [cause, stack] =
    thrown.state === 'there' ? [causeParts(thrown.data, exception), [stackPart(thrown.data, exception)]] : [[], []]
  return {
    title: `Profile ${profile.token}: ${statusMark(profile)}`,
    parts: [
      { text: quote(requestLine(profile), 80), more: request },
      ...cause,
      {
        title: 'Facts',
        items: [...further, ...factsOf(profile)].map((fact) => `- ${fact}`),
        things: 'facts',
        more: request,
        share: 0.3,
      },
      ...noteParts(profile, request),
      ...findingParts(profile, moreOf),
      ...stack,
      panelsPart(profile),
    ],
  }
}

const request = (): string => moreOf('request')(0)
const exception = (): string => moreOf('exception')(0)

/** One panel, from item or line number `from` on. Throws an AgentError for a panel that the profile does not have. */
export function panelResponse(profile: Profile, panel: string, from: number): ToolResponse {
  const parts = panelParts(profile, panel, from, moreOf)
  if (!panelNames(profile).includes(panel)) throw noSuchPanel(profile, panel)
  if (from > 0 && lengthOf(parts.at(-1)) === 0) {
    const length = lengthOf(panelParts(profile, panel, 0, moreOf).at(-1))
    throw new AgentError('not_found', `\`from\`: the panel has ${length} entries. Use 0 to ${Math.max(0, length - 1)}.`)
  }
  const empty = { text: 'The panel is empty.' }
  return { title: `Panel ${quote(panel, 30)} of profile ${profile.token}`, parts: parts.length === 0 ? [empty] : parts }
}

/** `- 500 GET http://… · 12.3 ms · …`: one line of a list. */
export function summaryLine(summary: ProfileSummary): string {
  const { token, durationMs, time, route, errorClass, errorMessage, findings, tags } = summary
  const facts = [
    `\`${token}\` ${statusMark(summary)} ${quote(requestLine(summary))}`,
    formatDuration(durationMs),
    isoTime(time),
    ...(route === null ? [] : [`route ${quote(route)}`]),
    ...(errorClass === null ? [] : [quote(`${errorClass}: ${errorMessage ?? ''}`)]),
    ...(findings.length === 0 ? [] : [findings.join(', ')]),
    ...(tags.length === 0 ? [] : [`tags ${tags.map((tag) => quote(tag)).join(' ')}`]),
  ]
  return `- ${facts.join('; ')}`
}

function factsOf(profile: Profile): readonly string[] {
  const { route, handler, durationMs, time, findings, version, queryCount, logCount, logErrorCount, traceId } = profile
  const { parentToken, childTokens, errorClass, errorFamily, tags } = profile
  return [
    ...(runTypeOf(profile.method) === undefined
      ? [`Route: ${route === null ? 'none' : quote(route)}, handled by ${quote(handler)}`]
      : []),
    `Time: ${formatDuration(durationMs)}, at ${isoTime(time)}`,
    ...(errorClass === null ? [] : [`Error: ${quote(errorFamily ?? errorClass)}`]),
    ...(findings.length === 0 ? [] : [`Findings: ${findings.join(', ')}`]),
    `${queryCount ?? 0} queries; ${logCount} log lines, ${logErrorCount} of them errors`,
    ...(tags.length === 0 ? [] : [`Tags: ${tags.map((tag) => quote(tag)).join(', ')}`]),
    ...(version === null ? [] : [`Version: ${quote(version)}`]),
    ...(traceId === null ? [] : [`Trace: ${quote(traceId)}`]),
    ...(parentToken === null ? [] : [`Part of: ${quote(parentToken)}`]),
    ...(childTokens.length === 0
      ? []
      : [
          `Sub-requests: ${childTokens
            .slice(0, 5)
            .map((token) => quote(token))
            .join(', ')}`,
        ]),
  ]
}

function lengthOf({ items, lines }: ResponsePart = {}): number {
  return (lines ?? items ?? []).length
}

function panelsPart(profile: Profile): ResponsePart {
  const names = panelNames(profile).slice(0, maxPanels)
  return {
    title: 'Panels',
    text: `${names.map((name) => quote(name, 30)).join(', ')}: use \`get_request\` with \`panel\`.`,
    more: () => '`get_request` names them for an unknown `panel`',
  }
}

/** Panels that are named. */
const maxPanels = 40

/** Panels that the profile has data for. */
export function panelNames({ data }: Pick<Profile, 'data'>): readonly string[] {
  return Object.keys(data)
    .filter((name) => name !== 'notes')
    .sort()
}

const moreOf: MoreOf = (panel) => (from) =>
  `\`get_request\`, ${quote(`panel: "${panel}"`)}${from === 0 ? '' : `, \`from: ${from}\``}`

function noSuchPanel(profile: Profile, panel: string): AgentError {
  const names = panelNames(profile)
  const meant = didYouMean(panel, names)
  const known = names
    .slice(0, maxPanels)
    .map((name) => quote(name, 30))
    .join(', ')
  return new AgentError(
    'not_found',
    `Profile ${profile.token} has no panel ${shown(panel)}.${meant} It has: ${known || 'none'}.`,
  )
}
