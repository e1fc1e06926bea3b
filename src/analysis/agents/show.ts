// The tool that shows one profile: why it failed and what it did, or one panel in full.

import { didYouMean } from '../../base/options/nearest-name.ts'
import { facts } from '../../observe/blocks/blocks.ts'
import { itemsOf, listSection, type Section } from '../../observe/blocks/sections.ts'
import type { Profile } from '../../observe/profile.ts'
import { findLastError, readNamedProfile } from '../../profiles/query/named-profile.ts'
import { factsOf, requestLine, statusMark } from '../../profiles/profile-facts.ts'
import { errorParts, jsonLines, logPart, outgoingCalls, saidParts } from '../said-parts.ts'
import { dataOf, notesOf } from '../../profiles/stored-data.ts'
import type { ResponsePart, ToolResponse, AgentTool, RunningCall } from './tool.ts'
import { AgentError, shown, quote, defineTool } from './tool.ts'

export const show: AgentTool = defineTool({
  name: 'show',
  description:
    'One profile: root cause of its error, lines to change, log, queries, outgoing requests, times, stack. With panel: all of that.',
  parameters: {
    token: {
      type: 'string',
      description: 'From find; latest; or last_error (default): newest 5xx or uncaught error',
    },
    panel: { type: 'string', description: 'request, exception, time, logger, database, http-client, router …' },
    from: { type: 'integer', minimum: 0, maximum: 1_000_000, description: 'First entry of the panel' },
  },
  run: async ({ token = 'last_error', panel, from = 0 }, { profiles }) => {
    const profile = await readProfile(profiles, token)
    return panel === undefined ? overviewResponse(profile) : panelResponse(profile, panel, from)
  },
})

/** By its token, `latest` or `last_error`. Throws an AgentError if there is none. */
export async function readProfile(profiles: RunningCall['profiles'], token: string): Promise<Profile> {
  const isLastError = token === 'last_error'
  const named = isLastError ? (await findLastError(profiles))?.token : token
  const profile = named === undefined ? undefined : await readNamedProfile(profiles, named)
  if (profile !== undefined) return profile
  throw new AgentError(
    'not_found',
    isLastError
      ? 'No recent request ended with a 5xx or an uncaught error. Use `find` with `what: "errors"` for others.'
      : token === 'latest'
        ? 'Nothing has been recorded yet. Send a request.'
        : `There is no profile ${shown(token)}. Use \`find\` for tokens, latest or last_error.`,
  )
}

/** What was asked for and why it failed, then what it did. */
function overviewResponse(profile: Profile): ToolResponse {
  const { cause = [], stack = [] } = errorParts(profile, quote) ?? {}
  const notes = notesOf(profile).map(({ message }) => quote(message, 320))
  return {
    title: `Profile ${profile.token}: ${statusMark(profile)}`,
    parts: [
      { text: quote(requestLine(profile), 320) },
      ...withMore(cause, 'exception'),
      ...withMore([factsPart(profile)], 'request'),
      ...listSection('Notes', notes),
      ...findingParts(profile),
      ...withMore(stack, 'exception'),
      { title: 'Panels', text: namesText(panelNames(profile)) },
    ],
  }
}

/** One panel, from item or line number `from` on. Throws an AgentError for a panel that the profile does not have. */
function panelResponse(profile: Profile, panel: string, from: number): ToolResponse {
  const names = panelNames(profile)
  if (!names.includes(panel)) {
    const problem = `Profile ${profile.token} has no panel ${shown(panel)}.${didYouMean(panel, names)}`
    throw new AgentError('not_found', `${problem} It has: ${namesText(names) || 'none'}.`)
  }
  const parts = panelParts(profile, panel, from)
  const lengthOf = ({ items, lines }: ResponsePart = {}): number => (lines ?? items ?? []).length
  if (from > 0 && lengthOf(parts.at(-1)) === 0) {
    const length = lengthOf(panelParts(profile, panel, 0).at(-1))
    throw new AgentError('not_found', `\`from\`: the panel has ${length} entries. Use 0 to ${Math.max(0, length - 1)}.`)
  }
  const empty = { text: 'The panel is empty.' }
  return {
    title: `Panel ${quote(panel, 120)} of profile ${profile.token}`,
    parts: parts.length === 0 ? [empty] : parts,
  }
}

/** The title and the first line have request and status. The name of a family is asked for as it is. */
function factsPart(profile: Profile): Section {
  const items = itemsOf(facts('Profile', factsOf(profile).slice(2)), (text) => quote(text, 2000))
  if (profile.errorFamily === null) return { title: 'Facts', items }
  return { title: 'Facts', text: '`find` with the error as `family` lists all of them.', items }
}

function panelNames({ data }: Pick<Profile, 'data'>): readonly string[] {
  return Object.keys(data)
    .filter((name) => name !== 'notes')
    .sort()
}

/** Panels that are named. */
const maxPanels = 40

function namesText(names: readonly string[]): string {
  return names
    .slice(0, maxPanels)
    .map((name) => quote(name, 120))
    .join(', ')
}

/** What a tool says of one panel from item or line number `from` on. Names of panels that were never recorded give none. */
function panelParts(profile: Profile, panel: string, from: number): readonly ResponsePart[] {
  const parts = saidParts(profile, panel, quote) ?? dataParts(profile, panel)
  // `from` counts what the last part has.
  return parts.map((part, index) => (index === parts.length - 1 ? startingAt(part, panel, from) : part))
}

/** Warnings and errors of the log, queries and outgoing requests that deserve a look: what an overview needs of the panels. */
function findingParts(profile: Profile): readonly ResponsePart[] {
  const records = dataOf(profile, 'logger')?.records ?? []
  const problems = records.filter(({ level }) => level === 'warn' || level === 'error' || level === 'fatal')
  const log = problems.length === 0 ? [] : [logPart('Warnings and errors in the log', problems, 0)]
  return [
    ...withMore(log, 'logger'),
    ...withMore(saidParts(profile, 'database', quote) ?? [], 'database'),
    ...withMore(outgoingCalls(profile, quote) ?? [], 'http-client'),
    ...withMore(saidParts(profile, 'time', quote) ?? [], 'time'),
  ]
}

/** Parts of an overview. */
function withMore(parts: readonly Section[], panel: string): readonly ResponsePart[] {
  return parts.map((part) => ({ ...part, more: moreOf(panel) }))
}

/** How to get all of a panel. */
function moreOf(panel: string): string {
  return `\`show\` with ${quote(`panel: "${panel}"`)}`
}

function startingAt(part: ResponsePart, panel: string, from: number): ResponsePart {
  const { items, lines } = part
  return {
    ...part,
    more: moreOf(panel),
    from,
    ...(items === undefined ? {} : { items: items.slice(from) }),
    ...(lines === undefined ? {} : { lines: lines.slice(from) }),
  }
}

function dataParts(profile: Profile, panel: string): readonly ResponsePart[] {
  const data = profile.data[panel]
  return data === undefined ? [] : [{ lines: jsonLines(data), language: 'json' }]
}
