// Tells the browser's own tools where the time went, as far as it is known when the answer leaves (Server-Timing).

import type { Recording } from '../../../framework/recording/recording.ts'
import { keptCurrencyRead } from '../../../plugins/currency/currency-read.ts'

/** `total;dur=12.3, currency;dur=0.2, controller;dur=5.1`: constant names, numbers only (SECURITY R15). */
export function serverTiming(recording: Recording): string {
  const total = metric('total', recording.durationMs)
  const currencyMs = keptCurrencyRead(recording)?.figures[0]
  const currency = currencyMs === undefined ? '' : `, ${metric('currency', currencyMs)}`
  const controllerMs = recording.stopwatch.durationOf('controller')
  return total + currency + (controllerMs === null ? '' : `, ${metric('controller', controllerMs)}`)
}

function metric(name: string, durationMs: number): string {
  const hundredths = Math.round(durationMs * 100)
  if (hundredths < 0 || hundredths >= maxKept) return `${name};dur=${milliseconds(hundredths)}`
  const text = (kept[hundredths] ??= milliseconds(hundredths))
  return `${name};dur=${text}`
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
