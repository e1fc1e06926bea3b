// How code that reports something finds the recording of the running request, and the capture that keeps what is reported.

import type { Exchange } from '../../http/kernel/exchange.ts'
import type { Recording } from '../../http/recording/recording.ts'
import type { ActivityOwner } from '../activities/activity.ts'
import type { QueryOwner } from './queries.ts'

/** Key under which a recording keeps the capture of its application. */
export const ownerName = 'capture'

/** The capture of the application that makes the recording. */
export function ownerOf(recording: Recording | undefined): (QueryOwner & ActivityOwner) | undefined {
  // Only a capture keeps itself under this name.
  return recording?.kept(ownerName) as (QueryOwner & ActivityOwner) | undefined
}

/** The recording of a request; `undefined` once the response was sent: what runs later is not part of it. */
export function openRecording(exchange: Exchange | undefined): Recording | undefined {
  return exchange === undefined || exchange.sent !== undefined ? undefined : exchange.recording
}
