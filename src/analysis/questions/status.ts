// How the profiler itself is doing.

import { counted, formatAge, formatBytes, formatCount, formatDuration, formatTime } from '../../base/html/components.ts'
import { cutText } from '../../base/redact/cut-text.ts'
import { facts, heading, note, recorded, text, type Blocks, type Fact } from '../../observe/blocks/blocks.ts'
import { type ProfileStoreStats, missingSentence } from '../../profiles/profile-store.ts'
import type { ReceivingStatus, RecorderStatus, SendingStatus } from '../../profiles/sampling/recorder-status.ts'
import { reopenedSentence } from '../../profiles/profile-facts.ts'
import { question, type Question } from '../../pages/question.ts'
import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { valueOfJson } from '../../base/http/json.ts'
import { isRecord } from '../../base/options/check-options.ts'

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
  tone: (found) => (problemsOf(found).length === 0 ? 'neutral' : 'warning'),
  draw: (found) => {
    const { store, surroundings } = found
    const { stats } = store
    return [
      ...problemsOf(found).map((problem) => note({ recorded: cutText(problem, 1000) })),
      {
        kind: 'columns',
        parts: [
          storeBlocks(store, found.takenAt),
          requests(found),
          ...(stats === null ? [] : fleet(stats, found.takenAt)),
          ...cost(found),
          ...traces(found),
          processFacts(found),
        ],
      },
      ...(surroundings === null ? [] : [...packageBlocks(surroundings), ...environmentBlocks(surroundings)]),
    ]
  },
})

type Row = readonly [name: string, value: string]

/** `remark`: what the reader should know about the figures. */
function section(title: string, rows: readonly Row[], remark?: string): Blocks {
  const all = rows.map(([name, value]) => [name, recorded(value)] as const)
  return [heading(title), facts(title, all), text(remark ?? false)]
}

/** Those that are `undefined` are left out. */
function counts(named: Readonly<Record<string, number | undefined>>): readonly Row[] {
  return Object.entries(named).flatMap(([name, count]): readonly Row[] =>
    count === undefined ? [] : [[name, formatCount(count)]],
  )
}

/** `stats`: `null` if it cannot be read. */
function storeBlocks({ name, stats }: Pick<RecorderStatus['store'], 'name' | 'stats'>, now: number): Blocks {
  const full = stats === null ? [['Size', 'unknown: the store cannot be read'] as const] : fills(stats, now)
  return [heading('Store'), facts('Store', [['Place', recorded(cutText(name, 300))], ...full])]
}

/** What is wrong now or went wrong, a sentence each; empty when all is well. */
function problemsOf({ store, queue: waiting, lostLogLines, otlp, notes }: RecorderStatus): readonly string[] {
  const { stats } = store
  const { sending, receiving } = otlp
  const { dropped: lost = 0, outage = null } = stats?.fleet ?? {}
  const wrong = [
    reopenedSentence(stats?.reopened),
    store.problem && `Storage is off: ${store.problem} Profiles are kept in memory until the process ends.`,
    store.failure && `The store cannot be read now: ${store.failure}`,
    waiting.isPaused && 'The store failed several times in a row; profiles wait for the next attempt.',
    waiting.dropped > 0 && `${counted(waiting.dropped, 'profile')} lost: too many waited for the store, or it failed.`,
    waiting.refused > 0 && `${counted(waiting.refused, 'profile')} refused by the store.`,
    (lostLogLines ?? 0) > 0 &&
      `${counted(lostLogLines ?? 0, 'line')} of the process log lost: its output is slow or gone.`,
    stats?.missing && missingSentence(stats.missing),
    outage && `Out of reach since ${formatTime(outage.since)} UTC: ${outage.reason}`,
    lost > 0 && `${counted(lost, 'profile')} lost: their part of the store was out of reach for too long.`,
    ...(sending === null ? [] : sendingProblems(sending)),
    receiving?.problem != null && `Not kept: ${rejectedText(receiving)}. The last time: ${receiving.problem}.`,
    ...notes,
  ]
  return wrong.filter((sentence) => typeof sentence === 'string')
}

function sendingProblems({
  address,
  problem,
  dropped,
  refused,
  rejectedSpans,
}: SendingStatus): readonly (string | false)[] {
  return [
    problem !== null && `Profiles are not sent as traces: ${address} did not take them: ${problem}.`,
    dropped > 0 && `${counted(dropped, 'profile')} not sent as traces: too many waited, or they were gone.`,
    refused > 0 && `${counted(refused, 'profile')} refused as traces by ${address}.`,
    rejectedSpans > 0 && `${counted(rejectedSpans, 'span')} left out by ${address}.`,
  ]
}

function rejectedText({ rejectedSpans, rejectedLogRecords, refused }: ReceivingStatus): string {
  const all = { 'received span': rejectedSpans, 'received log line': rejectedLogRecords, 'received request': refused }
  return Object.entries(all)
    .flatMap(([name, count]) => (count === 0 ? [] : [counted(count, name)]))
    .join(', ')
}

/** How full the store is. */
function fills(stats: ProfileStoreStats, now: number): readonly Fact[] {
  const { oldestTime, longer, maxAgeMs } = stats
  const fill = (name: string, used: number, most: number, format: (value: number) => string): Fact => [
    name,
    [`${format(used)} of ${format(most)}`, { bar: [most > 0 ? Math.min(1, used / most) : 0] }],
  ]
  return [
    fill('Profiles', stats.count, stats.maxCount, formatCount),
    fill('Size', stats.bytes, stats.maxBytes, formatBytes),
    ...(typeof oldestTime !== 'number'
      ? []
      : [fill('Oldest', Math.max(0, now - oldestTime), longer?.maxAgeMs ?? maxAgeMs, formatAge)]),
    ['Kept for', formatAge(maxAgeMs)],
    ...(longer === undefined ? [] : [['Kept for, with findings', formatAge(longer.maxAgeMs)] as const]),
  ]
}

function requests({ decided }: RecorderStatus): Blocks {
  const refused = Object.entries(decided.refusedTokens).map(
    ([problem, count]) => [`Signed tokens refused: ${problem}`, count || undefined] as const,
  )
  return section(
    'Requests since the start',
    counts({
      Recorded: decided.recorded,
      'Recorded by signed token': decided.asked || undefined,
      'Not recorded: sampled out': decided.sampledOut || undefined,
      'Not recorded: rate limit': decided.overPace || undefined,
      'Not recorded: paused': decided.paused || undefined,
      'Not recorded: no signed token': decided.notAsked || undefined,
      ...Object.fromEntries(refused),
    }),
  )
}

/** The first requests load and compile what recording needs: the mean of a few says nothing. */
const fewestForMean = 1000

function cost({ cost: { requestUs, cpuShare }, decided }: RecorderStatus): readonly Blocks[] {
  const mean: readonly Row[] =
    decided.recorded < fewestForMean ? [] : [['To begin and end a recording, on average', microseconds(requestUs)]]
  const share: readonly Row[] = cpuShare === null ? [] : [['Share of CPU time', percent(cpuShare)]]
  const rows = [...mean, ...share]
  const remark = 'On the main thread, without what a request records while it runs.'
  return rows.length === 0 ? [] : [section('Cost of recording', rows, remark)]
}

/** What went wrong stands above. */
function traces({ otlp: { sending, receiving } }: RecorderStatus): readonly Blocks[] {
  const sent = sending && counts({ Sent: sending.sent, Waiting: sending.waiting })
  const received =
    receiving && counts({ Requests: receiving.requests, Spans: receiving.spans, 'Log lines': receiving.logRecords })
  return [
    ...(sent === null ? [] : [section('Sent as traces', [['To', sending?.address ?? ''], ...sent])]),
    ...(received === null ? [] : [section('Received by OTLP', received)]),
  ]
}

function processFacts({ host, processId, runningMs, versions }: RecorderStatus): Blocks {
  const rows: readonly Row[] = [
    ...versions,
    ['Process', `${processId} on ${host}`],
    ['Recording for', formatDuration(runningMs)],
  ]
  return section('Process', rows, 'Counts are those of this process.')
}

function percent(share: number): string {
  return `${(share * 100).toFixed(share < 0.1 ? 2 : 1)} %`
}

function microseconds(us: number): string {
  return us < 1000 ? `${us.toFixed(us < 10 ? 1 : 0)} µs` : formatDuration(us / 1000)
}

/** Nothing for a store that belongs to one machine. `now` is in milliseconds since 1970. */
function fleet({ missing, fleet: found }: ProfileStoreStats, now: number): readonly Blocks[] {
  if (found === undefined) return []
  const { held, heldBytes, maxHeld, maxHeldBytes, late, dropped, unconfirmed, outage } = found
  const rows: readonly Row[] = [
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
  ]
  return [section('Store on many machines', rows, 'What this process held, dropped and stored since it started.')]
}

interface InstalledPackage {
  readonly name: string
  /** As it is installed; `null` if it is not, or its version cannot be read. */
  readonly version: string | null
}

interface Surroundings {
  /** Of `dependencies` and `optionalDependencies`, by name, 200 at most. */
  readonly packages: readonly InstalledPackage[]
  /** By name, 500 at most. */
  readonly environmentNames: readonly string[]
  /** How many more of both there are. */
  readonly omitted: number
}

const maxPackages = 200
const maxNames = 500
/** Characters of a name at most. */
const maxLength = 200

/** Reads the package.json of a folder. A file that is missing or not one of npm's names no packages. Never rejects. */
export async function readSurroundings(
  projectRoot: string,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<Surroundings> {
  const manifest = await readJson(join(projectRoot, 'package.json'))
  const named = ['dependencies', 'optionalDependencies'].flatMap((part) => Object.keys(recordOf(manifest[part])))
  const names = [...new Set(named)].filter((name) => packageName.test(name)).toSorted()
  const variables = Object.keys(environment).toSorted()
  return {
    packages: await Promise.all(
      names.slice(0, maxPackages).map(async (name) => ({ name, version: await installedVersion(projectRoot, name) })),
    ),
    environmentNames: variables.slice(0, maxNames).map((name) => name.slice(0, maxLength)),
    omitted: Math.max(0, names.length - maxPackages) + Math.max(0, variables.length - maxNames),
  }
}

/** A name as npm allows it; a name that leads out of the folder is not one. */
const packageName = /^(?:@[a-z0-9~-][\w.~-]*\/)?[a-z0-9~-][\w.~-]{0,213}$/i

/** Looks where Node does: in the folder and in those above it. */
async function installedVersion(folder: string, name: string): Promise<string | null> {
  const { version } = await readJson(join(folder, 'node_modules', name, 'package.json'))
  if (typeof version === 'string') return version.slice(0, maxLength)
  const above = dirname(folder)
  return above === folder ? null : installedVersion(above, name)
}

async function readJson(path: string): Promise<Readonly<Record<string, unknown>>> {
  return recordOf(valueOfJson(await readFile(path, 'utf8').catch(() => '')))
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return isRecord(value) ? value : {}
}

function packageBlocks({ packages }: Surroundings): Blocks {
  if (packages.length === 0) return []
  const versions = packages.map(({ name, version }) => {
    return [{ recorded: cutText(name, 200) }, recorded(version ?? 'not installed')] as const
  })
  const title = `${counted(packages.length, 'dependency', 'dependencies')} in package.json, as installed now`
  return [heading('Packages'), { kind: 'fold', title, block: facts('Packages', versions) }]
}

function environmentBlocks({ environmentNames, omitted }: Surroundings): Blocks {
  return [
    heading('Environment variables'),
    {
      kind: 'fold',
      title: `${counted(environmentNames.length, 'name')}; values are not shown`,
      block: { kind: 'text', text: environmentNames.map((name) => ({ code: name })) },
    },
    text(omitted > 0 && `${counted(omitted, 'more name')} of packages and variables not shown.`),
  ]
}
