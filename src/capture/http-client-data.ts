// Makes the data of the collector `http-client` from the packed calls of a request: masks, and links the profiles of the
// services that were called. Runs in whatever thread the profile is made in.

import type { Redactor } from '../redact/redactor.ts'
import { calledProfile } from './called-profile.ts'
import { knownFigure } from './known-figure.ts'
import { callFigures, callTexts, type HttpCall } from './outgoing-call.ts'
import type { HttpClientData, PackedCalls } from './outgoing-calls.ts'
import { unpackFields } from './packed-fields.ts'

/** Plain, masked data. */
export function httpClientData({ figures, more }: PackedCalls, redactor: Redactor): HttpClientData {
  const [dropped = 0, durationMs = 0] = figures
  const [traceId, parentSpanId, ...texts] = more
  const calls: HttpCall[] = []
  for (let at = 2, text = 0; at < figures.length; text += callTexts) {
    const [status, startMs = 0, waitMs, firstByteMs, callMs, requestBytes, responseBytes, sent = 0, received = 0] =
      figures.slice(at, at + callFigures)
    const [client, method, url, maskedUrl, error = null, callSite = null, sentText, receivedText] = texts.slice(
      text,
      text + callTexts,
    )
    const sentAt = at + callFigures
    const receivedAt = sentAt + sent
    at = receivedAt + received
    const responseHeaders = unpackFields({ text: receivedText ?? '', places: figures.slice(receivedAt, at) })
    calls.push({
      client: client === 'fetch' ? 'fetch' : 'node:http',
      method: method ?? '',
      url: maskedUrl ?? url ?? '',
      status: knownFigure(status),
      error: error === null ? null : redactor.text(error, 1000),
      startMs,
      waitMs: knownFigure(waitMs),
      firstByteMs: knownFigure(firstByteMs),
      durationMs: knownFigure(callMs),
      requestBytes: knownFigure(requestBytes),
      responseBytes: knownFigure(responseBytes) ?? contentLength(responseHeaders),
      requestHeaders: redactor.headers(
        unpackFields({ text: sentText ?? '', places: figures.slice(sentAt, receivedAt) }),
      ),
      responseHeaders: redactor.responseHeaders(responseHeaders),
      profile: calledProfile(url ?? '', responseHeaders, redactor),
      callSite,
    })
  }
  return { calls, dropped, traceId, parentSpanId, durationMs }
}

function contentLength(headers: readonly string[]): number | null {
  for (let index = 0; index < headers.length; index += 2) {
    if (headers[index]?.toLowerCase() !== 'content-length') continue
    const bytes = Number(headers[index + 1])
    return Number.isSafeInteger(bytes) && bytes >= 0 ? bytes : null
  }
  return null
}
