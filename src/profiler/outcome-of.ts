// How a recorded request ended, in the figures that decide whether it is kept and that its summary shows.

import type { SentAnswer } from '../framework/kernel/exchange.ts'
import { isErrorLevel } from '../framework/log/logger.ts'
import type { Outcome } from '../framework/recording/outcome.ts'
import { errorClassOf } from './collectors/exception.ts'
import type { RecordingRecord } from './request-record.ts'

/** What is looked at of a request that has ended. */
export interface EndedRequest {
  readonly reply: { readonly status: number } | undefined
  readonly sent: SentAnswer | undefined
}

/** Of one request, its sub-requests apart. An answer that broke off before its first byte counts as none. */
export function outcomeOf({ reply, sent }: EndedRequest, recording: RecordingRecord | undefined): Outcome {
  let logErrorCount = 0
  for (const { level } of recording?.logger.records ?? []) if (isErrorLevel(level)) logErrorCount += 1
  return {
    status: sent?.aborted === true && sent.bytes === 0 ? 0 : (reply?.status ?? 0),
    errorClass: recording === undefined ? null : errorClassOf(recording),
    logErrorCount,
  }
}
