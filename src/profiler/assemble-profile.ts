// Makes the profile of one exchange: its summary, and what every collector gathered.

import type { Exchange } from '../kernel/exchange.ts'
import type { Note, Recording } from '../recording/recording.ts'
import type { Redactor } from '../redact/redactor.ts'
import { collectData } from './collect-data.ts'
import type { Collector } from './collector.ts'
import { errorClassOf } from './collectors/exception.ts'
import type { Profile } from './profile.ts'

/** What profiles are made with. */
export interface AssemblyParts {
  readonly collectors: readonly Collector[]
  readonly redactor: Redactor
}

/** The profile of a request or a sub-request; changes neither. `notes` come before those of the recording. */
export function assembleProfile(
  exchange: Exchange,
  recording: Recording,
  { collectors, redactor }: AssemblyParts,
  notes: readonly Note[] = [],
): Profile {
  const { context, route, reply, sent } = exchange
  const { records, dropped } = recording.logger
  const collected = collectData(exchange, collectors, redactor)
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
    logCount: records.length + dropped,
    data: { ...collected.data, notes: [...notes, ...recording.notes, ...collected.notes] },
  }
}
