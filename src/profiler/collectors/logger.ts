// The log lines of the request, masked when they were written.

import type { LogRecord } from '../../log/record-logger.ts'
import type { Collector } from '../collector.ts'

/** The log of one request. */
export interface LoggerData {
  readonly records: readonly LogRecord[]
  /** Lines that came after the bound was reached. */
  readonly dropped: number
}

/** Reads what the record logger kept; nothing where nothing was logged. */
export const loggerCollector: Collector<LoggerData> = {
  name: 'logger',
  collect: ({ recording }) => {
    if (recording === undefined || recording.logger.records.length === 0) return undefined
    return { records: recording.logger.records, dropped: recording.logger.dropped }
  },
}
