// Makes the profile of one request: its summary, and what every collector gathered. As an object for readers of this
// process, or as the text that a store keeps.

import type { Exchange } from '../framework/kernel/exchange.ts'
import type { Note, Recording } from '../framework/recording/recording.ts'
import type { Redactor } from '../framework/redact/redactor.ts'
import { decode, encodePart, gather, holdWithinBound, type Gathered } from './collect-data.ts'
import type { AssembledProfile } from './assembling-store.ts'
import type { Collector } from './collector.ts'
import { outcomeOf } from './outcome-of.ts'
import type { Profile, ProfileSummary } from './profile.ts'
import type { RecordingRecord, RequestRecord } from './request-record.ts'

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
  const gathered = gather(collectors, (collector) => collector.collect(exchange), redactor)
  return toProfile(summarize(exchange, recording, redactor), gathered, [...notes, ...recording.notes])
}

/** The summary of a request. */
export function summarize(record: RequestRecord, recording: RecordingRecord, redactor: Redactor): ProfileSummary {
  const { context, route } = record
  const { records, dropped } = recording.logger
  const { status, errorClass, logErrorCount } = outcomeOf(record, recording)
  return {
    token: recording.token,
    parentToken: recording.parent?.token ?? null,
    childTokens: recording.children.map((child) => child.token),
    method: context.method,
    url: redactor.url(context.fullUrl),
    route: route?.name ?? null,
    status,
    ip: context.clientAddress,
    time: recording.startedAt,
    durationMs: recording.durationMs,
    errorClass,
    handler: record.handlerName,
    logErrorCount,
    logCount: records.length + dropped,
  }
}

/** The profile as an object. `notes` come before those of the collectors. */
export function toProfile(summary: ProfileSummary, gathered: Gathered, notes: readonly Note[]): Profile {
  const { parts, notes: more } = holdWithinBound(gathered)
  const data: Record<string, unknown> = {}
  for (const part of parts) data[part.collector.name] = decode(part)
  data['notes'] = [...notes, ...more]
  return { ...summary, data }
}

/**
 * The same profile, and as JSON besides: what the parts are encoded to already is not encoded again. The object refers to
 * what was gathered, for who reads it at once.
 */
export function toAssembled(summary: ProfileSummary, gathered: Gathered, notes: readonly Note[]): AssembledProfile {
  const { parts, notes: more } = holdWithinBound(gathered)
  const data: Record<string, unknown> = {}
  let json = `${JSON.stringify(summary).slice(0, -1)},"data":{`
  for (const part of parts) {
    data[part.collector.name] = part.data
    // Names of collectors hold nothing that JSON escapes.
    json += `"${part.collector.name}":${encodePart(part)},`
  }
  const allNotes = [...notes, ...more]
  data['notes'] = allNotes
  return { profile: { ...summary, data }, json: `${json}"notes":${JSON.stringify(allNotes)}}}` }
}
