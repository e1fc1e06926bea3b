// What `fanlight lock` says of the lock once a command has changed it, `lock status`, and `lock dry-run`: which of the newest recorded requests a
// lock would have turned away, by route.

import { closuresOf, sayClosures, isTurnedAway } from '../../plugins/maintenance/closure.ts'
import { isMaintenance, joinBits } from '../../plugins/maintenance/lock-bits.ts'
import type { LockLink, LockState, LockStore, Closure } from '../../plugins/maintenance/lock-store.ts'
import { byBegin, endOfWindows, isActive } from '../../plugins/maintenance/lock-windows.ts'
import { linkAddress } from '../../plugins/maintenance/pass.ts'
import type { Cli } from '../cli.ts'
import { factLines, visibleText, tableLines, type Column } from '../terminal.ts'
import { shortTime, readClosure, type ClosureOptions, closesText } from './lock-plan.ts'
import { setTimeout } from 'node:timers/promises'
import type { JournalContent, StoredReport } from '../../plugins/maintenance/lock-journal.ts'
import { usageError, CliError, readDuration, withJson } from '../command.ts'
import type { Command } from 'commander'
import { Exceptions, exceptionsAllowed, isException } from '../../plugins/maintenance/exceptions.ts'
import type { ProfileSummary } from '../../profiler/profile.ts'
import type { ProfileReader } from '../../profiler/profile-store.ts'
import { NotedReads } from '../../profiler/query/missing-parts.ts'

/** What a command knows beside the state. */
interface StatusMoment {
  /** The clock of the store, in milliseconds since 1970. */
  readonly now: number
  /** The link that the command has made. It is shown once. */
  readonly link?: LockLink | undefined
  /** Where the command has waited for requests. */
  readonly drained?: Drained
}

/** Prints what is closed, why and since when. */
export function showLock(cli: Cli, shared: LockState, options: { readonly json?: true }, moment: StatusMoment): void {
  const { now, link: made, drained } = moment
  const { terminal } = cli
  const bootValue = cli.context().lock
  const value = joinBits(bootValue, shared.value)
  const { windows = [] } = shared
  const byHand = closuresOf(value, shared)
  const active = windows.filter((window) => isActive(window, now))
  const closures = [...byHand, ...active]
  const isWhole = closures.some(({ only, readOnly }) => only === undefined && readOnly !== true)
  const { reason, retryAfterSeconds, changedAt, changedBy = null, since = null, only = null, readOnly = false } = shared
  const linkExpiresAt = shared.link?.expiresAt ?? null
  if (options.json === true) {
    terminal.json({
      closed: closures.length > 0,
      value,
      bootValue,
      sharedValue: shared.value,
      only,
      readOnly,
      reason,
      retryAfterSeconds,
      since,
      changedAt,
      changedBy,
      linkExpiresAt,
      opensAt:
        byHand.length > 0 || active.length === 0 ? null : new Date(endOfWindows(windows, now) ?? now).toISOString(),
      windows,
      ...(drained === undefined ? {} : { drained }),
      ...(made === undefined ? {} : { link: linkAddress(made) }),
    })
    return
  }
  const verdict = terminal.tone(
    closures.length > 0 ? 'bad' : 'good',
    isWhole ? 'closed' : closures.length > 0 ? 'closed in part' : 'open',
  )
  const facts: (readonly [string, string])[] = [['value', String(value)]]
  if (closuresOf(shared.value, shared).length > 0) {
    facts.push(['reason', reason === '' ? 'none given' : reason])
    facts.push(['retry after', retryAfterSeconds === null ? 'set by the application' : `${retryAfterSeconds} s`])
  }
  for (const { id, to, reason: why } of active) {
    facts.push(['by plan', `${id} until ${shortTime(Date.parse(to))}${why === '' ? '' : `: ${why}`}`])
  }
  const next = byBegin(windows).find(({ from }) => Date.parse(from) > now)
  if (next !== undefined) facts.push(['next plan', `${next.id} from ${shortTime(Date.parse(next.from))}`])
  facts.push(['changed', Date.parse(changedAt) > 0 ? changedAt : 'never'])
  if (changedBy !== null) facts.push(['by', changedBy])
  if (made !== undefined) facts.push(['link', linkAddress(made)])
  if (linkExpiresAt !== null) facts.push(['link until', linkExpiresAt])
  if (isMaintenance(bootValue))
    facts.push(['APP_LOCK', `${bootValue}: closes this application, whatever the store says`])
  terminal.lines([`The application is ${verdict}: ${sayClosures(closures)}.`, ...factLines(terminal, facts)])
  if (made !== undefined) {
    terminal.lines([
      'Append the link to the address of the application. It works if maintenance() has the exception links.',
    ])
  }
}

/** How often the store is asked, in milliseconds. */
const lookMs = 250

/** How long a change waits for word of processes, in milliseconds: they hear of it within a second. */
const unheardMs = 2000

const defaultDeadlineSeconds = 60

/** A process that reports nothing for this long, in milliseconds, was killed. One that runs reports a lock within a second, and every ten seconds while requests run. */
const silentMs = 30_000

export interface DrainOptions {
  readonly drain?: true
  readonly deadline?: string
}

/** Seconds to wait at most; `undefined`: it does not wait. Throws a usage error. */
export function readDrain({ drain: isAsked, deadline }: DrainOptions): number | undefined {
  if (deadline === undefined) return isAsked === true ? defaultDeadlineSeconds : undefined
  if (isAsked === undefined) throw usageError('--deadline', deadline, 'it together with --drain')
  return readDuration('--deadline', deadline, 86_400, 1)
}

/** What processes say. */
interface Remaining {
  readonly running: number
  /** `web-1 4711 (3)` */
  readonly busy: readonly string[]
  /** Processes that have not heard of the lock yet. */
  readonly unheard: readonly string[]
  /** Processes that are not waited for any more. */
  readonly silent: readonly string[]
  /** Without the silent ones. */
  readonly processes: number
}

/** How it ended, for JSON. */
interface Drained {
  readonly running: number
  readonly processes: number
  readonly silent: readonly string[]
}

/**
 * Settles once every process has heard of the state and has no request left that began before. `isQuiet`: says nothing meanwhile. Throws a
 * CliError at the deadline, or when the command is stopped: the application stays closed.
 */
export async function drain(
  cli: Cli,
  { journal }: LockStore,
  changedAt: string,
  { seconds, isQuiet }: { readonly seconds: number; readonly isQuiet: boolean },
): Promise<Drained> {
  if (journal === undefined) throw new CliError('this store does not know which requests run')
  const stop = cli.stopSignal()
  const deadline = performance.now() + seconds * 1000
  const since = await journal.now()
  let said = ''
  for (;;) {
    const left = remaining(await journal.read(), changedAt, since)
    if (left.running === 0 && left.unheard.length === 0) {
      if (!isQuiet) cli.terminal.lines(sayDrained(left))
      return { running: 0, processes: left.processes, silent: left.silent }
    }
    const sentence = sayRemaining(left)
    if (stop.aborted) throw new CliError(`stopped waiting: ${sentence}; the application stays closed`)
    if (performance.now() > deadline) {
      throw new CliError(`not drained within ${seconds} s: ${sentence}; the application stays closed`)
    }
    if (!isQuiet && sentence !== said) cli.terminal.lines([cli.terminal.tone('quiet', `Waiting: ${sentence}.`)])
    said = sentence
    await setTimeout(lookMs, undefined, { signal: stop }).catch(() => undefined)
  }
}

/** Says on standard error which processes have not heard of a state within two seconds: they may serve as before. Rejects as the journal. */
export async function noteUnheard(cli: Cli, { journal }: LockStore, changedAt: string): Promise<void> {
  if (journal === undefined) return
  for (const deadline = performance.now() + unheardMs; ; await setTimeout(lookMs)) {
    const content = await journal.read()
    const { unheard } = remaining(content, changedAt, content.now)
    if (unheard.length === 0) return
    if (performance.now() < deadline) continue
    return cli.terminal.error(
      visibleText(`no word yet of the lock from ${namesOf(unheard)}: killed, or without access to the store`),
    )
  }
}

/** `since`: when the command began to wait, by the clock of the store. */
function remaining({ reports, now }: JournalContent, changedAt: string, since: number): Remaining {
  const isSilent = ({ heard, running, time }: StoredReport): boolean => {
    if (heard !== changedAt) return now - since >= silentMs
    return running > 0 && now - time >= silentMs
  }
  const there = reports.filter((report) => !isSilent(report))
  const busy = there.filter(({ heard, running }) => heard === changedAt && running > 0)
  return {
    running: busy.reduce((sum, { running }) => sum + running, 0),
    busy: busy.map(({ process, running }) => `${process} (${running})`),
    unheard: there.filter(({ heard }) => heard !== changedAt).map(({ process }) => process),
    silent: reports.filter(isSilent).map(({ process }) => process),
    processes: there.length,
  }
}

function sayRemaining({ running, busy, unheard }: Remaining): string {
  const parts = [
    ...(running === 0 ? [] : [`${count(running, 'request')} still running in ${namesOf(busy)}`]),
    ...(unheard.length === 0 ? [] : [`no word yet of the lock from ${namesOf(unheard)}`]),
  ]
  return visibleText(parts.join(', '))
}

function sayDrained({ processes, silent }: Remaining): readonly string[] {
  const ended = `All requests have ended in ${processes === 1 ? 'the one process' : `all ${processes} processes`}.`
  return [
    processes === 0 ? 'No process with this store is running.' : ended,
    ...(silent.length === 0 ? [] : [visibleText(`Not waited for, silent for 30 s: ${namesOf(silent)}.`)]),
  ]
}

const maxNames = 5

function namesOf(processes: readonly string[]): string {
  const rest = processes.length - maxNames
  return `${processes.slice(0, maxNames).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`
}

interface DryRunOptions extends ClosureOptions {
  readonly except?: readonly string[]
  readonly json?: true
}

/** Requests that are looked at. */
const maxRequests = 1000

const pageSize = 200

interface RouteCount {
  /** `null`: they matched no route. */
  readonly route: string | null
  readonly requests: number
  readonly turnedAway: number
}

/** Adds it to the command `lock`. */
export function registerLockDryRun(lock: Command, cli: Cli): void {
  withJson(lock.command('dry-run'))
    .description(`show which of the last ${maxRequests} recorded requests would have been turned away; changes nothing`)
    .option('--only <target...>', 'as if only these paths and routes were closed')
    .option('--read-only', 'as if GET and HEAD passed')
    .option(
      '--except <entry...>',
      'as if maintenance({ except }) had only these (default: what running processes have)',
    )
    .action((options: DryRunOptions) => dryRun(cli, options))
}

/** What stays open, and who said so. */
interface TriedExceptions {
  readonly entries: readonly string[]
  /** `null`: nobody has. */
  readonly from: 'option' | 'processes' | null
}

async function dryRun(cli: Cli, options: DryRunOptions): Promise<void> {
  const closure: Closure = readClosure(options) ?? {}
  const given = readExceptions(options)
  const { requests, missing, except } = await cli.withEngine(async (engine) => {
    const profiles = new NotedReads(engine.profiles)
    const except = given ?? (await exceptionsOf(engine.lock))
    return { requests: await newestRequests(profiles), missing: profiles.missing, except }
  })
  cli.noteMissing(missing)
  const routes = countByRoute(requests, closure, new Exceptions(except.entries))
  const turnedAway = routes.reduce((sum, route) => sum + route.turnedAway, 0)
  const oldest = requests.at(-1)
  if (options.json === true) {
    const since = oldest === undefined ? null : new Date(oldest.time).toISOString()
    return cli.terminal.json({ ...closure, except, requests: requests.length, since, turnedAway, routes, missing })
  }
  if (oldest === undefined) return cli.terminal.lines(['No request is recorded yet.'])
  cli.terminal.lines([
    `${turnedAway} of ${requests.length} recorded requests since ${shortTime(oldest.time)} would have been turned away.`,
    ...tableLines(cli.terminal, columns, routes),
    cli.terminal.tone(
      'quiet',
      `Tried: ${closesText({ only: closure.only ?? null, readOnly: closure.readOnly === true })}. ${sayExceptions(except)}`,
    ),
  ])
}

/** `undefined`: none were named. Throws a usage error. */
function readExceptions({ except }: DryRunOptions): TriedExceptions | undefined {
  const refused = except?.find((entry) => !isException(entry))
  if (refused !== undefined) throw usageError('--except', refused, exceptionsAllowed)
  return except === undefined ? undefined : { entries: except, from: 'option' }
}

/** What any running process excepts. */
async function exceptionsOf({ journal }: LockStore): Promise<TriedExceptions> {
  const { reports } = (await journal?.read()) ?? { reports: [] }
  const entries = new Set(reports.flatMap(({ except }) => except.filter(isException)))
  return { entries: [...entries], from: reports.length === 0 ? null : 'processes' }
}

function sayExceptions({ entries, from }: TriedExceptions): string {
  if (from === null) return 'No process is running, so no exceptions are known: name them with --except.'
  const named = entries.length === 0 ? 'nothing' : visibleText(entries.join(' '))
  const who = from === 'option' ? 'by --except' : 'by running processes'
  const links = entries.includes('links') ? ' Who has a link is not recorded.' : ''
  return `Excepted ${who}: ${named}.${links}`
}

const columns: readonly Column<RouteCount>[] = [
  { title: 'route', cell: ({ route }) => route ?? 'none', isFlexible: true },
  { title: 'requests', cell: ({ requests }) => String(requests), align: 'right' },
  {
    title: 'turned away',
    cell: ({ turnedAway }) => String(turnedAway),
    align: 'right',
    tone: ({ turnedAway }) => (turnedAway > 0 ? 'bad' : 'good'),
  },
]

/** Requests that clients have sent, the newest first. */
async function newestRequests(profiles: Pick<ProfileReader, 'find'>): Promise<readonly ProfileSummary[]> {
  const found: ProfileSummary[] = []
  let after: string | undefined
  while (found.length < maxRequests) {
    const page = await profiles.find(
      { type: 'request' },
      { limit: Math.min(pageSize, maxRequests - found.length), ...(after === undefined ? {} : { after }) },
    )
    found.push(...page.items.filter(({ parentToken, replayOf }) => parentToken === null && replayOf === null))
    if (page.next === null) break
    after = page.next
  }
  return found
}

/** Those with the most requests that are turned away first. */
function countByRoute(
  requests: readonly ProfileSummary[],
  closure: Closure,
  exceptions: Exceptions,
): readonly RouteCount[] {
  const routes = new Map<string | null, RouteCount>()
  for (const { method, url, route, ip } of requests) {
    const before = routes.get(route) ?? { route, requests: 0, turnedAway: 0 }
    const { pathname: path, hostname: host } = URL.parse(url) ?? { pathname: url, hostname: '' }
    const request = { method, path, route: route ?? undefined }
    const isAway = isTurnedAway(closure, request) && !exceptions.admit({ host, clientAddress: ip }, request)
    routes.set(route, { route, requests: before.requests + 1, turnedAway: before.turnedAway + (isAway ? 1 : 0) })
  }
  return [...routes.values()].sort((one, other) => other.turnedAway - one.turnedAway || other.requests - one.requests)
}
