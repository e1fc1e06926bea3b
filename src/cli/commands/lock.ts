// `fanlight lock`: closes and opens every application that shares a store.

import { randomBytes } from 'node:crypto'
import type { Command } from 'commander'
import { closuresOf, isTarget, maxTargets, sayClosures, targetsAllowed } from '../../plugins/maintenance/closure.ts'
import { dropBits, isMaintenance, joinBits } from '../../plugins/maintenance/lock-bits.ts'
import { maxReasonLength, maxRetryAfterSeconds } from '../../plugins/maintenance/lock-members.ts'
import type { Closure, LockLink, LockState } from '../../plugins/maintenance/lock-store.ts'
import { linkAddress } from '../../plugins/maintenance/pass.ts'
import type { Cli } from '../cli.ts'
import { usageError, wholeNumber, withJson } from '../command.ts'
import { readDuration } from '../duration.ts'
import { operatorName } from '../operator-name.ts'
import { factLines } from '../table.ts'

interface OnOptions {
  readonly reason?: string
  readonly retryAfter?: string
  readonly only?: readonly string[]
  readonly readOnly?: true
  readonly allowLink?: true
  readonly expires?: string
  readonly json?: true
}

interface JsonOption {
  readonly json?: true
}

const defaultLinkSeconds = 12 * 3600
const leastLinkSeconds = 60
const mostLinkSeconds = 7 * 86_400

export function registerLock(program: Command, cli: Cli): void {
  const lock = program.command('lock').description('close or open the application for everyone who shares the store')
  withJson(lock.command('on'))
    .description('answer every request with the maintenance page, or those that you name')
    .option('--reason <text>', 'why, for other operators; never shown to clients')
    .option('--retry-after <seconds>', 'what clients are told to wait (default: the option of the application)')
    .option('--only <target...>', 'close only these paths and routes: /checkout/* route:checkout')
    .option('--read-only', 'let GET and HEAD pass')
    .option('--allow-link', 'print a link that lets its readers in')
    .option('--expires <time>', 'how long the link is good: 90s, 15m, 2h, 1d (default: 12h)')
    .action((options: OnOptions) => lockOn(cli, options))
  withJson(lock.command('off'))
    .description('serve requests again')
    .action((options: JsonOption) => change(cli, options, openAll))
  withJson(lock.command('set <bits>'))
    .description('set bits of your own: 2, 4, 8 …')
    .action((bits: string, options: JsonOption) => changeBits(cli, bits, options, joinBits))
  withJson(lock.command('clear <bits>'))
    .description('clear bits of your own')
    .action((bits: string, options: JsonOption) => changeBits(cli, bits, options, dropBits))
  withJson(lock.command('status'))
    .description('show what is closed, why and since when')
    .action((options: JsonOption) => cli.withEngine(async (engine) => show(cli, await engine.lock.read(), options)))
}

/** A change of the state, but for who made it and when. */
type Change = (before: LockState, changedAt: string) => Omit<LockState, 'changedAt' | 'changedBy'>

async function lockOn(cli: Cli, options: OnOptions): Promise<void> {
  const { reason = '' } = options
  if (reason.length > maxReasonLength) {
    throw usageError('--reason', `${reason.slice(0, 20)}…`, `at most ${maxReasonLength} characters`)
  }
  const retryAfterSeconds =
    options.retryAfter === undefined ? null : wholeNumber('--retry-after', options.retryAfter, 0, maxRetryAfterSeconds)
  const closure = readClosure(options)
  const link = makeLink(cli, options)
  await change(
    cli,
    options,
    (before, changedAt) => {
      const { value, windows } = before
      const wasClosed = closuresOf(value, before).length > 0
      return {
        // Bit 1 would close everything.
        value: closure === undefined ? joinBits(value, 1) : dropBits(value, 1),
        reason,
        retryAfterSeconds,
        since: (wasClosed ? before.since : undefined) ?? changedAt,
        ...closure,
        ...(link === undefined ? {} : { link }),
        ...(windows === undefined ? {} : { windows }),
      }
    },
    link,
  )
}

function openAll({ value, windows }: LockState): Omit<LockState, 'changedAt'> {
  const opened = { value: dropBits(value, 1), reason: '', retryAfterSeconds: null }
  return windows === undefined ? opened : { ...opened, windows }
}

async function changeBits(
  cli: Cli,
  given: string,
  options: JsonOption,
  join: (value: number, bits: number) => number,
): Promise<void> {
  const bits = wholeNumber('bits', given, 2, Number.MAX_SAFE_INTEGER)
  if (isMaintenance(bits)) throw usageError('bits', given, 'bits without bit 1, which is lock on and lock off')
  await change(cli, options, (before) => ({ ...before, value: join(before.value, bits) }))
}

/** Writes and reads back: what is shown is what the others will see. */
async function change(cli: Cli, options: JsonOption, make: Change, link?: LockLink): Promise<void> {
  await cli.withEngine(async ({ lock }) => {
    const changedAt = new Date(cli.now()).toISOString()
    await lock.write({ ...make(await lock.read(), changedAt), changedAt, changedBy: operatorName() })
    show(cli, await lock.read(), options, link)
  })
}

/** `undefined`: everything. */
function readClosure({ only, readOnly }: OnOptions): Closure | undefined {
  if (only !== undefined && only.length > maxTargets) {
    throw usageError('--only', `${only.length} targets`, targetsAllowed)
  }
  for (const target of only ?? []) if (!isTarget(target)) throw usageError('--only', target, targetsAllowed)
  if (only === undefined && readOnly === undefined) return undefined
  return { ...(only === undefined ? {} : { only }), ...(readOnly === undefined ? {} : { readOnly }) }
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

/** `made`: the link that this command has made. It is shown once. */
function show(cli: Cli, shared: LockState, options: JsonOption, made?: LockLink): void {
  const { terminal } = cli
  const bootValue = cli.context().lock
  const value = joinBits(bootValue, shared.value)
  const closures = closuresOf(value, shared)
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
      ...(made === undefined ? {} : { link: linkAddress(made) }),
    })
    return
  }
  const verdict = terminal.tone(
    closures.length > 0 ? 'bad' : 'good',
    isMaintenance(value) ? 'closed' : closures.length > 0 ? 'closed in part' : 'open',
  )
  const facts: (readonly [string, string])[] = [['value', String(value)]]
  if (closuresOf(shared.value, shared).length > 0) {
    facts.push(['reason', reason === '' ? 'none given' : reason])
    facts.push(['retry after', retryAfterSeconds === null ? 'set by the application' : `${retryAfterSeconds} s`])
  }
  facts.push(['changed', Date.parse(changedAt) > 0 ? changedAt : 'never'])
  if (changedBy !== null) facts.push(['by', changedBy])
  if (made !== undefined) facts.push(['link', linkAddress(made)])
  if (linkExpiresAt !== null) facts.push(['link until', linkExpiresAt])
  if (isMaintenance(bootValue))
    facts.push(['APP_LOCK', `${bootValue}: closes this application, whatever the store says`])
  terminal.lines([`The application is ${verdict}: ${sayClosures(closures)}.`, ...factLines(terminal, facts)])
  if (made !== undefined) {
    terminal.lines(['Put the link behind the address of the application. It works where maintenance() excepts links.'])
  }
}
