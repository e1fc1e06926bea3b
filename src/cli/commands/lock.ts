// `fanlight lock`: closes and opens every application that shares a store.

import type { Command } from 'commander'
import type { LockState, LockStore } from '../../plugins/maintenance/lock-store.ts'
import { isMaintenance, joinBits } from '../../plugins/maintenance/lock.ts'
import { maxReasonLength, maxRetryAfterSeconds } from '../../plugins/maintenance/lock-members.ts'
import type { Cli } from '../cli.ts'
import { usageError, wholeNumber, withJson } from '../command.ts'
import { factLines } from '../table.ts'

interface OnOptions {
  readonly reason?: string
  readonly retryAfter?: string
  readonly json?: true
}

interface JsonOption {
  readonly json?: true
}

export function registerLock(program: Command, cli: Cli): void {
  const lock = program.command('lock').description('close or open the application for everyone who shares the store')
  withJson(lock.command('on'))
    .description('answer every request with the maintenance page')
    .option('--reason <text>', 'why, for other operators; never shown to clients')
    .option('--retry-after <seconds>', 'what clients are told to wait (default: the option of the application)')
    .action((options: OnOptions) => lockOn(cli, options))
  withJson(lock.command('off'))
    .description('serve requests again')
    .action((options: JsonOption) => lockOff(cli, options))
  withJson(lock.command('status'))
    .description('show whether the lock is set, why and since when')
    .action((options: JsonOption) => cli.withEngine(async (engine) => show(cli, await engine.lock.read(), options)))
}

async function lockOn(cli: Cli, options: OnOptions): Promise<void> {
  const reason = options.reason ?? ''
  if (reason.length > maxReasonLength) {
    throw usageError('--reason', `${reason.slice(0, 20)}…`, `at most ${maxReasonLength} characters`)
  }
  const retryAfterSeconds =
    options.retryAfter === undefined ? null : wholeNumber('--retry-after', options.retryAfter, 0, maxRetryAfterSeconds)
  await cli.withEngine(async ({ lock }) => {
    const { value } = await lock.read()
    const changedAt = new Date(cli.now()).toISOString()
    show(cli, await write(lock, { value: joinBits(value, 1), reason, retryAfterSeconds, changedAt }), options)
  })
}

async function lockOff(cli: Cli, options: JsonOption): Promise<void> {
  await cli.withEngine(async ({ lock }) => {
    const { value } = await lock.read()
    const changedAt = new Date(cli.now()).toISOString()
    const opened = isMaintenance(value) ? value - 1 : value
    const state = { value: opened, reason: '', retryAfterSeconds: null, changedAt }
    show(cli, await write(lock, state), options)
  })
}

/** Writes and reads back: what is shown is what the others will see. */
async function write(lock: LockStore, state: LockState): Promise<LockState> {
  await lock.write(state)
  return await lock.read()
}

function show(cli: Cli, shared: LockState, options: JsonOption): void {
  const { terminal } = cli
  const bootValue = cli.context().lock
  const value = joinBits(bootValue, shared.value)
  const isClosed = isMaintenance(value)
  if (options.json === true) {
    terminal.json({
      closed: isClosed,
      value,
      bootValue,
      sharedValue: shared.value,
      reason: shared.reason,
      retryAfterSeconds: shared.retryAfterSeconds,
      changedAt: shared.changedAt,
    })
    return
  }
  const verdict = isClosed ? terminal.tone('bad', 'closed') : terminal.tone('good', 'open')
  const who = isClosed ? 'every request gets the maintenance page' : 'requests are served'
  const facts: (readonly [string, string])[] = [['value', String(value)]]
  if (isMaintenance(shared.value)) {
    facts.push(['reason', shared.reason === '' ? 'none given' : shared.reason])
    const { retryAfterSeconds } = shared
    facts.push(['retry after', retryAfterSeconds === null ? 'set by the application' : `${retryAfterSeconds} s`])
  }
  facts.push(['changed', Date.parse(shared.changedAt) > 0 ? shared.changedAt : 'never'])
  if (isMaintenance(bootValue))
    facts.push(['APP_LOCK', `${bootValue}: closes this application, whatever the store says`])
  terminal.lines([`The application is ${verdict}: ${who}.`, ...factLines(terminal, facts)])
}
