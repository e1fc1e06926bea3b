// Reads when a window begins and ends: an instant with its zone, a time of day with its zone, or a time from now on.

import { usageError } from './command.ts'
import { durationOf } from './duration.ts'
import { CliError, exitCodes } from './exit-codes.ts'

const allowed = 'a time with its zone, such as 2026-12-01T02:00Z, 2026-12-01T02:00+01:00 or 02:00Z, or +2h'

/**
 * In milliseconds since 1970. `base` is what `+2h` counts from, and a time of day is the first one after it. Throws a usage error, that for a
 * time without a zone says why none is guessed.
 */
export function readPlannedTime(option: string, text: string, base: number): number {
  const later = text.startsWith('+') ? durationOf(text.slice(1)) : undefined
  if (later !== undefined) return base + later * 1000
  const parts = /^(?:(\d{4}-\d\d-\d\d)[T ])?(\d\d:\d\d(?::\d\d)?)(Z|[+-]\d\d:\d\d)?$/.exec(text)
  if (parts === null) throw usageError(option, text, allowed)
  const [, day, timeOfDay = '', zone] = parts
  if (zone === undefined) {
    const example = `${text}Z or ${text}+01:00`
    throw new CliError(
      `${option}: ${JSON.stringify(text)} has no time zone. Add one: ${example}; a local time may be there twice, or never, when clocks change.`,
      exitCodes.usage,
    )
  }
  const instant = day === undefined ? nextTime(timeOfDay, zone, base) : instantOf(day, timeOfDay, zone)
  if (instant === undefined) throw usageError(option, text, allowed)
  return instant
}

/** The first instant after `base` at which clocks of that zone show the time. */
function nextTime(timeOfDay: string, zone: string, base: number): number | undefined {
  const dayMs = 86_400_000
  const first = instantOf(new Date(base - dayMs).toISOString().slice(0, 10), timeOfDay, zone)
  if (first === undefined) return undefined
  // Offsets reach from -23:59 to +23:59, so the day before may be too early by up to three days.
  return first + Math.max(0, Math.floor((base - first) / dayMs) + 1) * dayMs
}

/** `undefined` for a day or a time that no calendar has: `2026-02-30`, `25:00`. */
function instantOf(day: string, timeOfDay: string, zone: string): number | undefined {
  const time = timeOfDay.length === 5 ? `${timeOfDay}:00` : timeOfDay
  const local = Date.parse(`${day}T${time}Z`)
  // V8 takes the 30th of February for the 2nd of March.
  if (Number.isNaN(local) || !new Date(local).toISOString().startsWith(`${day}T${time}`)) return undefined
  const instant = Date.parse(`${day}T${time}${zone}`)
  return Number.isNaN(instant) ? undefined : instant
}
