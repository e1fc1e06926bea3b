// `fanlight lock`: closes and opens every application that shares a store.

import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import type { Command } from 'commander'
import { closuresOf } from '../../profiles/lock/closure.ts'
import { writeLock } from '../../maintenance/keep-history.ts'
import { changeTime, maxRetryAfterSeconds } from '../../profiles/lock/lock-members.ts'
import { joinBits, withoutMaintenance } from '../../profiles/lock/lock-bits.ts'
import {
  defaultRetryAfterSeconds,
  type LockLink,
  type LockState,
  type LockStore,
} from '../../profiles/lock/lock-store.ts'
import { isActive } from '../../maintenance/lock-windows.ts'
import { isClosedAtBoot } from '../../app/process-context.ts'
import type { Cli } from '../cli.ts'
import { CliError, usageError, wholeNumber, withJson, readDuration } from '../command.ts'
import { endAs, startProgram } from '../program/start-program.ts'
import { isEngineError } from '../../profiles/stores/engine-error.ts'
import { openLockAlone } from '../../profiles/stores/open-engine.ts'
import type { ChangeOptions, ClosureOptions, JsonOption } from './lock-plan.ts'
import { forceOption, operatorName, readClosure, readReason, registerLockPlan, storeTime } from './lock-plan.ts'
import { drain, noteUnheard, readDrain, type DrainOptions } from './lock-drain.ts'
import { readLockFacts } from '../../maintenance/read-lock-facts.ts'
import { linkAddress } from '../../maintenance/pass.ts'
import type { LockFacts } from '../../profiles/lock-facts.ts'
import { lockBlocks, lockState } from '../../maintenance/lock-question.ts'
import { printBlocks } from '../terminal-blocks.ts'

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
  const link = makeLink(cli, options)
  const drainSeconds = readDrain(options)
  await change(
    cli,
    options,
    (before, changedAt) => {
      const { value, windows } = before
      const wasClosed = closuresOf(value, before).length > 0
      return {
        // Bit 1 would close everything.
        value: closure === undefined ? joinBits(value, 1) : withoutMaintenance(value),
        reason,
        retryAfterSeconds,
        since: (wasClosed ? before.since : undefined) ?? changedAt,
        ...closure,
        ...(link === undefined ? {} : { link }),
        ...(windows === undefined ? {} : { windows }),
      }
    },
    { link, drainSeconds },
  )
}

/** Ends what is closed by plan, too; what is planned for later stays. */
function openAll({ value, windows = [] }: LockState, _changedAt: string, now: number): Omit<LockState, 'changedAt'> {
  const coming = windows.filter((window) => !isActive(window, now))
  return { value: withoutMaintenance(value), reason: '', retryAfterSeconds: null, windows: coming }
}

/** What a change leads to, beside the state. */
interface ChangeEnd {
  /** The link that this command has made. It is shown once. */
  readonly link?: LockLink | undefined
  /** Seconds to wait for requests that still run. Default: it does not wait. */
  readonly drainSeconds?: number | undefined
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
  const facts = alone && (await factsOf(cli, withoutJournal(alone.lock)).catch(() => undefined))
  await alone?.close()
  if (facts === undefined) throw new CliError(`the lock is not known: ${error.message}`)
  cli.terminal.error(error.message)
  return facts
}

function withoutJournal(lock: LockStore): Pick<LockStore, 'name' | 'read' | 'journal'> {
  return { name: lock.name, read: () => lock.read() }
}

function factsOf(cli: Cli, lock: Pick<LockStore, 'name' | 'read' | 'journal'>): Promise<LockFacts> {
  return readLockFacts(lock, cli.context().lock)
}

/** Writes and reads back: what is shown is what the others will see. */
async function change(cli: Cli, options: ChangeOptions, make: Change, end: ChangeEnd = {}): Promise<void> {
  const { link, drainSeconds } = end
  await cli.withEngine(async ({ lock }) => {
    const now = await storeTime(cli, lock)
    const before = await lock.read()
    const changedAt = changeTime(before, cli.now())
    await writeLock(lock, {
      before,
      after: { ...make(before, changedAt, now), changedAt, changedBy: operatorName() },
      now,
      isForced: options.force === true,
    })
    const isJson = options.json === true
    if (!isJson) {
      printBlocks(cli.terminal, lockState(await factsOf(cli, lock)))
      if (link !== undefined) cli.terminal.lines(linkLines(link))
    }
    if (drainSeconds === undefined) await noteUnheard(cli, lock, changedAt)
    const drained =
      drainSeconds === undefined
        ? undefined
        : await drain(cli, lock, changedAt, { seconds: drainSeconds, isQuiet: isJson })
    if (!isJson) return
    const made = link === undefined ? {} : { link: linkAddress(link) }
    cli.terminal.json({ ...(await factsOf(cli, lock)), ...(drained && { drained }), ...made })
  })
}

function linkLines(link: LockLink): readonly string[] {
  const use = 'Append the link to the address of the application. It works if maintenance() has the exception links.'
  return [`link         ${linkAddress(link)}`, use]
}

function makeLink(cli: Cli, { allowLink, expires }: OnOptions): LockLink | undefined {
  if (allowLink === undefined) {
    if (expires !== undefined) throw usageError('--expires', expires, 'it together with --allow-link')
    return undefined
  }
  const seconds =
    expires === undefined ? defaultLinkSeconds : readDuration('--expires', expires, mostLinkSeconds, leastLinkSeconds)
  return {
    key: randomBytes(32).toString('base64url'),
    expiresAt: new Date(cli.now() + seconds * 1000).toISOString(),
  }
}
