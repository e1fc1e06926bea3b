// The log lines of the request, masked when they were written.

import { isErrorLevel } from '../../framework/log/logger.ts'
import type { LogRecord } from '../../framework/log/record-logger.ts'
import type { RecordCollector } from '../request-record.ts'
import { cutList } from './cut-list.ts'

/** The log of one request. */
export interface LoggerData {
  readonly records: readonly LogRecord[]
  /** Lines that were not kept: too many, or too large for the profile. */
  readonly dropped: number
}

/** Reads what the record logger kept; nothing where nothing was logged. */
export const loggerCollector: RecordCollector<LoggerData> = {
  name: 'logger',
  reads: [],
  collect: ({ recording }) => {
    const records = recording?.logger.records ?? []
    return records.length === 0 ? undefined : { records, dropped: recording?.logger.dropped ?? 0 }
  },
  cut: ({ records, dropped }, maxBytes) => {
    const kept = cutList(records, maxBytes, ({ level }) => level === 'warn' || isErrorLevel(level))
    return { records: kept, dropped: dropped + records.length - kept.length }
  },
}
