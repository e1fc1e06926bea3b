// Makes the profile of one finished exchange: asks every collector inside a guard, and holds the whole within its bound.

import { errorClassOf } from './collectors/exception.ts'
import type { Exchange } from '../kernel/exchange.ts'
import { describeFailure } from '../kernel/describe-failure.ts'
import { approximateSize } from '../recording/approximate-size.ts'
import type { Recording } from '../recording/recording.ts'
import type { Redactor } from '../redact/redactor.ts'
import type { Collector } from './collector.ts'
import type { Profile } from './profile.ts'

/** Bytes of one profile at most, counted nearly (SECURITY R9). */
const maxProfileBytes = 256 * 1024

/** The profile of a request or a sub-request. Never throws: a collector that does becomes a note. */
export function assembleProfile(
  exchange: Exchange,
  recording: Recording,
  collectors: readonly Collector[],
  redactor: Redactor,
): Profile {
  const data = withinBound(collect(exchange, recording, collectors), recording)
  const { context, route, reply, sent } = exchange
  const records = recording.logger.records
  return {
    token: recording.token,
    parentToken: recording.parent?.token ?? null,
    childTokens: recording.children.map((child) => child.token),
    method: context.method,
    url: redactor.url(context.fullUrl),
    route: route?.name ?? null,
    status: sent?.aborted === true && sent.bytes === 0 ? 0 : (reply?.status ?? 0),
    ip: context.clientAddress,
    time: recording.startedAt,
    durationMs: recording.durationMs,
    errorClass: errorClassOf(recording),
    handler: exchange.handlerName,
    logErrorCount: records.filter(({ level }) => level === 'error' || level === 'fatal').length,
    logCount: records.length + recording.logger.dropped,
    data: { ...data, notes: recording.notes },
  }
}

function collect(exchange: Exchange, recording: Recording, collectors: readonly Collector[]): Map<string, unknown> {
  const data = new Map<string, unknown>()
  for (const collector of collectors) {
    try {
      const collected = collector.collect(exchange)
      // Encoding here, guarded, so that a hostile value can never fail the store.
      if (collected !== undefined) data.set(collector.name, JSON.parse(JSON.stringify(collected)))
    } catch (thrown) {
      const { errorClass, message } = describeFailure(thrown)
      recording.note(`collector ${collector.name}`, `failed: ${errorClass}: ${message}`.slice(0, 500))
    }
  }
  return data
}

/** Leaves out the largest parts until the rest fits, and notes what was left out. */
function withinBound(data: Map<string, unknown>, recording: Recording): Readonly<Record<string, unknown>> {
  const sizes = [...data].map(([name, value]) => ({ name, bytes: approximateSize(value, maxProfileBytes * 4) }))
  let total = sizes.reduce((sum, { bytes }) => sum + bytes, 0)
  for (const { name, bytes } of sizes.toSorted((one, other) => other.bytes - one.bytes)) {
    if (total <= maxProfileBytes) break
    data.delete(name)
    total -= bytes
    recording.note(`collector ${name}`, `left out: about ${Math.round(bytes / 1024)} KB, more than a profile may hold`)
  }
  return Object.fromEntries(data)
}
