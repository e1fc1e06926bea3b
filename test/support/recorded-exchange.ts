// Makes exchanges that are recorded, without a profiler.

import type { RequestParts } from '../../src/base/http/request.ts'
import type { Exchange } from '../../src/http/kernel/exchange.ts'
import { RecordLogger } from '../../src/base/log/logger.ts'
import { Recording } from '../../src/http/recording/recording.ts'
import { recordOf } from '../../src/profiles/make-record.ts'
import type { RequestRecord } from '../../src/observe/request-record.ts'
import { Redactor } from '../../src/base/redact/redactor.ts'
import { Stopwatch } from '../../src/base/timing/stopwatch.ts'
import { exchangeOf, LineList } from './exchange.ts'

/** An exchange with a recording that keeps everything as it comes. */
export function recordedExchange(parts: Partial<RequestParts> = {}): Exchange & { recording: Recording } {
  const exchange = exchangeOf(parts)
  return Object.assign(exchange, { recording: recordingOf() })
}

/** The record of such an exchange, without collectors of an application. */
export function recorded(exchange: Exchange & { recording: Recording }): RequestRecord {
  return recordOf(exchange, exchange.recording, { collectors: [], redactor: new Redactor() })
}

function recordingOf(parent?: Recording): Recording {
  const stopwatch = new Stopwatch()
  const logger = new RecordLogger(
    {
      sink: new LineList(),
      redactor: { record: (context) => context, text: (text) => text },
    },
    stopwatch,
  )
  return new Recording({
    token: 'abcdefghij',
    startedAt: Date.now(),
    stopwatch,
    logger,
    redactor: new Redactor(),
    fork: recordingOf,
    ...(parent === undefined ? {} : { parent }),
  })
}
