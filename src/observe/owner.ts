// How code that reports something finds the recording of the running request, and the capture that keeps what is reported.

import { currentExchange } from '../http/kernel/current-exchange.ts'
import type { Exchange } from '../http/kernel/exchange.ts'
import type { Recording, KeptName } from '../http/recording/recording.ts'
import type { ActivityLists } from './activities/activity.ts'
import type { Queries } from './outgoing/queries.ts'

export const ownerName: KeptName<CaptureOwner> = 'capture'

/** Keeps what is reported of one application's requests. */
export interface CaptureOwner {
  /** Whether the text of messages of connections is kept. */
  readonly capturesMessages: boolean
  queriesOf(recording: Recording): Queries
  activitiesOf(recording: Recording): ActivityLists
  /** The `traceparent` for work that the request leaves for later or to others; the profile then names the trace. */
  handOn(exchange: Exchange, recording: Recording): string
}

/** The capture of the application that makes the recording. */
export function ownerOf(recording: Recording | undefined): CaptureOwner | undefined {
  return recording?.kept(ownerName)
}

/** Whether this capture keeps what the running request does: all applications of a process hear the same channels. */
export function isOwn(owner: CaptureOwner): boolean {
  return ownerOf(currentExchange()?.recording) === owner
}

/** The recording of a request; `undefined` once the response was sent: what runs later is not part of it. */
export function openRecording(exchange: Exchange | undefined): Recording | undefined {
  return exchange === undefined || exchange.sent !== undefined ? undefined : exchange.recording
}
