// Tells the browser's own tools where the time went, as far as it is known when the answer leaves (Server-Timing).

import type { Recording } from '../../recording/recording.ts'
import { currencyReadOf } from './currency-read-of.ts'

/** `total;dur=12.3, currency;dur=0.2, controller;dur=5.1`: constant names, numbers only (SECURITY R15). */
export function serverTiming(recording: Recording): string {
  const total = metric('total', recording.durationMs)
  const currencyMs = currencyReadOf(recording)?.durationMs
  const currency = currencyMs === undefined ? '' : `, ${metric('currency', currencyMs)}`
  const controllerMs = recording.stopwatch.durationOf('controller')
  return total + currency + (controllerMs === null ? '' : `, ${metric('controller', controllerMs)}`)
}

function metric(name: string, durationMs: number): string {
  return `${name};dur=${Math.round(durationMs * 100) / 100}`
}
