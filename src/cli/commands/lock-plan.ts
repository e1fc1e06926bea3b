// `fanlight lock plan` and `cancel`: when the application closes by itself.

import { Redactor } from '../../base/redact/redactor.ts'
import { isTarget, maxTargets, targetsAllowed } from '../../stores/lock/closure.ts'
import {
  maxReasonLength,
  maxRetryAfterSeconds,
  maxWindows,
  changeTime,
  openLock,
} from '../../stores/lock/lock-members.ts'
import type { Closure, LockState, LockStore, LockWindow } from '../../profiles/lock.ts'
import { usageError, withJson, CliError, exitCodes, durationOf, readDuration } from '../command.ts'
import { randomInt } from 'node:crypto'
import type { Command } from 'commander'
import { failingAs, writeLock, readLockFacts } from '../../maintenance/lock-history.ts'
import { isOver } from '../../maintenance/lock.ts'
import { note } from '../../observe/blocks/blocks.ts'
import { ownName } from '../../profiles/set-by-people.ts'
import { planned } from '../../maintenance/lock-question.ts'
import type { Cli } from '../cli.ts'
import { printBlocks } from '../terminal-blocks.ts'
import { isEngineError } from '../../stores/engine-error.ts'

export interface JsonOption {
  readonly json?: true
}

export interface ChangeOptions extends JsonOption {
  readonly force?: true
}

export const forceOption = ['--force', 'succeed though only one node of the store has it'] as const

export interface ClosureOptions {
  readonly only?: readonly string[]
  readonly readOnly?: true
}

/** `undefined`: everything. Throws a usage error. */
export function readClosure({ only, readOnly }: ClosureOptions): Closure | undefined {
  if (only !== undefined && only.length > maxTargets) {
    throw usageError('--only', `${only.length} targets`, targetsAllowed)
  }
  for (const target of only ?? []) if (!isTarget(target)) throw usageError('--only', target, targetsAllowed)
  if (only === undefined && readOnly === undefined) return undefined
  return { ...(only === undefined ? {} : { only }), ...(readOnly === undefined ? {} : { readOnly }) }
}

/** With secrets masked: it is kept, logged and shown. Throws a usage error for one that is too long. */
export function readReason({ reason = '' }: { readonly reason?: string }): string {
  if (reason.length <= maxReasonLength) return new Redactor().text(reason).slice(0, maxReasonLength)
  throw usageError('--reason', `${reason.slice(0, 20)}…`, `at most ${maxReasonLength} characters`)
}

interface PlanOptions extends ClosureOptions, ChangeOptions {
  readonly from: string
  readonly to: string
  readonly reason?: string
  readonly notice?: string
}

/** Adds them to the command `lock`. */
export function registerLockPlan(lock: Command, cli: Cli): void {
  withJson(lock.command('plan'))
    .description('close the application from one time to another')
    .requiredOption('--from <time>', 'when it begins: 2026-12-01T02:00Z, 2026-12-01T03:00+01:00, +2h or now')
    .requiredOption('--to <time>', 'when it ends: the same; +2h counts from --from')
    .option('--reason <text>', 'why, for other operators; never shown to clients')
    .option('--notice <time>', 'how long before it begins to tell clients: 15m, 1d (default: not at all)')
    .option('--only <target...>', 'close only these paths and routes: /checkout/* route:checkout')
    .option('--read-only', 'let GET and HEAD pass')
    .option(...forceOption)
    .action((options: PlanOptions) => plan(cli, options))
  withJson(lock.command('cancel <id>'))
    .description('drop a plan; one that has begun ends now')
    .option(...forceOption)
    .action((id: string, options: ChangeOptions) => cancel(cli, id, options))
}

async function plan(cli: Cli, options: PlanOptions): Promise<void> {
  const reason = readReason(options)
  const noticeSeconds =
    options.notice === undefined ? 0 : readDuration('--notice', options.notice, maxRetryAfterSeconds)
  const closure = readClosure(options)
  await withLock(cli, { isWhole: false }, async (lock, { before, now }) => {
    const from = options.from === 'now' ? now : readPlannedTime('--from', options.from, now)
    const to = readPlannedTime('--to', options.to, from)
    if (from < now) throw usageError('--from', options.from, `a time after ${shortTime(now)}, or now`)
    if (to <= from) throw usageError('--to', options.to, `a time after ${shortTime(from)}, when it begins`)
    const windows = (before.windows ?? []).filter((window) => !isOver(window, now))
    if (windows.length === maxWindows) {
      throw new CliError(`there are ${maxWindows} plans already; drop one with fanlight lock cancel <id>`)
    }
    const window: LockWindow = {
      id: newId(windows),
      from: new Date(from).toISOString(),
      to: new Date(to).toISOString(),
      reason,
      noticeSeconds,
      plannedBy: ownName(),
      ...closure,
    }
    await change(lock, { before, windows: [...windows, window], now }, options)
    const facts = await failingAs('The change is in force.', readLockFacts(lock, cli.context().lock))
    const made = facts.windows.find(({ id }) => id === window.id)
    if (made === undefined) throw new CliError('the plan was replaced by another operator meanwhile; try again')
    if (options.json === true) return cli.terminal.json(made)
    printBlocks(cli.terminal, [note(`${made.id} is planned.`, 'success'), ...planned(facts)])
  })
}

async function cancel(cli: Cli, id: string, options: ChangeOptions): Promise<void> {
  await withLock(cli, { isWhole: false }, async (lock, { before, now }) => {
    const windows = (before.windows ?? []).filter((window) => !isOver(window, now))
    const dropped = windows.find((window) => window.id === id)
    if (dropped === undefined) {
      const known = windows.length === 0 ? 'nothing is planned' : `there is ${windows.map((one) => one.id).join(', ')}`
      throw new CliError(`there is no plan ${JSON.stringify(id)}; ${known}`, exitCodes.notFound)
    }
    const rest = windows.filter((window) => window !== dropped)
    await change(lock, { before, windows: rest, now }, options)
    const wasActive = Date.parse(dropped.from) <= now
    if (options.json === true) return cli.terminal.json({ id, wasActive })
    cli.terminal.lines([
      wasActive ? `Ended: ${id}, which had begun at ${shortTime(Date.parse(dropped.from))}.` : `Dropped: ${id}.`,
    ])
  })
}

async function change(
  lock: LockStore,
  { before, windows, now }: ChangeStart & { readonly windows: readonly LockWindow[] },
  { force }: ChangeOptions,
): Promise<void> {
  const changedAt = changeTime(before, now)
  const after = { ...before, windows, changedAt, changedBy: ownName() }
  await writeLock(lock, { before, after, now, isForced: force === true })
}

interface ChangeStart {
  readonly before: LockState
  /** Milliseconds since 1970 by the clock that decides. */
  readonly now: number
}

/**
 * Does a change, and waits for a node of the store that is being replaced. `isWhole`: the change says everything, so it also replaces a
 * record that nobody can read.
 */
export async function withLock(
  cli: Cli,
  { isWhole }: { readonly isWhole: boolean },
  work: (lock: LockStore, start: ChangeStart) => Promise<void>,
): Promise<void> {
  const start = async (lock: LockStore): Promise<ChangeStart> => {
    const now = (await lock.journal?.now()) ?? cli.now()
    const before = await lock.read().catch((thrown: unknown) => {
      if (!isWhole || !isEngineError(thrown) || thrown.code !== 'ERR_STORE_RECORD') throw thrown
      cli.terminal.error(`${thrown.message} It is replaced.`)
      return openLock
    })
    return { now, before }
  }
  await cli.withEngine(async ({ lock }) => work(lock, await failingAs('Nothing was changed.', start(lock))), true)
}

const letters = 'abcdefghjkmnpqrstuvwxyz23456789'

/** Easy to read out and to type; no other plan has it. */
function newId(windows: readonly LockWindow[]): string {
  for (;;) {
    const id = Array.from({ length: 5 }, () => letters[randomInt(letters.length)]).join('')
    if (!windows.some((window) => window.id === id)) return id
  }
}

/** `2026-12-01 02:00:00Z` */
function shortTime(time: number): string {
  return `${new Date(time).toISOString().slice(0, 19).replace('T', ' ')}Z`
}

const allowed = 'a time with its zone, such as 2026-12-01T02:00Z, 2026-12-01T02:00+01:00, or +2h'

/** In milliseconds since 1970. `base` is what `+2h` counts from. Throws a usage error, that for a time without a zone says why none is guessed. */
function readPlannedTime(option: string, text: string, base: number): number {
  const later = text.startsWith('+') ? durationOf(text.slice(1)) : undefined
  if (later !== undefined) return base + later * 1000
  const [, day, time = '', zone] = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d)?)(Z|[+-]\d\d:\d\d)?$/.exec(text) ?? []
  if (day === undefined) throw usageError(option, text, allowed)
  if (zone === undefined) {
    const example = `${text}Z or ${text}+01:00`
    throw new CliError(
      `${option}: ${JSON.stringify(text)} has no time zone. Add one: ${example}; a local time may be there twice, or never, when clocks change.`,
      exitCodes.usage,
    )
  }
  const local = Date.parse(`${day}T${time}Z`)
  const instant = Date.parse(`${day}T${time}${zone}`)
  // V8 takes the 30th of February for the 2nd of March.
  const isDay = !Number.isNaN(local) && new Date(local).toISOString().startsWith(`${day}T${time}`)
  if (!isDay || Number.isNaN(instant)) throw usageError(option, text, allowed)
  return instant
}
