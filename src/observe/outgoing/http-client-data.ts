// The outgoing requests: what was asked of whom, what came back, and when.

import { contentText } from '../../http/recording/body-content.ts'
import { capturedBody, lackOf, type RecordedBody } from '../../http/recording/captured-body.ts'
import { counted, formatBytes, formatDuration, statusTone, type Tone } from '../../base/html/components.ts'
import { cutText } from '../../base/redact/cut-text.ts'
import { facts, failureNote, place, text } from '../blocks/blocks.ts'
import type { Block, Card, Inline, Line } from '../blocks/blocks.ts'
import { keptNote, type DescribedPart } from '../blocks/described-part.ts'
import { fieldValue, listedFields } from '../../base/http/header-fields.ts'
import type { Redactor } from '../../base/redact/redactor.ts'
import type { Fields } from '../collectors/request.ts'
import type { RecordedOutgoing, RecordedOutgoings, BuiltInCollector } from '../request-record.ts'
import type { KeptName } from '../../http/recording/recording.ts'
import { cutList } from '../profile-parts.ts'

/** An outgoing request as its client reports it when it starts. */
export interface OutgoingStart extends Pick<RecordedOutgoing, 'client' | 'method' | 'url' | 'requestBytes'> {
  /** With the port if it is not the default one: `prices.example:8443`. */
  readonly host: string
  /** The stack of the caller. */
  readonly site: Error
}

/** What follows a request beside its record, as it passes. */
export interface OutgoingFollower {
  wrote(chunk: Uint8Array): void
  /** All of the body was sent. Whether it goes on to follow. */
  wroteAll(): boolean
  /** The head of the response came: names and values in turn. */
  answered(status: number, headers: readonly string[]): void
  received(chunk: Uint8Array): void
  ended(): void
  failed(thrown: unknown): void
}

/** Name of collector and panel, and the key on the recording. */
export const httpClientName: KeptName<KeptOutgoing> = 'http-client'

/** The outgoing requests of a request, as a capture keeps them while it runs. */
export interface KeptOutgoing {
  toRecord(): RecordedOutgoings
  /** All that were sent, and how many of those kept have failed. */
  tally(): { readonly made: number; readonly failed: number }
}

/** The profile that the called service keeps of its side. */
export interface CalledProfile {
  readonly token: string
  /** Address of its page, always on the called origin; `null` if it names none that may be followed. */
  readonly link: string | null
}

/** The body of an outgoing request or its response. */
export interface CapturedOutgoingBody {
  /** Of `CapturedBody`. Absent in profiles of versions that did not tell. */
  readonly state?: string | undefined
  /** Without parameters; empty where none was sent. */
  readonly mediaType: string
  /** Whether all of it is there. */
  readonly isWhole: boolean
  /** Decoded and masked, JSON written again; `null` for what is not text or could not be decoded, masked or kept as a whole. */
  readonly text: string | null
}

/** An outgoing request in a profile; everything is masked. */
export interface OutgoingRequest extends Omit<
  RecordedOutgoing,
  'requestHeaders' | 'responseHeaders' | 'requestBody' | 'responseBody'
> {
  readonly requestHeaders: Fields
  readonly responseHeaders: Fields
  /** Absent where none is kept, or there is none. */
  readonly requestBody?: CapturedOutgoingBody | undefined
  readonly responseBody?: CapturedOutgoingBody | undefined
  /** `null` if the service named none. */
  readonly profile: CalledProfile | null
}

/** The outgoing requests of one request, as its profile holds them. */
export interface HttpClientData extends Omit<RecordedOutgoings, 'calls'> {
  /** In starting order. */
  readonly calls: readonly OutgoingRequest[]
}

/** Makes plain, masked data. */
export function httpClientData(record: RecordedOutgoings, redactor: Redactor): HttpClientData {
  return { ...record, calls: record.calls.map((call) => masked(call, redactor)) }
}

function masked(call: RecordedOutgoing, redactor: Redactor): OutgoingRequest {
  const { requestBody, responseBody, ...facts } = call
  const { url, error, responseBytes, requestHeaders, responseHeaders } = call
  return {
    ...facts,
    requestBody: requestBody && capturedOutgoingBody(requestBody, redactor),
    responseBody: responseBody && capturedOutgoingBody(responseBody, redactor),
    url: redactor.url(url),
    error: error === null ? null : redactor.text(error, 1000),
    responseBytes: responseBytes ?? contentLength(responseHeaders),
    requestHeaders: redactor.headers(requestHeaders),
    responseHeaders: redactor.responseHeaders(responseHeaders),
    profile: calledProfile(url, responseHeaders, redactor),
  }
}

/** `undefined` for a type whose bodies are not kept. */
function capturedOutgoingBody(recorded: RecordedBody, redactor: Redactor): CapturedOutgoingBody | undefined {
  const { state, mediaType, content, isComplete, readBytes, keptBytes } = capturedBody(recorded, redactor, maxText)
  const text = content === null ? null : contentText(content)
  return state === 'other-type' ? undefined : { state, mediaType, isWhole: isComplete && readBytes === keptBytes, text }
}

/** Characters of a text that is not JSON at most. */
const maxText = 32_768

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

export function valueOf(headers: readonly string[], name: string): string | undefined {
  return fieldValue(listedFields(headers), name)
}

/** Nothing if none was sent. */
export function httpClientCollector(redactor: Redactor): BuiltInCollector<HttpClientData> {
  return {
    name: httpClientName,
    collect: ({ parts }) => parts.outgoing && httpClientData(parts.outgoing, redactor),
    summarize: ({ traceId }) => (traceId === '' ? {} : { traceId }),
    // Bodies and headers are the larger part; failed requests stay.
    cut: (data, maxBytes) => {
      const bare = data.calls.map(({ requestBody: _sent, responseBody: _received, ...call }) => ({
        ...call,
        requestHeaders: [],
        responseHeaders: [],
      }))
      const calls = cutList(bare, maxBytes, ({ error, status }) => error !== null || (status !== null && status >= 400))
      return { ...data, calls, dropped: data.dropped + data.calls.length - calls.length }
    },
  }
}

export const httpClientPart: DescribedPart<HttpClientData> = {
  name: httpClientName,
  title: 'HTTP client',
  noun: 'request',
  parameters: ['from'],
  empty: 'No outgoing requests were made.',
  badge: ({ calls, dropped }) => {
    const wrong = calls.filter((call) => toneOf(call) !== 'success')
    const hint = counted(calls.length + dropped, 'outgoing request')
    if (wrong.length === 0) return { count: calls.length + dropped, tone: 'neutral', hint }
    const tone = wrong.some((call) => toneOf(call) === 'error') ? 'error' : 'warning'
    return { count: wrong.length, tone, hint: `${wrong.length} of ${hint} with an error` }
  },
  draw: ({ calls, dropped, traceId, parentSpanId }) => [
    keptNote(calls.length, dropped, 'outgoing requests'),
    ...calls.map((call) => callCard(call, Math.max(Math.floor(maxShown / calls.length), minShown))),
    text(['Trace', { trace: traceId }, ...(parentSpanId === null ? [] : ['called by span', { code: parentSpanId }])]),
  ],
}

function toneOf({ status, error, durationMs }: OutgoingRequest): Extract<Tone, 'success' | 'warning' | 'error'> {
  if (error !== null || (status !== null && status >= 500)) return 'error'
  return durationMs === null || (status !== null && status >= 400) ? 'warning' : 'success'
}

/** Characters of all bodies that a page shows, and of each at least. */
const maxShown = 16_000
const minShown = 500

/** `most`: characters of a body. */
function callCard(call: OutgoingRequest, most: number): Card {
  const { method, url, durationMs, callSite, error, requestHeaders, responseHeaders, profile } = call
  return {
    kind: 'card',
    head: [verdict(call), { code: method }],
    name: { code: cutText(url, 2000) },
    time: durationMs === null ? 'not ended' : formatDuration(durationMs),
    times: call,
    facts: [...steps(call), sizes(call), { recorded: call.client }, place(callSite)],
    blocks: [
      failureNote(error),
      text(profile !== null && ['Its profile:', { linked: profile.token, to: profile.link }]),
      headerFold('Request headers', requestHeaders),
      bodyBlock('Request body', call.requestBody, most),
      headerFold('Response headers', responseHeaders),
      bodyBlock('Response body', call.responseBody, most),
    ],
  }
}

function verdict({ status, error, durationMs }: OutgoingRequest): Inline {
  if (status !== null) return { mark: String(status), tone: error === null ? statusTone(status) : 'error' }
  return durationMs === null ? { mark: 'no response yet', tone: 'warning' } : { mark: 'failed', tone: 'error' }
}

function steps({ startMs, waitMs, firstByteMs, durationMs }: OutgoingRequest): readonly Line[] {
  return [
    `+${formatDuration(startMs)}`,
    waitMs === null ? 'never sent' : `sent after ${formatDuration(waitMs)}`,
    firstByteMs === null ? null : `response after ${formatDuration(firstByteMs - (waitMs ?? 0))}`,
    firstByteMs === null || durationMs === null ? null : `body ${formatDuration(durationMs - firstByteMs)}`,
  ]
}

function sizes({ requestBytes, responseBytes }: OutgoingRequest): string {
  const size = (bytes: number | null): string => (bytes === null ? 'size unknown' : formatBytes(bytes))
  return `sent ${size(requestBytes)}, received ${size(responseBytes)}`
}

function headerFold(title: string, fields: Fields): Block | null {
  if (fields.length === 0) return null
  const rows = fields.map(([name, value]) => [{ recorded: name }, { recorded: cutText(value, 2000) }] as const)
  return { kind: 'fold', title: `${title} (${fields.length})`, block: facts(title, rows) }
}

function bodyBlock(title: string, body: CapturedOutgoingBody | undefined, most: number): Block | null {
  if (body === undefined || body.text === '') return null
  if (body.text === null)
    return text(`${title} ${lackOf(body.state ?? '') ?? 'is not shown: it is binary, or cannot be decoded.'}`)
  return { kind: 'source', title, text: cutText(body.text, most), isCut: !body.isWhole }
}
