// Makes the data of the collector `http-client` from the packed calls of a request: masks, and links the profiles of the
// services that were called. Runs in whatever thread the profile is made in.

import type { Redactor } from '../../framework/redact/redactor.ts'
import { calledProfile } from './called-profile.ts'
import { knownFigure } from './known-figure.ts'
import type { HttpCall } from './outgoing-call.ts'
import type { HttpClientData } from './outgoing-calls.ts'
import { CallsReader, type PackedCalls } from './packed-calls.ts'
import { unpackFields } from './packed-fields.ts'

/** Plain, masked data. */
export function httpClientData(packed: PackedCalls, redactor: Redactor): HttpClientData {
  const read = new CallsReader(packed)
  const dropped = read.figure()
  const durationMs = read.figure()
  const traceId = read.text() ?? ''
  const parentSpanId = read.text()
  const calls: HttpCall[] = []
  while (!read.isAtEnd) calls.push(nextCall(read, redactor))
  return { calls, dropped, traceId, parentSpanId, durationMs }
}

/** In the order in which `OutgoingCall.packInto` writes. */
function nextCall(read: CallsReader, redactor: Redactor): HttpCall {
  const { client, method, sent } = read.kind()
  const url = read.text() ?? ''
  const maskedUrl = read.text()
  const error = read.text()
  const callSite = read.text()
  const status = knownFigure(read.figure())
  const startMs = read.figure()
  const waitMs = knownFigure(read.figure())
  const firstByteMs = knownFigure(read.figure())
  const durationMs = knownFigure(read.figure())
  const requestBytes = knownFigure(read.figure())
  const responseBytes = knownFigure(read.figure())
  const requestHeaders = sent.map((field) => field ?? read.text() ?? '')
  const responseHeaders = unpackFields({ text: read.text() ?? '', gap: read.figure(), lengths: figures(read) })
  return {
    client,
    method,
    url: maskedUrl ?? url,
    status,
    error: error === null ? null : redactor.text(error, 1000),
    startMs,
    waitMs,
    firstByteMs,
    durationMs,
    requestBytes,
    responseBytes: responseBytes ?? contentLength(responseHeaders),
    requestHeaders: redactor.headers(requestHeaders),
    responseHeaders: redactor.responseHeaders(responseHeaders),
    profile: calledProfile(url, responseHeaders, redactor),
    callSite,
  }
}

function figures(read: CallsReader): readonly number[] {
  return Array.from({ length: read.figure() }, () => read.figure())
}

function contentLength(headers: readonly string[]): number | null {
  for (let index = 0; index < headers.length; index += 2) {
    if (headers[index]?.toLowerCase() !== 'content-length') continue
    const bytes = Number(headers[index + 1])
    return Number.isSafeInteger(bytes) && bytes >= 0 ? bytes : null
  }
  return null
}
