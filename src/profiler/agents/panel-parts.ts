// The panels of a profile as parts of a response.

import { formatBytes, formatDuration, formatCount } from '../../framework/html/components.ts'
import { fillPlaceholders } from '../../framework/log/logger.ts'
import type { Profile } from '../profile.ts'
import { dataOf, notesOf, type StoredLine, type StoredParts } from '../stored-data.ts'
import type { ResponsePart, More } from './tool-response.ts'
import { causeParts, stackPart } from './error-parts.ts'
import { quote } from './quote.ts'
import { readThrown } from './stored-error.ts'

/** How to get a panel, from item or line number `from` on. */
export type MoreOf = (panel: string) => More

/** What a tool says of one panel from item or line number `from` on. Names of panels that were never recorded give none. */
export function panelParts(profile: Profile, panel: string, from: number, moreOf: MoreOf): readonly ResponsePart[] {
  const draw = Object.hasOwn(panels, panel) ? panels[panel] : undefined
  const more = moreOf(panel)
  const parts = draw?.(profile, more) ?? jsonParts(profile.data[panel], more)
  // `from` counts what the last part has.
  return parts.map(({ more: ofPart, ...part }, index) =>
    index === parts.length - 1 ? startingAt(part, from, ofPart) : part,
  )
}

/** Warnings and errors of the log, queries and outgoing requests that deserve a look: what an overview needs of the panels. */
export function findingParts(profile: Profile, moreOf: MoreOf): readonly ResponsePart[] {
  return [
    ...problemParts(profile, moreOf('logger')),
    ...databaseParts(profile, moreOf('database')),
    ...outgoingParts(profile, moreOf('http-client')),
    ...timeParts(profile, moreOf('time')),
  ].map(besideOthers)
}

type DrawPanel = (profile: Profile, more: More) => readonly ResponsePart[] | undefined

const panels: Readonly<Record<string, DrawPanel>> = {
  exception: (profile, more) => {
    const thrown = readThrown(profile)
    return thrown.state === 'there' ? [...causeParts(thrown.data, more), stackPart(thrown.data, more)] : undefined
  },
  logger: (profile, more) => {
    const log = dataOf(profile, 'logger')
    return log && [logPart('Log', log.records, log.dropped, more)]
  },
  database: (profile, more) => dataOf(profile, 'database') && databaseParts(profile, more),
  'http-client': (profile, more) => dataOf(profile, 'http-client') && outgoingParts(profile, more),
  time: (profile, more) => dataOf(profile, 'time') && timeParts(profile, more),
  request: (profile, more) => {
    const request = dataOf(profile, 'request')
    return request && requestParts(profile, request, more)
  },
}

function besideOthers(part: ResponsePart): ResponsePart {
  return { share: 0.4, ...part }
}

function startingAt(part: ResponsePart, from: number, more: More | undefined): ResponsePart {
  const { items, lines } = part
  return {
    ...part,
    ...(items === undefined ? {} : { items: items.slice(from) }),
    ...(lines === undefined ? {} : { lines: lines.slice(from) }),
    ...(more === undefined ? {} : { more: (next) => more(next + from) }),
  }
}

function problemParts(profile: Profile, more: More): readonly ResponsePart[] {
  const records = dataOf(profile, 'logger')?.records ?? []
  const problems = records.filter(({ level }) => level === 'warn' || level === 'error' || level === 'fatal')
  return problems.length === 0 ? [] : [logPart('Warnings and errors in the log', problems, 0, () => more(0))]
}

function logPart(title: string, records: readonly StoredLine[], dropped: number, more: More): ResponsePart {
  const lines = records.map((record) => {
    const { level, channel, timeMs } = record
    return `${timeMs.toFixed(1)} ms ${level} ${channel}: ${fillPlaceholders(record).replace(/\s*\n\s*/g, ' \\n ')}`
  })
  return {
    title,
    ...(dropped === 0 ? {} : { text: `${formatCount(dropped)} lines were not kept.` }),
    lines,
    things: 'lines',
    more,
  }
}

function databaseParts(profile: Profile, more: More): readonly ResponsePart[] {
  const data = dataOf(profile, 'database')
  if (data === undefined || data.groups.length === 0) return []
  const { groups, queries, findings, dropped } = data
  const textOf = (group: number): string => quote(groups[group]?.text ?? '', 100)
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
  return [
    { title: 'Queries, slowest first', ...text, items: [...repeats, ...failed, ...slowest], things: 'queries', more },
  ]
}

function outgoingParts(profile: Profile, more: More): readonly ResponsePart[] {
  const data = dataOf(profile, 'http-client')
  if (data === undefined || data.calls.length === 0) return []
  const items = data.calls.map(({ method, url, status, error, durationMs }) => {
    const result = error === null ? `${status ?? 'no response'}` : `failed: ${quote(error)}`
    return `- ${quote(`${method} ${url}`, 80)}: ${result}${durationMs === null ? '' : `, ${formatDuration(durationMs)}`}`
  })
  const text = data.dropped === 0 ? {} : { text: `${formatCount(data.dropped)} outgoing requests were not kept.` }
  return [{ title: 'Outgoing requests', ...text, items, things: 'outgoing requests', more }]
}

function timeParts(profile: Profile, more: More): readonly ResponsePart[] {
  const data = dataOf(profile, 'time')
  if (data === undefined) return []
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
  return [{ title: 'Time, longest spans first', text: text.join(' '), items, things: 'spans', more }]
}

function requestParts(profile: Profile, request: StoredParts['request'], more: More): readonly ResponsePart[] {
  const { headers, responseHeaders, bytes, body } = request
  const named = ([name, value]: readonly [string, string]): string => `${name}: ${value}`
  const content = body?.content ?? null
  const sent =
    content === null
      ? []
      : content.kind === 'json'
        ? (JSON.stringify(content.value, null, 1) ?? '').split('\n')
        : (content.fields?.map(([name, value]) => `${name}=${value}`) ?? (content.text ?? content.kind).split('\n'))
  const lines = [
    `${profile.method} ${profile.url}`,
    ...headers.map(named),
    ...(body === undefined
      ? []
      : [
          '',
          `Body: ${body.state}${body.mediaType === '' ? '' : `, ${body.mediaType}`}, ${formatBytes(body.readBytes)} read`,
        ]),
    ...sent,
    '',
    `Response: ${profile.status}${bytes === null ? '' : `, ${formatBytes(bytes)}`}`,
    ...responseHeaders.map(named),
  ]
  return [{ title: 'Request and response', lines, more }]
}

/** What no function here knows: the data as it is kept. */
function jsonParts(data: unknown, more: More): readonly ResponsePart[] {
  if (data === undefined) return []
  return [{ lines: (JSON.stringify(data, null, 1) ?? 'null').split('\n'), language: 'json', more }]
}

/** What the profile says of itself. */
export function noteParts(profile: Profile, more: More): readonly ResponsePart[] {
  const notes = notesOf(profile)
  if (notes.length === 0) return []
  return [
    { title: 'Notes', items: notes.map(({ message }) => `- ${quote(message, 80)}`), things: 'notes', more, share: 0.3 },
  ]
}
