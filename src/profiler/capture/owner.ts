// How code that reports something finds the recording of the running request, and the capture that keeps what is reported.

import type { Exchange } from '../../framework/kernel/exchange.ts'
import type { Recording } from '../../framework/recording/recording.ts'

/** Key under which a recording keeps the capture of its application. */
export const ownerName = 'capture'

/** The recording of a request; `undefined` once the response was sent: what runs later is not part of it. */
export function openRecording(exchange: Exchange | undefined): Recording | undefined {
  return exchange === undefined || exchange.sent !== undefined ? undefined : exchange.recording
}
