// The log lines of the request, masked when they were written.

import { isErrorLevel } from '../../framework/log/logger.ts'
import type { LogRecord } from '../../framework/log/record-logger.ts'
import type { BuiltInCollector } from '../request-record.ts'
import { cutList } from '../profile-parts.ts'

export interface LoggerData {
  readonly records: readonly LogRecord[]
  /** Lines that were not kept: too many, or too large for the profile. */
  readonly dropped: number
}

/** Nothing if nothing was logged. */
export const loggerCollector: BuiltInCollector<LoggerData> = {
  name: 'logger',
  collect: ({ log }) => (log.records.length === 0 ? undefined : log),
  cut: ({ records, dropped }, maxBytes) => {
    const kept = cutList(records, maxBytes, ({ level }) => level === 'warn' || isErrorLevel(level))
    return { records: kept, dropped: dropped + records.length - kept.length }
  },
}
