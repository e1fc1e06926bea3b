// Makes exchanges for tests that need no socket.

import { HttpRequest, type RequestParts } from '../../src/base/http/request.ts'
import { Exchange } from '../../src/http/kernel/exchange.ts'
import { Logger, type Log, type LogEntry, type LogSink } from '../../src/base/log/logger.ts'

/** A request as a client on this machine would send it; every part may be named. */
export function requestContext(parts: Partial<RequestParts> = {}): HttpRequest {
  const path = parts.path ?? '/'
  return new HttpRequest({
    method: 'GET',
    target: parts.query === undefined || parts.query === '' ? path : `${path}?${parts.query}`,
    path,
    query: '',
    scheme: 'http',
    host: '127.0.0.1',
    port: 8000,
    rawHeaders: ['Host', '127.0.0.1:8000'],
    peerAddress: '127.0.0.1',
    clientAddress: '127.0.0.1',
    ...parts,
  })
}

/** A sink that remembers what was written. */
export class LineList implements Log, LogSink {
  readonly lines: LogEntry[] = []

  write(line: LogEntry): void {
    this.lines.push(line)
  }
}

/** An exchange without a recording. */
export function exchangeOf(parts: Partial<RequestParts> = {}, log: Log = new LineList()): Exchange {
  return new Exchange({ request: requestContext(parts), log: new Logger(log) })
}
