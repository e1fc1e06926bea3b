// Makes exchanges that are recorded, without a profiler.

import type { RequestParts } from '../../src/http/request-context.ts'
import type { Exchange } from '../../src/kernel/exchange.ts'
import { RecordLogger } from '../../src/log/record-logger.ts'
import { Recording } from '../../src/recording/recording.ts'
import { Stopwatch } from '../../src/timing/stopwatch.ts'
import { exchangeOf, LineList } from './exchange.ts'

/** An exchange with a recording that keeps everything as it comes. */
export function recordedExchange(parts: Partial<RequestParts> = {}): Exchange & { recording: Recording } {
  const exchange = exchangeOf(parts)
  return Object.assign(exchange, { recording: recordingOf() })
}

function recordingOf(parent?: Recording): Recording {
  const stopwatch = new Stopwatch()
  const logger = new RecordLogger(
    {
      downstream: new LineList(),
      mask: (context) => context,
      maskText: (text) => text,
    },
    stopwatch,
  )
  return new Recording({
    token: 'abcdefghij',
    startedAt: Date.now(),
    stopwatch,
    logger,
    fork: recordingOf,
    ...(parent === undefined ? {} : { parent }),
  })
}
