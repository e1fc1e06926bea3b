// The panels of a profile as parts of a response.

import { formatBytes, formatDuration, formatCount } from '../../framework/html/components.ts'
import { fillPlaceholders } from '../../framework/log/logger.ts'
import type { Profile } from '../profile.ts'
import { dataOf, type StoredLine, type StoredParts } from '../stored-data.ts'
import { errorParts } from './error-parts.ts'
import { quote, type ResponsePart } from './tool-response.ts'

/** What a tool says of one panel from item or line number `from` on. Names of panels that were never recorded give none. */
export function panelParts(profile: Profile, panel: string, from: number): readonly ResponsePart[] {
  const draw = Object.hasOwn(panels, panel) ? panels[panel] : undefined
  const parts = draw?.(profile) ?? jsonParts(profile.data[panel])
  // `from` counts what the last part has.
  return parts.map((part, index) => (index === parts.length - 1 ? startingAt(part, panel, from) : part))
}

/** Warnings and errors of the log, queries and outgoing requests that deserve a look: what an overview needs of the panels. */
export function findingParts(profile: Profile): readonly ResponsePart[] {
  const records = dataOf(profile, 'logger')?.records ?? []
  const problems = records.filter(({ level }) => level === 'warn' || level === 'error' || level === 'fatal')
  const log = problems.length === 0 ? [] : [logPart('Warnings and errors in the log', problems, 0)]
  return [
    ...withMore(log, 'logger'),
    ...(['database', 'http-client', 'time'] as const).flatMap((name) => withMore(panels[name](profile) ?? [], name)),
  ]
}

/** Parts of an overview. */
export function withMore(parts: readonly ResponsePart[], panel: string): readonly ResponsePart[] {
  return parts.map((part) => ({ ...part, more: moreOf(panel) }))
}

/** How to get all of a panel. */
function moreOf(panel: string): string {
  return `\`show\` with ${quote(`panel: "${panel}"`)}`
}

type DrawPanel = (profile: Profile) => readonly ResponsePart[] | undefined

const panels: Readonly<Record<'database' | 'http-client' | 'time', DrawPanel> & Record<string, DrawPanel>> = {
  exception: (profile) => {
    const parts = errorParts(profile)
    return parts && [...parts.cause, ...parts.stack]
  },
  logger: drawn('logger', ({ records, dropped }) => [logPart('Log', records, dropped)]),
  database: drawn('database', databaseParts),
  'http-client': drawn('http-client', outgoingParts),
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
      return `- ${formatDuration(totalMs)}, ${count} times, ${quote(system)}${site == null ? '' : `, ${quote(site)}`}: ${textOf(index)}`
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

/** What no function here knows: the data as it is kept. */
function jsonParts(data: unknown): readonly ResponsePart[] {
  return data === undefined ? [] : [{ lines: jsonLines(data), language: 'json' }]
}

function jsonLines(data: unknown): readonly string[] {
  return (JSON.stringify(data, null, 1) ?? 'null').split('\n')
}
