// When the application is closed by plan: which windows are open at a time, and when that changes next.

import type { LockWindow } from '../profiles/lock/lock-store.ts'

/** What a list of windows means at a time. */
export interface WindowsAt {
  /** Those that close the application, the earliest first. */
  readonly active: readonly LockWindow[]
  /** The next one whose notice has begun; `null` if there is none. */
  readonly announced: LockWindow | null
  /** When `active` or `announced` changes next, in milliseconds since 1970; `Infinity`: never. */
  readonly nextChange: number
}

/** `now` is in milliseconds since 1970. A window has begun at `from` and is over at `to`. */
export function windowsAt(windows: readonly LockWindow[], now: number): WindowsAt {
  const sorted = byBegin(windows)
  const coming = sorted.filter(({ from }) => Date.parse(from) > now)
  const changes = windows
    .flatMap(({ from, to, noticeSeconds }) => {
      const begin = Date.parse(from)
      return [begin - noticeSeconds * 1000, begin, Date.parse(to)]
    })
    .filter((time) => time > now)
  return {
    active: sorted.filter((window) => isActive(window, now)),
    announced: coming.find(({ from, noticeSeconds }) => Date.parse(from) - noticeSeconds * 1000 <= now) ?? null,
    nextChange: Math.min(...changes),
  }
}

/** When the last window of a row that follows each other without a gap is over, in milliseconds since 1970; `null` if none is active. */
export function endOfWindows(windows: readonly LockWindow[], now: number): number | null {
  let end: number | null = null
  for (const { from, to } of byBegin(windows)) {
    if (Date.parse(to) > (end ?? now) && Date.parse(from) <= (end ?? now)) end = Date.parse(to)
  }
  return end
}

/** The windows that share a moment with this one, without itself. */
export function overlapping(window: LockWindow, others: readonly LockWindow[]): readonly LockWindow[] {
  return others.filter(
    ({ id, from, to }) =>
      id !== window.id && Date.parse(from) < Date.parse(window.to) && Date.parse(to) > Date.parse(window.from),
  )
}

export function isActive({ from, to }: LockWindow, now: number): boolean {
  return Date.parse(from) <= now && now < Date.parse(to)
}

export function isOver({ to }: LockWindow, now: number): boolean {
  return Date.parse(to) <= now
}

/** The earliest first. */
export function byBegin(windows: readonly LockWindow[]): readonly LockWindow[] {
  return windows.toSorted((one, other) => Date.parse(one.from) - Date.parse(other.from))
}
