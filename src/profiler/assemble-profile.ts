// Makes the profile of one request: its summary, and what every collector gathered. As an object for readers of this
// process, or as the text that a store keeps.

import type { Exchange } from '../framework/kernel/exchange.ts'
import type { Note, Recording } from '../framework/recording/recording.ts'
import { decode, encodePart, gather, holdWithinBound, type Gathered } from './collect-data.ts'
import type { AssembledProfile } from './assembling-store.ts'
import type { Collector } from './collector.ts'
import type { Profile, ProfileSummary } from './profile.ts'
import { summarize, type SummaryRules } from './summarize.ts'

/** What profiles are made with. */
export interface AssemblyParts extends SummaryRules {
  readonly collectors: readonly Collector[]
}

/** The profile of a request or a sub-request; changes neither. `notes` come before those of the recording. */
export function assembleProfile(
  exchange: Exchange,
  recording: Recording,
  parts: AssemblyParts,
  notes: readonly Note[] = [],
): Profile {
  const gathered = gather(parts.collectors, (collector) => collector.collect(exchange), parts.redactor)
  return toProfile(summarize(exchange, recording, gathered.parts, parts), gathered, [...notes, ...recording.notes])
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
