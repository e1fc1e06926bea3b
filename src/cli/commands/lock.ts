// `fanlight lock`: closes and opens every application that shares a store.

import { ownName } from '../../profiles/set-by-people.ts'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import type { Command } from 'commander'
import { closuresOf, joinBits, withoutMaintenance } from '../../stores/lock/closure.ts'
import { failingAs, writeLock, readLockFacts } from '../../maintenance/lock-history.ts'
import { changeTime, maxRetryAfterSeconds } from '../../stores/lock/lock-members.ts'
import { defaultRetryAfterSeconds, type LockLink, type LockState, type LockStore } from '../../profiles/lock.ts'
import type { LockFacts, JournalContent, StoredReport } from '../../profiles/lock.ts'
import { isActive } from '../../maintenance/lock.ts'
import { isClosedAtBoot } from '../../app/process-context.ts'
import type { Cli } from '../cli.ts'
import { CliError, usageError, wholeNumber, withJson, readDuration } from '../command.ts'
import { endAs, startProgram } from '../program/start-program.ts'
import { isEngineError } from '../../stores/engine-error.ts'
import { openLockAlone } from '../../app/open-engine.ts'
import { forceOption, readClosure, readReason, registerLockPlan, withLock } from './lock-plan.ts'
import type { ChangeOptions, ClosureOptions, JsonOption } from './lock-plan.ts'
import { linkAddress } from '../../maintenance/pass.ts'
import { lockBlocks, lockState } from '../../maintenance/lock-question.ts'
import { printBlocks } from '../terminal-blocks.ts'
import { setTimeout } from 'node:timers/promises'
import { countOf } from '../../base/html/page-budget.ts'
import { visibleLine } from '../../base/markdown-text.ts'

interface OnOptions extends ClosureOptions, DrainOptions, ChangeOptions {
  readonly reason?: string
  readonly retryAfter?: string
  readonly allowLink?: true
  readonly expires?: string
}

interface ServeOptions {
  readonly page?: string
  readonly retryAfter?: string
}

const defaultLinkSeconds = 12 * 3600
const leastLinkSeconds = 60
const mostLinkSeconds = 7 * 86_400

export function registerLock(program: Command, cli: Cli): void {
  const lock = program
    .command('lock')
    .description('close or open the application in every process that shares the store')
  withJson(lock.command('on'))
    .description('send the maintenance page for every request, or for those that you name')
    .option('--reason <text>', 'why, for other operators; never shown to clients')
    .option('--retry-after <seconds>', 'what clients are told to wait (default: the option of the application)')
    .option('--only <target...>', 'close only these paths and routes: /checkout/* route:checkout')
    .option('--read-only', 'let GET and HEAD pass')
    .option('--allow-link', 'print a link that lets its readers in')
    .option('--expires <time>', 'how long the link is valid: 90s, 15m, 2h, 1d (default: 12h)')
    .option('--drain', 'wait until requests that began before have ended, in all processes')
    .option('--deadline <time>', 'how long to wait for them: 90s, 15m (default: 60s)')
    .option(...forceOption)
    .action((options: OnOptions) => lockOn(cli, options))
  withJson(lock.command('off'))
    .description('serve requests again')
    .option(...forceOption)
    .action((options: ChangeOptions) => change(cli, options, openAll))
  withJson(lock.command('status'))
    .description('show what is closed and why, what is planned, and when it was closed')
    .action((options: JsonOption) => showStatus(cli, options))
  lock
    .command('serve')
    .description(
      'serve the maintenance page on HOST and PORT; with a program: only while APP_LOCK is closed, else run that',
    )
    .argument('[program...]', 'put -- before it: fanlight lock serve -- node server.js')
    .option('--page <file>', 'the page (default: the built-in one)')
    .option('--retry-after <seconds>', 'what clients are told to wait (default: 120)')
    .action((program: readonly string[], options: ServeOptions) => serve(cli, program, options))
  registerLockPlan(lock, cli)
}

/** A change of the state, but for who made it and when. */
type Change = (before: LockState, changedAt: string, now: number) => Omit<LockState, 'changedAt' | 'changedBy'>

async function lockOn(cli: Cli, options: OnOptions): Promise<void> {
  const reason = readReason(options)
  const retryAfterSeconds =
    options.retryAfter === undefined ? null : wholeNumber('--retry-after', options.retryAfter, 0, maxRetryAfterSeconds)
  const closure = readClosure(options)
  const linkSeconds = readLinkSeconds(options)
  const drainSeconds = readDrain(options)
  await change(
    cli,
    options,
    (before, changedAt, now) => {
      const { value, windows } = before
      const wasClosed = closuresOf(value, before).length > 0
      return {
        // Bit 1 would close everything.
        value: closure === undefined ? joinBits(value, 1) : withoutMaintenance(value),
        reason,
        retryAfterSeconds,
        since: (wasClosed ? before.since : undefined) ?? changedAt,
        ...closure,
        ...(linkSeconds === undefined ? {} : { link: makeLink(now + linkSeconds * 1000) }),
        ...(windows === undefined ? {} : { windows }),
      }
    },
    drainSeconds,
  )
}

/** Ends what is closed by plan, too; what is planned for later stays. */
function openAll({ value, windows = [] }: LockState, _changedAt: string, now: number): Omit<LockState, 'changedAt'> {
  const coming = windows.filter((window) => !isActive(window, now))
  return { value: withoutMaintenance(value), reason: '', retryAfterSeconds: null, windows: coming }
}

async function serve(cli: Cli, [file, ...args]: readonly string[], { page, retryAfter }: ServeOptions): Promise<void> {
  const { cwd, env } = cli
  const retryAfterSeconds = wholeNumber(
    '--retry-after',
    retryAfter ?? String(defaultRetryAfterSeconds),
    0,
    maxRetryAfterSeconds,
  )
  if (file !== undefined && !isClosedAtBoot(cwd, env)) {
    return endAs(file, await startProgram({ file, args, cwd, env }).ended)
  }
  const { serveClosed } = await import('../../app/closed-gate.ts')
  const stop = cli.stopSignal()
  const gate = await serveClosed({ cwd, env }, { retryAfterSeconds, ...(page === undefined ? {} : { page }) })
  cli.terminal.lines([`${gate.url} serves the maintenance page.`])
  await once(stop, 'abort')
  await gate.app.close()
}

/** Of a store that cannot be opened it shows what can be read. */
async function showStatus(cli: Cli, options: JsonOption): Promise<void> {
  const facts = await cli.withEngine(({ lock }) => factsOf(cli, lock)).catch((error: unknown) => factsAlone(cli, error))
  if (options.json === true) cli.terminal.json(facts)
  else printBlocks(cli.terminal, lockBlocks(facts))
}

async function factsAlone(cli: Cli, error: unknown): Promise<LockFacts> {
  if (!isEngineError(error) || error.code === 'ERR_STORE_URL' || error.code === 'ERR_STORE_VERSION') throw error
  const alone = await openLockAlone(cli.context().store, cli.engineOptions())
  // The journal is in the store that cannot be opened.
  const facts =
    alone && (await factsOf(cli, { name: alone.lock.name, read: () => alone.lock.read() }).catch(() => undefined))
  await alone?.close()
  if (facts === undefined) throw new CliError(`the lock is not known: ${error.message}`)
  cli.terminal.error(error.message)
  return facts
}

function factsOf(cli: Cli, lock: Pick<LockStore, 'name' | 'read' | 'journal'>): Promise<LockFacts> {
  return readLockFacts(lock, cli.context().lock)
}

/**
 * Writes and reads back: what is shown is what the others will see. `drainSeconds`: how long to wait for requests that still run; by default
 * it does not wait.
 */
async function change(cli: Cli, options: ChangeOptions, make: Change, drainSeconds?: number): Promise<void> {
  await withLock(cli, { isWhole: true }, async (lock, { before, now }) => {
    const changedAt = changeTime(before, now)
    const after = { ...make(before, changedAt, now), changedAt, changedBy: ownName() }
    // The link that this command has made is shown once.
    const { link } = after
    await writeLock(lock, { before, after, now, isForced: options.force === true })
    const facts = (): Promise<LockFacts> => failingAs('The change is in force.', factsOf(cli, lock))
    const isJson = options.json === true
    if (!isJson) {
      printBlocks(cli.terminal, lockState(await facts()))
      if (link !== undefined) cli.terminal.lines(linkLines(link))
    }
    if (drainSeconds === undefined) await noteUnheard(cli, lock, changedAt)
    const drained =
      drainSeconds === undefined
        ? undefined
        : await drain(cli, lock, changedAt, { seconds: drainSeconds, isQuiet: isJson })
    if (!isJson) return
    const made = link === undefined ? {} : { link: linkAddress(link) }
    cli.terminal.json({ ...(await facts()), ...(drained && { drained }), ...made })
  })
}

function linkLines(link: LockLink): readonly string[] {
  const use = 'Append the link to the address of the application. It works if maintenance() has the exception links.'
  return [`link         ${linkAddress(link)}`, use]
}

/** How long a link is valid; `undefined`: none is wanted. */
function readLinkSeconds({ allowLink, expires }: OnOptions): number | undefined {
  if (allowLink === undefined) {
    if (expires !== undefined) throw usageError('--expires', expires, 'it together with --allow-link')
    return undefined
  }
  if (expires === undefined) return defaultLinkSeconds
  return readDuration('--expires', expires, mostLinkSeconds, leastLinkSeconds)
}

function makeLink(expiresAt: number): LockLink {
  return { key: randomBytes(32).toString('base64url'), expiresAt: new Date(expiresAt).toISOString() }
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

interface Remaining extends Drained {
  /** `web-1 4711 (3)` */
  readonly busy: readonly string[]
  /** Processes that have not heard of the lock yet. */
  readonly unheard: readonly string[]
}

/** How it ended, for JSON. */
export interface Drained {
  readonly running: number
  /** Without the silent ones. */
  readonly processes: number
  /** Processes that are not waited for any more. */
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
      visibleLine(`no word yet of the lock from ${namesOf(unheard)}: killed, or without access to the store`),
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
    ...(running === 0 ? [] : [`${countOf(running, 'request')} still running in ${namesOf(busy)}`]),
    ...(unheard.length === 0 ? [] : [`no word yet of the lock from ${namesOf(unheard)}`]),
  ]
  return visibleLine(parts.join(', '))
}

function sayDrained({ processes, silent }: Remaining): readonly string[] {
  const ended = `All requests have ended in ${processes === 1 ? 'the one process' : `all ${processes} processes`}.`
  return [
    processes === 0 ? 'No process with this store is running.' : ended,
    ...(silent.length === 0 ? [] : [visibleLine(`Not waited for, silent for 30 s: ${namesOf(silent)}.`)]),
  ]
}

const maxNames = 5

function namesOf(processes: readonly string[]): string {
  const rest = processes.length - maxNames
  return `${processes.slice(0, maxNames).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`
}
