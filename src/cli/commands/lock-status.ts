// What `fanlight lock` says of the lock once a command has changed it, and `lock status`.

import { closuresOf, sayClosures } from '../../plugins/maintenance/closure.ts'
import { isMaintenance, joinBits } from '../../plugins/maintenance/lock-bits.ts'
import type { LockLink, LockState } from '../../plugins/maintenance/lock-store.ts'
import { byBegin, endOfWindows, isActive } from '../../plugins/maintenance/lock-windows.ts'
import { linkAddress } from '../../plugins/maintenance/pass.ts'
import type { Cli } from '../cli.ts'
import { factLines } from '../terminal.ts'
import type { Drained } from './lock-drain.ts'
import { shortTime } from './lock-plan.ts'

/** What a command knows beside the state. */
export interface StatusMoment {
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
