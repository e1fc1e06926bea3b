// How the profiler itself is doing.

import {
  counted,
  formatAge,
  formatBytes,
  formatClock,
  formatCount,
  formatDuration,
  formatTime,
} from '../../base/html/components.ts'
import { cutText } from '../../base/redact/cut-text.ts'
import {
  facts,
  heading,
  note,
  recorded,
  text,
  wideTable,
  type Block,
  type Blocks,
} from '../../observe/blocks/blocks.ts'
import type { FleetMember } from '../../profiles/fleet-stats.ts'
import type { OtlpStatus, ReceivingStatus, SendingStatus } from '../../profiles/otlp-status.ts'
import type { ProfileStoreStats, ReopenedStore } from '../../profiles/profile-store.ts'
import { missingSentence } from '../../profiles/query/missing-parts.ts'
import type { Losses, RecorderStatus } from '../../profiles/sampling/recorder-status.ts'
import { environmentBlocks, packageBlocks, readSurroundings, type Surroundings } from '../../profiles/surroundings.ts'
import { question, type Question } from './question.ts'

interface Status extends RecorderStatus {
  /** `null` where the folder of the application is not known. */
  readonly surroundings: Surroundings | null
}

export const status: Question = question({
  name: 'status',
  label: 'Status',
  title: () => 'Profiler status',
  about: 'show how the profiler is doing',
  parameters: {},
  ask: async ({ status: source, projectRoot }): Promise<Status | undefined> => {
    if (source === undefined) return undefined
    const surroundings = projectRoot === undefined ? null : await readSurroundings(projectRoot, process.env)
    return { ...(await source.read()), surroundings }
  },
  tone: (found) => (statusFacts(found).problems.length === 0 ? 'neutral' : 'warning'),
  draw: (found) => {
    const { problems, fills, sections } = statusFacts(found)
    const { store, surroundings } = found
    return [
      ...problems.map((problem) => note({ recorded: cutText(problem, 1000) })),
      heading('Store'),
      facts('Store', [
        ['Place', recorded(cutText(store.name, 300))],
        ...fills.map(({ name, used, most, share }) => [name, [`${used} of ${most}`, { bar: [share] }]] as const),
        ...(store.stats === null ? [['Size', 'unknown: the store cannot be read'] as const] : []),
      ]),
      {
        kind: 'columns',
        parts: [...sections.map(sectionBlocks), ...(surroundings === null ? [] : [packageBlocks(surroundings)])],
      },
      ...(store.stats?.fleet?.members === undefined ? [] : memberBlocks(store.stats.fleet.members, found)),
      ...(surroundings === null ? [] : environmentBlocks(surroundings)),
    ]
  },
})

function sectionBlocks({ title, rows, remark }: StatusSection): Blocks {
  return [
    heading(title),
    facts(
      title,
      rows.map(([name, value]) => [name, recorded(value)] as const),
    ),
    text(remark ?? false),
  ]
}

/** Every process that takes part. */
function memberBlocks(members: readonly FleetMember[], own: RecorderStatus): readonly (Block | null)[] {
  const rest = members.length - maxMembers
  return [
    heading('Processes that share the store'),
    wideTable(
      'Processes that share the store',
      'process',
      ['Machine', 'Process', 'Version', 'Since (UTC)', 'Last heard (UTC)', { number: 'Held' }, { number: 'Dropped' }],
      members.slice(0, maxMembers).map(({ host, pid, version, since, time, held, dropped }) => ({
        cells: [
          recorded(host),
          `${pid}${host === own.host && pid === own.processId ? ', this one' : ''}`,
          recorded(version),
          formatClock(since),
          formatClock(time).slice(11),
          formatCount(held),
          formatCount(dropped),
        ],
      })),
    ),
    text([
      rest > 0 ? `${formatCount(rest)} more are not shown.` : null,
      'Times are of the store’s clock; a process that is silent for long is no longer listed.',
    ]),
  ]
}

interface Fill {
  readonly name: string
  readonly used: string
  readonly most: string
  /** 0 to 1. */
  readonly share: number
}

interface StatusSection {
  readonly title: string
  readonly rows: readonly (readonly [name: string, value: string])[]
  /** What the reader should know about the figures. */
  readonly remark?: string
}

interface StatusFacts {
  /** What is wrong now or went wrong, a sentence each; empty when all is well. */
  readonly problems: readonly string[]
  /** How full the store is; empty while it cannot be read. */
  readonly fills: readonly Fill[]
  readonly sections: readonly StatusSection[]
}

function statusFacts(status: RecorderStatus): StatusFacts {
  const { store } = status
  return {
    problems: [
      ...problemsOf(status),
      ...(store.stats === null ? [] : fleetProblems(store.stats)),
      ...otlpProblems(status.otlp),
      ...status.notes,
    ],
    fills: store.stats === null ? [] : fillsOf(store.stats, status.takenAt),
    sections: [
      requests(status),
      queue(status),
      ...(store.stats === null ? [] : fleet(store.stats, status.takenAt)),
      ...kept(store.stats),
      cost(status),
      ...traces(status),
      processFacts(status),
    ],
  }
}

function problemsOf({ store, queue: waiting, lostLogLines }: RecorderStatus): readonly string[] {
  const wrong: readonly (readonly [boolean, string])[] = [
    [store.problem !== null, `Storage is off: ${store.problem} Profiles are kept in memory until the process ends.`],
    [store.failure !== null, `The store cannot be read now: ${store.failure}`],
    [waiting.isPaused, 'The store failed several times in a row; profiles wait for the next attempt.'],
    [waiting.dropped > 0, `${counted(waiting.dropped, 'profile')} lost: too many waited for the store, or it failed.`],
    [waiting.refused > 0, `${counted(waiting.refused, 'profile')} refused by the store.`],
    [
      (lostLogLines ?? 0) > 0,
      `${counted(lostLogLines ?? 0, 'line')} of the process log lost: its output is slow or gone.`,
    ],
  ]
  const reopened = reopenedSentence(store.stats?.reopened)
  return [
    ...(reopened === null ? [] : [reopened]),
    ...wrong.flatMap(([isWrong, sentence]) => (isWrong ? [sentence] : [])),
  ]
}

function fillsOf(stats: ProfileStoreStats, now: number): readonly Fill[] {
  const { oldestTime, longer, maxAgeMs } = stats
  const ageMs = typeof oldestTime === 'number' ? Math.max(0, now - oldestTime) : 0
  return [
    fill('Profiles', stats.count, stats.maxCount, formatCount),
    fill('Size', stats.bytes, stats.maxBytes, formatBytes),
    ...(oldestTime === undefined ? [] : [fill('Oldest', ageMs, longer?.maxAgeMs ?? maxAgeMs, formatAge)]),
  ]
}

function kept(stats: ProfileStoreStats | null): readonly StatusSection[] {
  if (stats === null) return []
  const { longer, maxAgeMs } = stats
  if (longer === undefined) return [{ title: 'Kept', rows: [['For at most', formatAge(maxAgeMs)]] }]
  return [
    {
      title: 'Kept longer: errors, slow, N+1, blocked',
      rows: [
        ['Profiles', formatCount(longer.count)],
        ['Size', formatBytes(longer.bytes)],
        ['Reserved for findings', percent(longer.share)],
        ['Kept for at most', formatAge(longer.maxAgeMs)],
        ['Other profiles', formatAge(maxAgeMs)],
      ],
      remark: 'How long stored profiles stay.',
    },
  ]
}

function fill(name: string, used: number, most: number, format: (value: number) => string): Fill {
  return { name, used: format(used), most: format(most), share: most > 0 ? Math.min(1, used / most) : 0 }
}

function requests({ decided }: RecorderStatus): StatusSection {
  const { refusedTokens } = decided
  const passes = Object.entries(refusedTokens).filter(([, count]) => count > 0)
  return {
    title: 'Requests since the start',
    rows: [
      ['Recorded', formatCount(decided.recorded)],
      ...some('Recorded by signed token', decided.asked),
      ['Not recorded: sampled out', formatCount(decided.sampledOut)],
      ...some('Not recorded: rate limit', decided.overPace),
      ...some('Not recorded: paused', decided.paused),
      ...some('Not recorded: no signed token', decided.notAsked),
      ...passes.map(([problem, count]) => [`Signed tokens refused: ${problem}`, formatCount(count)] as const),
    ],
  }
}

function queue({ queue: waiting, lostLogLines }: RecorderStatus): StatusSection {
  return {
    title: 'Write queue',
    rows: [
      ['Waiting', formatCount(waiting.queued)],
      ['Written', formatCount(waiting.written)],
      ['Dropped: queue full, store failed, or at the end', formatCount(waiting.dropped)],
      ['Refused by the store', formatCount(waiting.refused)],
      ['Writes that failed', formatCount(waiting.failures)],
      ...(lostLogLines === null ? [] : [['Lines of the process log lost', formatCount(lostLogLines)] as const]),
    ],
  }
}

function fleet(stats: ProfileStoreStats, now: number): readonly StatusSection[] {
  const rows = fleetRows(stats, now)
  if (rows.length === 0) return []
  return [{ title: fleetTitle, rows, remark: 'What this process held, dropped and stored since it started.' }]
}

function cost({ cost: own }: RecorderStatus): StatusSection {
  const names = { begin: 'Start', collect: 'Collect', write: 'Write' } as const
  return {
    title: 'Cost of recording',
    rows: [
      ['Per recorded request', microseconds(own.requestUs)],
      ...(own.cpuShare === null ? [] : [['Share of CPU time', percent(own.cpuShare)] as const]),
      ...own.parts.map(
        ({ part, count, meanUs }) => [names[part], count === 0 ? 'never' : `${microseconds(meanUs)} each`] as const,
      ),
    ],
    remark: 'Measured on the main thread. Excludes what a request records while it runs, and the store’s own thread.',
  }
}

function traces({ otlp: { sending, receiving } }: RecorderStatus): readonly StatusSection[] {
  return [
    ...(sending === null ? [] : [{ title: 'Sent as traces', rows: sendingRows(sending) }]),
    ...(receiving === null ? [] : [{ title: 'Received by OTLP', rows: receivingRows(receiving) }]),
  ]
}

function processFacts({ host, processId, runningMs, takenAt, versions, store }: RecorderStatus): StatusSection {
  return {
    title: 'Process',
    rows: [
      ...versions,
      ['Machine', host],
      ['Process', String(processId)],
      ['Recording for', formatDuration(runningMs)],
      ['Store', store.name],
      ['Updated', `${formatTime(takenAt)} UTC`],
    ],
    remark: 'Counts of this process since it started; other processes have their own.',
  }
}

function some(name: string, count: number): readonly (readonly [string, string])[] {
  return count === 0 ? [] : [[name, formatCount(count)]]
}

function percent(share: number): string {
  return `${(share * 100).toFixed(share < 0.1 ? 2 : 1)} %`
}

function microseconds(us: number): string {
  return us < 1000 ? `${us.toFixed(us < 10 ? 1 : 0)} µs` : formatDuration(us / 1000)
}

/** How many requests have no profile and why; `null` where every request has one. */
export function lossSentence(losses: Losses): string | null {
  const { sampledOut, overPace, notAsked, paused, dropped } = losses
  const parts = [
    countedAs(sampledOut, 'sampled out'),
    countedAs(overPace, 'over the rate limit'),
    countedAs(notAsked, 'without a signed token'),
    countedAs(paused, 'while recording was paused'),
    countedAs(dropped, 'lost before they were stored'),
  ].filter((part) => part !== null)
  if (parts.length === 0) return null
  const all = sampledOut + overPace + notAsked + paused + dropped
  return `${formatCount(all)} ${all === 1 ? 'request has' : 'requests have'} no profile: ${parts.join(', ')}.`
}

/** What a store says that went on with another file; `null` for every other one. */
export function reopenedSentence(reopened: ReopenedStore | null | undefined): string | null {
  if (reopened === null || reopened === undefined) return null
  const why = reopened.reason === 'damaged' ? 'damaged' : 'moved, removed or replaced'
  return `The store was reopened at ${formatTime(reopened.time)} UTC because its file was ${why}. Profiles that only the old file has are missing.`
}

function countedAs(count: number, what: string): string | null {
  return count === 0 ? null : `${formatCount(count)} ${what}`
}

type Row = readonly [name: string, value: string]

const fleetTitle = 'Store on many machines'

/** Processes that are listed at most; the others are counted. */
const maxMembers = 100

/** What is wrong now or went wrong, a sentence each. */
function fleetProblems({ missing, fleet }: ProfileStoreStats): readonly string[] {
  const outage = fleet?.outage ?? null
  const { dropped: lost = 0, displaced = 0 } = fleet ?? {}
  return [
    ...(missing === undefined ? [] : [missingSentence(missing)]),
    ...(outage === null ? [] : [`Out of reach since ${formatTime(outage.since)} UTC: ${outage.reason}`]),
    ...(lost === 0 ? [] : [`${counted(lost, 'profile')} lost: their part of the store was out of reach for too long.`]),
    ...(displaced === 0
      ? []
      : [`${counted(displaced, 'stored profile')} removed: the memory of their server was full.`]),
  ]
}

/** Rows of the section; none for a store that belongs to one machine. `now` is in milliseconds since 1970. */
function fleetRows({ missing, fleet }: ProfileStoreStats, now: number): readonly Row[] {
  if (fleet === undefined) return []
  const { held, heldBytes, maxHeld, maxHeldBytes, late, dropped, unconfirmed, outage, members } = fleet
  return [
    [
      'Parts out of reach',
      missing === undefined ? 'none' : `${formatCount(missing.parts)} of ${formatCount(missing.of)}`,
    ],
    ...(outage === null ? [] : [['Out of reach for', formatAge(Math.max(0, now - outage.since))] as const]),
    ['Held until their part is back', `${formatCount(held)} of at most ${formatCount(maxHeld)}`],
    ['Size of these', `${formatBytes(heldBytes)} of at most ${formatBytes(maxHeldBytes)}`],
    ['Held and stored later', formatCount(late)],
    ['Held and dropped', formatCount(dropped)],
    ['Stored, but confirmed by no replica', formatCount(unconfirmed)],
    ...(members === undefined ? [] : [['Processes', membersText(members)] as const]),
  ]
}

/** `12 on 3 machines` */
function membersText(members: readonly FleetMember[]): string {
  const machines = new Set(members.map(({ host }) => host)).size
  return `${formatCount(members.length)} on ${counted(machines, 'machine')}`
}

/** What went wrong, a sentence each. */
function otlpProblems({ sending, receiving }: OtlpStatus): readonly string[] {
  return [
    ...(sending === null ? [] : sendingProblems(sending)),
    ...(receiving === null ? [] : receivingProblems(receiving)),
  ]
}

function sendingProblems(sending: SendingStatus): readonly string[] {
  const { address, problem, dropped, refused, rejectedSpans } = sending
  return [
    ...(problem === null ? [] : [`Profiles are not sent as traces: ${address} did not take them: ${problem}.`]),
    ...(dropped === 0
      ? []
      : [`${counted(dropped, 'profile')} not sent as traces: too many waited, or they were gone.`]),
    ...(refused === 0 ? [] : [`${counted(refused, 'profile')} refused as traces by ${address}.`]),
    ...(rejectedSpans === 0 ? [] : [`${counted(rejectedSpans, 'span')} left out by ${address}.`]),
  ]
}

function receivingProblems(receiving: ReceivingStatus): readonly string[] {
  const { rejectedSpans, rejectedLogRecords, refused, problem } = receiving
  if (problem === null) return []
  const counts = [
    ...(rejectedSpans === 0 ? [] : [counted(rejectedSpans, 'received span')]),
    ...(rejectedLogRecords === 0 ? [] : [counted(rejectedLogRecords, 'received log line')]),
    ...(refused === 0 ? [] : [counted(refused, 'received request')]),
  ]
  return [`Not kept: ${counts.join(', ')}. The last time: ${problem}.`]
}

function receivingRows(receiving: ReceivingStatus): readonly (readonly [name: string, value: string])[] {
  return [
    ['Requests', formatCount(receiving.requests)],
    ['Spans', formatCount(receiving.spans)],
    ['Log lines', formatCount(receiving.logRecords)],
    ['Spans not kept', formatCount(receiving.rejectedSpans)],
    ['Log lines not kept', formatCount(receiving.rejectedLogRecords)],
    ['Requests refused', formatCount(receiving.refused)],
  ]
}

function sendingRows(sending: SendingStatus): readonly (readonly [name: string, value: string])[] {
  return [
    ['To', sending.address],
    ['Sent', formatCount(sending.sent)],
    ['Waiting', formatCount(sending.waiting)],
    ['Dropped: queue full, gone, or at the end', formatCount(sending.dropped)],
    ['Refused by the receiver', formatCount(sending.refused)],
    ['Spans that it left out', formatCount(sending.rejectedSpans)],
    ['Requests that failed', formatCount(sending.failures)],
  ]
}
