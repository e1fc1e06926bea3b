// What a profile says about outgoing requests.

import { fieldValue, listedFields } from '../../framework/http/header-fields.ts'
import type { Redactor } from '../../framework/redact/redactor.ts'
import type { Fields } from '../collectors/request.ts'
import type { RecordedOutgoing, RecordedOutgoings, BuiltInCollector } from '../request-record.ts'
import { capturedResponse, type CapturedResponse } from './captured-response.ts'
import { cutList } from '../profile-parts.ts'

/** The profile that the called service keeps of its side. */
export interface CalledProfile {
  readonly token: string
  /** Address of its page, always on the called origin; `null` if it names none that may be followed. */
  readonly link: string | null
}

/** An outgoing request in a profile; everything is masked. */
export interface OutgoingRequest extends Omit<RecordedOutgoing, 'requestHeaders' | 'responseHeaders' | 'responseBody'> {
  readonly requestHeaders: Fields
  readonly responseHeaders: Fields
  /** Absent unless response bodies are captured. */
  readonly responseBody?: CapturedResponse
  /** `null` if the service named none. */
  readonly profile: CalledProfile | null
}

/** The outgoing requests of one request, as its profile holds them. */
export interface HttpClientData {
  /** In starting order. */
  readonly calls: readonly OutgoingRequest[]
  /** Outgoing requests that were not kept: too many, or too large for the profile. */
  readonly dropped: number
  /** ID of the trace across services. */
  readonly traceId: string
  /** Span of the service that called this one; `null` if the trace starts here. */
  readonly parentSpanId: string | null
  /** Duration of the request. */
  readonly durationMs: number
}

/** Makes plain, masked data. */
export function httpClientData(record: RecordedOutgoings, redactor: Redactor): HttpClientData {
  const { calls, dropped, traceId, parentSpanId, durationMs } = record
  return { calls: calls.map((call) => masked(call, redactor)), dropped, traceId, parentSpanId, durationMs }
}

function masked(call: RecordedOutgoing, redactor: Redactor): OutgoingRequest {
  const { responseBody, ...facts } = call
  const { url, error, responseBytes, requestHeaders, responseHeaders } = call
  const header = (name: string): string | undefined => valueOf(responseHeaders, name)
  return {
    ...facts,
    ...(responseBody === undefined ? {} : { responseBody: capturedResponse(responseBody, header, redactor) }),
    url: redactor.url(url),
    error: error === null ? null : redactor.text(error, 1000),
    responseBytes: responseBytes ?? contentLength(responseHeaders),
    requestHeaders: redactor.headers(requestHeaders),
    responseHeaders: redactor.responseHeaders(responseHeaders),
    profile: calledProfile(url, responseHeaders, redactor),
  }
}

function contentLength(headers: readonly string[]): number | null {
  const value = valueOf(headers, 'content-length')
  const bytes = Number(value)
  return value !== undefined && Number.isSafeInteger(bytes) && bytes >= 0 ? bytes : null
}

/** The profile that a response names; `headers` are names and values in turn. The response is not trusted. */
export function calledProfile(url: string, headers: readonly string[], redactor: Redactor): CalledProfile | null {
  const token = valueOf(headers, 'x-debug-token')
  if (token === undefined || !/^[\w-]{1,64}$/.test(token)) return null
  const link = valueOf(headers, 'x-debug-token-link')
  return { token, link: link === undefined ? null : followable(link, url, redactor) }
}

/** Follows only a page of the very origin that was called, over http or https. */
function followable(link: string, url: string, redactor: Redactor): string | null {
  if (link.length > 2048 || !URL.canParse(link, url)) return null
  const target = new URL(link, url)
  if (target.protocol !== 'http:' && target.protocol !== 'https:') return null
  if (target.origin !== new URL(url).origin || target.username !== '' || target.password !== '') return null
  return redactor.url(target.href)
}

function valueOf(headers: readonly string[], name: string): string | undefined {
  return fieldValue(listedFields(headers), name)
}

/** Nothing if none was sent. */
export function httpClientCollector(redactor: Redactor): BuiltInCollector<HttpClientData> {
  return {
    name: 'http-client',
    collect: ({ parts }) => parts.outgoing && httpClientData(parts.outgoing, redactor),
    summarize: ({ traceId }) => (traceId === '' ? {} : { traceId }),
    // Bodies and headers are the larger part; failed requests stay.
    cut: (data, maxBytes) => {
      const bare = data.calls.map(({ responseBody: _, ...call }) => ({
        ...call,
        requestHeaders: [],
        responseHeaders: [],
      }))
      const calls = cutList(bare, maxBytes, ({ error, status }) => error !== null || (status !== null && status >= 400))
      return { ...data, calls, dropped: data.dropped + data.calls.length - calls.length }
    },
  }
}
