// Counts over time, for the small bars beside a number.

/** Milliseconds since 1970. */
export interface TimeRange {
  readonly from: number
  readonly to: number
}

/** Parts of the time that a strip has. */
const stripLength = 24

/** How many of the times are in each of 24 equal parts of the range. */
export function stripOf(times: readonly number[], { from, to }: TimeRange): readonly number[] {
  const strip = Array.from({ length: stripLength }, () => 0)
  const step = (to - from) / stripLength
  for (const time of times) {
    const part = step > 0 ? Math.min(stripLength - 1, Math.floor((time - from) / step)) : stripLength - 1
    strip[part] = (strip[part] ?? 0) + 1
  }
  return strip
}
