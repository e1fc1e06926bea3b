// What the lock means, in words.

import { formatClock } from '../../../framework/html/components.ts'
import type { LockFacts } from '../../lock-facts.ts'

/** `The application is closed until 2026-12-01 04:00:00 UTC.` */
export function lockSentence({ isClosed, only, readOnly, opensAt, windows, now }: LockFacts): string {
  if (!isClosed) {
    const [next] = windows
    if (next === undefined) return 'Requests are served.'
    return `Requests are served. The next plan begins at ${time(Date.parse(next.from))}, in ${lastedText(Date.parse(next.from) - now)}.`
  }
  const isWhole = only === null && !readOnly && opensAt === null
  const what = isWhole ? 'Every request gets the maintenance page' : 'Requests get the maintenance page'
  return opensAt === null ? `${what}.` : `${what} until ${time(opensAt)}, for another ${lastedText(opensAt - now)}.`
}

/** Names and values; no markup. */
export function lockRows(facts: LockFacts): readonly (readonly [name: string, value: string])[] {
  const { bootValue, sharedValue, only, readOnly, reason, changedAt, changedBy } = facts
  return [
    ['Value', String(sharedValue)],
    ...(bootValue === 0 ? [] : [['APP_LOCK', String(bootValue)] as const]),
    ...(only === null ? [] : [['Closed in part', only.join(' ')] as const]),
    ...(readOnly ? [['GET and HEAD', 'are served'] as const] : []),
    ...(reason === '' ? [] : [['Reason', reason] as const]),
    [
      'Changed',
      Date.parse(changedAt) > 0
        ? `${time(Date.parse(changedAt))}${changedBy === '' ? '' : ` by ${changedBy}`}`
        : 'never',
    ],
  ]
}

const units: readonly (readonly [unit: string, ms: number])[] = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1000],
]

/** `2 h 5 min`, the two largest units. */
export function lastedText(ms: number): string {
  const first = units.findIndex(([, size]) => ms >= size)
  if (first < 0) return '0 s'
  let rest = ms
  return units
    .slice(first, first + 2)
    .flatMap(([unit, size]) => {
      const count = Math.floor(rest / size)
      rest %= size
      return count === 0 ? [] : [`${count} ${unit}`]
    })
    .join(' ')
}

function time(instant: number): string {
  return `${formatClock(instant)} UTC`
}
