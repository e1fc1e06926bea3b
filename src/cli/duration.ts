// Reads how long something lasts: `90s`, `15m`, `2h`, `1d`.

import { usageError } from './cli.ts'

const secondsOf: ReadonlyMap<string, number> = new Map([
  ['s', 1],
  ['m', 60],
  ['h', 3600],
  ['d', 86_400],
])

/** Gives whole seconds. Throws a usage error, also for more than `mostSeconds` or less than `leastSeconds` (default 0). */
export function readDuration(option: string, text: string, mostSeconds: number, leastSeconds = 0): number {
  const seconds = durationOf(text)
  if (seconds !== undefined && seconds >= leastSeconds && seconds <= mostSeconds) return seconds
  const least = leastSeconds === 0 ? '' : `from ${durationText(leastSeconds)} `
  throw usageError(option, text, `a time such as 90s, 15m, 2h or 1d, ${least}to ${durationText(mostSeconds)}`)
}

/** In seconds; `undefined` for any other text. */
export function durationOf(text: string): number | undefined {
  const [, count = '', unit = ''] = /^(\d{1,6})([smhd])$/.exec(text) ?? []
  const seconds = secondsOf.get(unit)
  return seconds === undefined ? undefined : Number(count) * seconds
}

/** `90s`, `15m`, `2h 5m`, `3d`: the largest units, two of them at most. */
export function durationText(seconds: number): string {
  let rest = Math.max(0, Math.round(seconds))
  const parts: string[] = []
  for (const [unit, size] of [...secondsOf].reverse()) {
    if (rest >= size && parts.length < 2) {
      parts.push(`${Math.floor(rest / size)}${unit}`)
      rest %= size
    } else if (parts.length > 0) break
  }
  return parts.length === 0 ? '0s' : parts.join(' ')
}
