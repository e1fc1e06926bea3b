// The parts of a profile that are described once, and what is said of each in words: in Markdown, exports and to agents. What is added here
// has its panel and its other forms.

import { libraryParts } from '../capture/parts.ts'
import type { DescribedPart } from '../observe/blocks/described-part.ts'
import { httpClientPart } from '../observe/outgoing/http-client-data.ts'
import { browserPart } from '../observe/browser/browser-data.ts'
import { commandPart, jobPart, taskPart } from '../observe/collectors/runs.ts'
import { configPart } from '../observe/collectors/config.ts'
import { dumpPart } from '../observe/collectors/dump.ts'
import { eventsPart } from '../observe/collectors/events.ts'
import { findingsPart } from '../observe/collectors/findings.ts'
import { passedPart } from '../observe/collectors/passed.ts'
import { routerPart } from '../observe/collectors/request.ts'
import { sessionPart } from '../observe/collectors/session.ts'
import { codePart } from '../ran/code-part.ts'
import { cpuPart, memoryPart } from '../profiles/measured-parts.ts'
import { notesPart } from '../profiles/profile-facts.ts'
import { candidateLine, originHead, originSourceLines } from '../errors/origin-lines.ts'
import type { Frame } from '../errors/flattened-error.ts'
import { excerptLines, framePlace, frameText, leadingFrame, variableLines } from '../errors/trace-lines.ts'
import type { ValueOrigin } from '../errors/value-origin.ts'
import { counted, formatBytes, formatCount, formatDuration } from '../base/html/components.ts'
import { fillPlaceholders } from '../base/log/logger.ts'
import { heading } from '../observe/blocks/blocks.ts'
import { delayBlocks } from '../profiles/delays.ts'
import { listSection, toSections, type Section } from '../observe/blocks/sections.ts'
import type { Profile } from '../observe/profile.ts'
import { dataOf, type StoredError, type StoredLine, type StoredParts } from '../profiles/stored-data.ts'

/** By name. Each gets only what its own collector wrote. */
export const describedParts: ReadonlyMap<string, DescribedPart> = new Map(
  [
    ...libraryParts,
    browserPart,
    codePart,
    commandPart,
    configPart,
    cpuPart,
    dumpPart,
    eventsPart,
    findingsPart,
    httpClientPart,
    jobPart,
    memoryPart,
    passedPart,
    notesPart,
    routerPart,
    sessionPart,
    taskPart,
  ].map((part: DescribedPart) => [part.name, part]),
)

/** Makes recorded text safe, in about so many bytes where there are few. */
type Quote = (text: string, maxBytes?: number) => string

type Sections = readonly Section[]

/** What is said of a panel in words; `undefined` where there is only its data. */
export function saidParts(profile: Profile, panel: string, quote: Quote): Sections | undefined {
  const say = Object.hasOwn(panels, panel) ? panels[panel] : undefined
  return say?.(profile, quote) ?? describedSections(profile, panel, quote)
}

type Say = (profile: Profile, quote: Quote) => Sections | undefined

const panels: Readonly<Record<string, Say>> = {
  exception: (profile, quote) => {
    const parts = errorParts(profile, quote)
    return parts && [...parts.cause, ...parts.stack]
  },
  logger: drawn('logger', ({ records, dropped }) => [logPart('Log', records, dropped)]),
  database: drawn('database', databaseParts),
  time: drawn('time', timeParts),
  request: drawn('request', requestParts),
}

/** The calls to other services in brief. */
export const outgoingCalls: Say = drawn('http-client', outgoingParts)

function drawn<Name extends keyof StoredParts>(
  name: Name,
  draw: (data: StoredParts[Name], quote: Quote, profile: Profile) => Sections,
): Say {
  return (profile, quote) => {
    const data = dataOf(profile, name)
    return data && draw(data, quote, profile)
  }
}

/** `undefined` for other names, and for data in a form that is not known. */
function describedSections(profile: Profile, name: string, quote: Quote): Sections | undefined {
  try {
    const part = describedParts.get(name)
    const data = part?.from?.(profile) ?? profile.data[name]
    const blocks = part?.brief?.(data, profile) ?? part?.draw(data, profile)
    return blocks && toSections(blocks, quote)
  } catch {
    return undefined
  }
}

export function logPart(title: string, records: readonly StoredLine[], dropped: number): Section {
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

function databaseParts({ groups, queries, findings, dropped }: StoredParts['database'], quote: Quote): Sections {
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

function outgoingParts({ calls, dropped }: StoredParts['http-client'], quote: Quote): Sections {
  if (calls.length === 0) return []
  const items = calls.map(({ method, url, status, error, durationMs }) => {
    const result = error === null ? `${status ?? 'no response'}` : `failed: ${quote(error)}`
    return `- ${quote(`${method} ${url}`, 320)}: ${result}${durationMs === null ? '' : `, ${formatDuration(durationMs)}`}`
  })
  const text = dropped === 0 ? {} : { text: `${formatCount(dropped)} outgoing requests were not kept.` }
  return [{ title: 'Outgoing requests', ...text, items }]
}

function timeParts(data: StoredParts['time'], quote: Quote, profile: Profile): Sections {
  const shares = [
    ['own code', data.ownCpuMs],
    ['waiting for other code', data.loopWaitMs],
    ['waiting for I/O', data.ioWaitMs],
  ] as const
  const known = shares.flatMap(([name, ms]) => (ms === null ? [] : [`${name} ${formatDuration(ms)}`]))
  const text = [`${formatDuration(profile.durationMs)} in total${known.length === 0 ? '' : `: ${known.join(', ')}`}.`]
  if (data.droppedSpans > 0) text.push(`${formatCount(data.droppedSpans)} spans were not kept.`)
  const items = data.spans
    .filter(({ durationMs }) => durationMs !== null)
    .toSorted((one, other) => (other.durationMs ?? 0) - (one.durationMs ?? 0))
    .map(({ name, category, startMs, durationMs }) => {
      return `- ${formatDuration(durationMs ?? 0)} from ${formatDuration(startMs)}: ${quote(name)} (${quote(category)})`
    })
  const delays = toSections([heading('Delays'), ...delayBlocks(data)], quote)
  return [{ title: 'Time, longest spans first', text: text.join(' '), items }, ...delays]
}

function requestParts(request: StoredParts['request'], _: Quote, profile: Profile): Sections {
  const { headers, responseHeaders, bytes, body, responseBody } = request
  const named = ([name, value]: readonly [string, string]): string => `${name}: ${value}`
  const lines = [
    `${profile.method} ${profile.url}`,
    ...headers.map(named),
    ...(body === undefined ? [] : ['', 'Body:', ...jsonLines(body)]),
    '',
    `Response: ${profile.status}${bytes === null ? '' : `, ${formatBytes(bytes)}`}`,
    ...responseHeaders.map(named),
    ...(responseBody === undefined ? [] : ['', 'Body:', ...jsonLines(responseBody)]),
  ]
  return [{ title: 'Request and response', lines }]
}

export function jsonLines(data: unknown): readonly string[] {
  return (JSON.stringify(data, null, 1) ?? 'null').split('\n')
}

/** Why a request failed, and the errors of the chain with their stacks, the innermost first. `undefined`: nothing is known of an error. */
export function errorParts(
  profile: Pick<Profile, 'data'>,
  quote: Quote,
): { readonly cause: Sections; readonly stack: Sections } | undefined {
  const thrown = dataOf(profile, 'exception')
  if (thrown === undefined) return undefined
  const { errors, candidates, hints, origins } = thrown
  const root = errors.at(-1)
  const quoted = (text: string): string => quote(text, 480)
  const lines = errors.toReversed().flatMap((error, index) => stackLines(error, index === 0 ? [] : ['wrapped by']))
  return {
    cause:
      root === undefined
        ? []
        : [
            rootPart(root, errors.length, quote),
            ...listSection('Where to change it', candidates.map(candidateLine).map(quoted)),
            ...listSection('Hints', hints.map(({ title, text }) => `${title}: ${text}`).map(quoted)),
            ...sourceParts(errors, quote),
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
    ...frames.flatMap((frame) =>
      [`  at ${frameText(frame)}`, variableLines(frame).map((line) => `    ${line}`)].flat(),
    ),
  ].flatMap(linesOf)
}

function rootPart(root: StoredError, length: number, quote: Quote): Section {
  const wrapped = length === 1 ? '' : ` (innermost of ${length} errors)`
  return {
    title: 'Root cause',
    text: `${quote(root.className, 120)}${wrapped}`,
    lines: linesOf(root.message === '' ? 'The error has no message.' : root.message),
  }
}

/** Where it was thrown, with its source. A frame of the root says more than one of an error that wraps it, and that more than one of a member. */
export function sourceFrame(errors: readonly StoredError[]): Frame | undefined {
  const own = leadingFrame(errors.at(-1)?.frames ?? []) ?? leadingFrame(errors.flatMap(({ frames }) => frames))
  if (own !== undefined) return own
  const members = errors.flatMap((error) => error.members)
  return members.map((member) => sourceFrame(member.errors)).find((frame) => frame !== undefined)
}

function sourceParts(errors: readonly StoredError[], quote: Quote): Sections {
  const frame = sourceFrame(errors)
  if (frame === undefined) return []
  const text = quote(framePlace(frame))
  return [{ title: 'Source', text, lines: excerptLines(frame, 4), language: 'ts' }]
}

function originParts(origins: readonly ValueOrigin[]): Sections {
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
