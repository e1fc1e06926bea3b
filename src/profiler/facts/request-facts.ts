// The facts of finished requests as they travel to another thread. They are not masked yet, but for log lines, and go nowhere but
// to a thread of this process.

import type { Note } from '../../framework/recording/recording.ts'
import type { FlatData } from './flat-data.ts'
import type { ChildRecord, RecordingRecord, RequestRecord } from '../request-record.ts'

/** The facts of so many requests. */
export interface FlatFacts extends FlatData {
  readonly count: number
}

/** What stands for a number that is not there. */
export const nothing = -1
/** What stands for a name behind the last one. */
export const noName = ''

/** Numbers of the strings that are often the same as in the request before. Fields of the answer take all from the last one on. */
export const places = {
  method: 0,
  target: 1,
  path: 2,
  query: 3,
  scheme: 4,
  host: 5,
  peerAddress: 6,
  clientAddress: 7,
  handlerName: 8,
  replyHeaders: 9,
} as const

/** What collectors of the main thread have gathered already. */
export interface GatheredHere {
  /** Names under which listeners may have kept what goes along. */
  readonly reads: readonly string[]
  /** Parts of collectors of the application: name and JSON. */
  readonly texts: readonly (readonly [name: string, json: string])[]
  /** Parts of built-in collectors: name and plain data. */
  readonly data: readonly (readonly [name: string, data: unknown])[]
  readonly notes: readonly Note[]
}

/** Something kept that is mostly numbers: a measurement. */
export interface KeptFigures {
  readonly figures: readonly number[]
  /** Plain data; best the same object for all requests of which it is the same. `null`: nothing. */
  readonly more: unknown
}

/** What most requests have nothing of. */
export interface RareFacts extends Omit<GatheredHere, 'reads'> {
  /** Of the recording itself. */
  readonly ownNotes: readonly Note[]
  /** Tokens of all recordings below, in their order. */
  readonly childTokens: readonly string[]
  readonly children: readonly ChildRecord[]
}

/** One request, in the thread that makes its profile. */
export interface RequestFacts extends Omit<GatheredHere, 'reads'> {
  readonly record: RequestRecord & { readonly recording: RecordingRecord }
}
