// Tells the browser's own tools where the time went, as far as it is known when the answer leaves (Server-Timing).

import type { Recording } from '../../recording/recording.ts'
import { currencyReadOf } from './currency-read-of.ts'

/** `total;dur=12.3, currency;dur=0.2, controller;dur=5.1`: constant names, numbers only (SECURITY R15). */
export function serverTiming(recording: Recording): string {
  const parts = [metric('total', recording.durationMs)]
  const currencyMs = currencyReadOf(recording)?.durationMs
  if (currencyMs !== undefined) parts.push(metric('currency', currencyMs))
  const controllerMs = controllerDuration(recording)
  if (controllerMs !== null) parts.push(metric('controller', controllerMs))
  return parts.join(', ')
}

function metric(name: string, durationMs: number): string {
  return `${name};dur=${durationMs.toFixed(2)}`
}

function controllerDuration({ stopwatch }: Recording): number | null {
  for (const { category, durationMs } of stopwatch.spans()) {
    if (category === 'controller') return durationMs
  }
  return null
}
