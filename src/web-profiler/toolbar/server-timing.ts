// Tells the browser's own tools where the time went, as far as it is known when the answer leaves (Server-Timing).

import type { Recording } from '../../recording/recording.ts'
import { keptCurrencyRead } from '../../currency/currency-read.ts'

/** `total;dur=12.3, currency;dur=0.2, controller;dur=5.1`: constant names, numbers only (SECURITY R15). */
export function serverTiming(recording: Recording): string {
  const controllerMs = recording.stopwatch.durationOf('controller') ?? undefined
  const durations = [recording.durationMs, keptCurrencyRead(recording)?.figures[0], controllerMs]
  let metrics = ''
  for (let index = 0; index < durations.length; index += 1) {
    const durationMs = durations[index]
    if (durationMs !== undefined) metrics += beginnings[index] + textOf(Math.round(durationMs * 100))
  }
  return metrics
}

/** What stands before the durations. One loop over them: the code of each would have to be fetched for each answer. */
const beginnings = ['total;dur=', ', currency;dur=', ', controller;dur=']

function textOf(hundredths: number): string {
  return hundredths < 0 || hundredths >= maxKept
    ? milliseconds(hundredths)
    : (kept[hundredths] ??= milliseconds(hundredths))
}

/** Texts of durations that were written, by their hundredths: most are short, and the same ones come again. */
const kept: string[] = []
const maxKept = 1000

/** Two decimals at most. Put together of whole numbers: turning a fraction into text takes ten times as long. */
function milliseconds(hundredths: number): string {
  const fraction = hundredths % 100
  const whole = (hundredths - fraction) / 100
  if (fraction === 0) return String(whole)
  if (fraction % 10 === 0) return `${whole}.${fraction / 10}`
  return `${whole}.${fraction < 10 ? '0' : ''}${fraction}`
}
