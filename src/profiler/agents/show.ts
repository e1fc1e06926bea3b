// The tool that shows one profile: why it failed and what it did, or one panel in full.

import * as v from 'valibot'
import { counted, formatBytes, formatCount, formatDuration } from '../../framework/html/components.ts'
import { fillPlaceholders } from '../../framework/log/logger.ts'
import { didYouMean } from '../../framework/options/nearest-name.ts'
import { type Profile, runTypeOf } from '../profile.ts'
import { findLastError, readNamedProfile } from '../query/named-profile.ts'
import { findingTexts, isoTime, requestLine, statusMark } from '../query/profile-facts.ts'
import { type StoredLine, type StoredParts, dataOf, notesOf, readPartAs } from '../stored-data.ts'
import { partSections } from '../described-parts.ts'
import type { ResponsePart, ToolResponse, AgentTool, RunningCall } from './tool.ts'
import { AgentError, shown, listParts, quote, defineTool } from './tool.ts'
import type { Frame } from '../../errors/flattened-error.ts'
import { candidateLine, originHead, originSourceLines } from '../../errors/origin-lines.ts'
import { excerptLines, frameText, framePlace, leadingFrame } from '../../errors/trace-lines.ts'
import type { ValueOrigin } from '../../errors/value-origin.ts'

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
  const { cause = [], stack = [] } = errorParts(profile) ?? {}
  const notes = notesOf(profile).map(({ message }) => quote(message, 320))
  return {
    title: `Profile ${profile.token}: ${statusMark(profile)}`,
    parts: [
      { text: quote(requestLine(profile), 320) },
      ...withMore(cause, 'exception'),
      ...withMore(listParts('Facts', factsOf(profile)), 'request'),
      ...listParts('Notes', notes),
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

function factsOf(profile: Profile): readonly string[] {
  const { route, handler, durationMs, time, findings, version, queryCount, logCount, logErrorCount, traceId } = profile
  const { parentToken, childTokens, errorFamily, tags } = profile
  const isRequest = runTypeOf(profile.method) === undefined
  const quoted = (texts: readonly string[]): string => texts.map((text) => quote(text)).join(', ')
  return [
    ...(isRequest ? [`Route: ${route === null ? 'none' : quote(route)}, handled by ${quote(handler)}`] : []),
    `Time: ${formatDuration(durationMs)}, at ${isoTime(time)}`,
    ...(errorFamily === null
      ? []
      : [`Error: ${quote(errorFamily, 2000)}; \`find\` with it as \`family\` lists all of them`]),
    ...(findings.length === 0 ? [] : [`Findings: ${quoted(findingTexts(profile))}`]),
    `${queryCount ?? 0} queries; ${logCount} log lines, ${logErrorCount} of them errors`,
    ...(tags.length === 0 ? [] : [`Tags: ${quoted(tags)}`]),
    ...(version === null ? [] : [`Version: ${quote(version)}`]),
    ...(traceId === null ? [] : [`Trace: ${quote(traceId)}`]),
    ...(parentToken === null ? [] : [`Part of: ${quote(parentToken)}`]),
    ...(childTokens.length === 0 ? [] : [`Sub-requests: ${quoted(childTokens.slice(0, 5))}`]),
  ]
}

/** Panels that the profile has data for. */
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
    ...withMore(panels.database(profile) ?? [], 'database'),
    ...withMore(drawn('http-client', outgoingParts)(profile) ?? [], 'http-client'),
    ...withMore(panels.time(profile) ?? [], 'time'),
  ]
}

/** Parts of an overview. */
function withMore(parts: readonly ResponsePart[], panel: string): readonly ResponsePart[] {
  return parts.map((part) => ({ ...part, more: moreOf(panel) }))
}

/** How to get all of a panel. */
function moreOf(panel: string): string {
  return `\`show\` with ${quote(`panel: "${panel}"`)}`
}

type DrawPanel = (profile: Profile) => readonly ResponsePart[] | undefined

const panels: Readonly<Record<'database' | 'time', DrawPanel> & Record<string, DrawPanel>> = {
  exception: (profile) => {
    const parts = errorParts(profile)
    return parts && [...parts.cause, ...parts.stack]
  },
  logger: drawn('logger', ({ records, dropped }) => [logPart('Log', records, dropped)]),
  database: drawn('database', databaseParts),
  time: drawn('time', timeParts),
  request: drawn('request', requestParts),
}

function drawn<Name extends keyof StoredParts>(
  name: Name,
  draw: (data: StoredParts[Name], profile: Profile) => readonly ResponsePart[],
): DrawPanel {
  return (profile) => {
    const data = dataOf(profile, name)
    return data && draw(data, profile)
  }
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

function logPart(title: string, records: readonly StoredLine[], dropped: number): ResponsePart {
  const lines = records.map((record) => {
    const { level, channel, timeMs } = record
    return `${timeMs.toFixed(1)} ms ${level} ${channel}: ${fillPlaceholders(record).replace(/\s*\n\s*/g, ' \\n ')}`
  })
  return {
    title,
    ...(dropped === 0 ? {} : { text: `${formatCount(dropped)} lines were not kept.` }),
    lines,
  }
}

function databaseParts({ groups, queries, findings, dropped }: StoredParts['database']): readonly ResponsePart[] {
  if (groups.length === 0) return []
  const textOf = (group: number): string => quote(groups[group]?.text ?? '', 400)
  const repeats = findings.map(({ kind, group, count, totalMs, callSite, field }) => {
    const name = kind === 'n+1' ? 'N+1' : 'Duplicate'
    const sender = field === undefined ? '' : `, by the GraphQL resolver ${quote(field)} (gather the keys of its calls)`
    return `- ${name}: ${count} times, ${formatDuration(totalMs)}${callSite === null ? '' : `, from ${quote(callSite)}`}${sender}: ${textOf(group)}`
  })
  const failed = queries.flatMap(({ error, group, callSite }) =>
    error === null
      ? []
      : [`- Failed: ${quote(error)}${callSite === null ? '' : ` from ${quote(callSite)}`}: ${textOf(group)}`],
  )
  const slowest = groups
    .map((group, index) => ({ group, index }))
    .toSorted((one, other) => other.group.totalMs - one.group.totalMs)
    .map(({ group: { system, count, totalMs }, index }) => {
      const site = queries.find((query) => query.group === index && query.callSite !== null)?.callSite
      return `- ${formatDuration(totalMs)}, ${counted(count, 'time')}, ${quote(system)}${site == null ? '' : `, ${quote(site)}`}: ${textOf(index)}`
    })
  const text = dropped === 0 ? {} : { text: `${formatCount(dropped)} queries were not kept.` }
  return [{ title: 'Queries, slowest first', ...text, items: [...repeats, ...failed, ...slowest] }]
}

function outgoingParts({ calls, dropped }: StoredParts['http-client']): readonly ResponsePart[] {
  if (calls.length === 0) return []
  const items = calls.map(({ method, url, status, error, durationMs }) => {
    const result = error === null ? `${status ?? 'no response'}` : `failed: ${quote(error)}`
    return `- ${quote(`${method} ${url}`, 320)}: ${result}${durationMs === null ? '' : `, ${formatDuration(durationMs)}`}`
  })
  const text = dropped === 0 ? {} : { text: `${formatCount(dropped)} outgoing requests were not kept.` }
  return [{ title: 'Outgoing requests', ...text, items }]
}

function timeParts(data: StoredParts['time'], profile: Profile): readonly ResponsePart[] {
  const shares = [
    ['own code', data.ownCpuMs],
    ['waiting for other code', data.loopWaitMs],
    ['waiting for I/O', data.ioWaitMs],
  ] as const
  const known = shares.flatMap(([name, ms]) => (ms === null ? [] : [`${name} ${formatDuration(ms)}`]))
  const text = [`${formatDuration(profile.durationMs)} in all${known.length === 0 ? '' : `: ${known.join(', ')}`}.`]
  if (data.droppedSpans > 0) text.push(`${formatCount(data.droppedSpans)} spans were not kept.`)
  const items = data.spans
    .filter(({ durationMs }) => durationMs !== null)
    .toSorted((one, other) => (other.durationMs ?? 0) - (one.durationMs ?? 0))
    .map(({ name, category, startMs, durationMs }) => {
      return `- ${formatDuration(durationMs ?? 0)} from ${formatDuration(startMs)}: ${quote(name)} (${quote(category)})`
    })
  return [{ title: 'Time, longest spans first', text: text.join(' '), items }]
}

function requestParts(request: StoredParts['request'], profile: Profile): readonly ResponsePart[] {
  const { headers, responseHeaders, bytes, body } = request
  const named = ([name, value]: readonly [string, string]): string => `${name}: ${value}`
  const lines = [
    `${profile.method} ${profile.url}`,
    ...headers.map(named),
    ...(body === undefined ? [] : ['', 'Body:', ...jsonLines(body)]),
    '',
    `Response: ${profile.status}${bytes === null ? '' : `, ${formatBytes(bytes)}`}`,
    ...responseHeaders.map(named),
  ]
  return [{ title: 'Request and response', lines }]
}

/** What is said of a panel in words; `undefined` where there is only its data. */
export function saidParts(
  profile: Profile,
  panel: string,
  quoted: (text: string) => string,
): readonly ResponsePart[] | undefined {
  const draw = Object.hasOwn(panels, panel) ? panels[panel] : undefined
  return draw?.(profile) ?? partSections(profile, panel, quoted)
}

function dataParts(profile: Profile, panel: string): readonly ResponsePart[] {
  const data = profile.data[panel]
  return data === undefined ? [] : [{ lines: jsonLines(data), language: 'json' }]
}

function jsonLines(data: unknown): readonly string[] {
  return (JSON.stringify(data, null, 1) ?? 'null').split('\n')
}

/** One error of a chain. */
interface StoredError {
  readonly className: string
  readonly message: string
  readonly properties: readonly { readonly name: string; readonly value: string }[]
  readonly frames: readonly Frame[]
  readonly members: readonly { readonly errors: readonly StoredError[] }[]
}

type Parts = readonly ResponsePart[]

/** Why a request failed, and the errors of the chain with their stacks, the innermost first. `undefined`: nothing is known of an error. */
function errorParts(profile: Pick<Profile, 'data'>): { readonly cause: Parts; readonly stack: Parts } | undefined {
  const thrown = readPartAs(profile, 'exception', explained)
  if (thrown.state !== 'there') return undefined
  const { errors, candidates, hints, origins } = thrown.data
  const root = errors.at(-1)
  const quoted = (text: string): string => quote(text, 480)
  const lines = errors.toReversed().flatMap((error, index) => stackLines(error, index === 0 ? [] : ['wrapped by']))
  return {
    cause:
      root === undefined
        ? []
        : [
            rootPart(root, errors.length),
            ...listParts('Where to change it', candidates.map(candidateLine).map(quoted)),
            ...listParts('Hints', hints.map(({ title, text }) => `${title}: ${text}`).map(quoted)),
            ...sourceParts(root, errors),
            ...originParts(origins),
          ],
    stack: [{ title: 'Stack', lines }],
  }
}

function stackLines(error: StoredError, before: readonly string[]): readonly string[] {
  const { className, message, properties, members, frames } = error
  const inner = members.flatMap(({ errors }) => errors)
  return [
    ...before,
    `${className}: ${message}`,
    ...properties.map(({ name, value }) => `  ${name}: ${value}`),
    ...inner.map((one) => `  | ${one.className}: ${one.message}`),
    ...frames.map((frame) => `  at ${frameText(frame)}`),
  ].flatMap(linesOf)
}

function rootPart(root: StoredError, length: number): ResponsePart {
  const wrapped = length === 1 ? '' : ` (innermost of ${length} errors)`
  return {
    title: 'Root cause',
    text: `${quote(root.className, 120)}${wrapped}`,
    lines: linesOf(root.message === '' ? 'The error has no message.' : root.message),
  }
}

/** The source of the line that threw. A frame of the root says more than one of an error that wraps it. */
function sourceParts(root: StoredError, errors: readonly StoredError[]): Parts {
  const frame = leadingFrame(root.frames) ?? leadingFrame(errors.flatMap(({ frames }) => frames))
  if (frame === undefined) return []
  const text = quote(framePlace(frame))
  return [{ title: 'Source', text, lines: excerptLines(frame, 4), language: 'ts' }]
}

function originParts(origins: readonly ValueOrigin[]): Parts {
  if (origins.length === 0) return []
  const lines = origins.flatMap((origin) => [
    `// ${originHead(origin)}`,
    ...(origin.source === null ? [] : originSourceLines(origin.source)),
  ])
  return [{ title: 'Where the values come from', lines: lines.flatMap(linesOf), language: 'ts' }]
}

function linesOf(text: string): string[] {
  return text.split(/\r?\n/)
}

const excerpt = v.object({
  startLine: v.number(),
  lines: v.array(v.array(v.tuple([v.string(), v.string()]))),
})

const frame = v.object({
  functionName: v.optional(v.nullable(v.string()), null),
  file: v.string(),
  line: v.optional(v.number(), 0),
  column: v.optional(v.number(), 0),
  origin: v.picklist(['own', 'dependency', 'node']),
  isAsync: v.optional(v.boolean(), false),
  excerpt: v.optional(v.nullable(excerpt), null),
})

const error: v.GenericSchema<unknown, StoredError> = v.object({
  className: v.optional(v.string(), ''),
  message: v.optional(v.string(), ''),
  properties: v.optional(v.array(v.object({ name: v.string(), value: v.string() })), []),
  frames: v.array(frame),
  members: v.optional(v.array(v.object({ errors: v.array(v.lazy(() => error)) })), []),
})

/** Outermost first, with what explains it. */
const explained = v.object({
  errors: v.array(error),
  hints: v.optional(v.array(v.object({ title: v.string(), text: v.string() })), []),
  candidates: v.optional(v.array(v.object({ file: v.string(), line: v.number(), why: v.string() })), []),
  origins: v.optional(
    v.array(
      v.object({
        usedAt: v.string(),
        name: v.string(),
        note: v.string(),
        source: v.nullable(
          v.object({ file: v.string(), line: v.number(), parts: v.array(excerpt), marked: v.array(v.number()) }),
        ),
      }),
    ),
    [],
  ),
})
