// The facts of one finished request as they travel to another thread: plain data that structured cloning takes, flat where
// there are many, since each object costs. They are not masked yet and go nowhere but to a thread of this process.

import { RequestContext } from '../http/request-context.ts'
import type { LogRecord } from '../log/record-logger.ts'
import type { Note } from '../recording/recording.ts'
import { unpackSpans, type PackedSpans } from '../timing/packed-spans.ts'
import type { Recording } from '../recording/recording.ts'
import type { ChildRecord, RecordingRecord, RequestRecord, RouteRecord } from './request-record.ts'

/** What collectors of the main thread have gathered already. */
export interface GatheredHere {
  /** By the name under which listeners kept it. */
  readonly kept: Readonly<Record<string, unknown>>
  /** Parts of collectors of the application: name and JSON. */
  readonly texts: readonly (readonly [name: string, json: string])[]
  /** Parts of built-in collectors: name and plain data. */
  readonly data: readonly (readonly [name: string, data: unknown])[]
  readonly notes: readonly Note[]
}

/** Everything that a profile is made from. */
export interface RequestFacts extends GatheredHere {
  readonly token: string
  readonly parentToken: string | null
  readonly startedAt: number
  readonly startedMs: number
  readonly durationMs: number
  /** method, target, path, query, scheme, host, port, peer address, client address, handler, status, bytes, aborted. */
  readonly line: readonly (string | number | boolean | null)[]
  readonly requestHeaders: readonly string[]
  readonly responseHeaders: readonly string[] | null
  readonly route: readonly [name: string, path: string, file: string | null, line: number] | null
  /** Names and values in turn. */
  readonly params: readonly unknown[]
  readonly records: readonly LogRecord[]
  readonly droppedRecords: number
  readonly spans: PackedSpans
  readonly droppedSpans: number
  readonly ownNotes: readonly Note[]
  /** Tokens of all recordings below, in their order. */
  readonly childTokens: readonly string[]
  /** handler, status, token, start, duration of each sub-request. */
  readonly children: readonly (string | number | null)[]
}

/** Packs a request that has ended. */
export function packRecord(record: RequestRecord, recording: Recording, here: GatheredHere): RequestFacts {
  const { context, reply, sent, route } = record
  const { stopwatch, logger } = recording
  return {
    ...here,
    token: recording.token,
    parentToken: recording.parent?.token ?? null,
    startedAt: recording.startedAt,
    startedMs: stopwatch.startedMs,
    durationMs: recording.durationMs,
    line: [
      context.method,
      context.target,
      context.path,
      context.query,
      context.scheme,
      context.host,
      context.port,
      context.peerAddress,
      context.clientAddress,
      record.handlerName,
      reply === undefined ? null : reply.status,
      sent === undefined ? null : sent.bytes,
      sent === undefined ? null : sent.aborted,
      record.parent !== undefined,
    ],
    requestHeaders: context.rawHeaders,
    responseHeaders: reply === undefined ? null : reply.headers,
    route: route === undefined ? null : packRoute(route),
    params: packParams(record.params),
    records: logger.records,
    droppedRecords: logger.dropped,
    spans: stopwatch.packed(),
    droppedSpans: stopwatch.droppedSpans,
    ownNotes: recording.notes,
    childTokens: recording.children.length === 0 ? none : recording.children.map(({ token }) => token),
    children: record.children.length === 0 ? none : record.children.flatMap(packChild),
  }
}

const none: readonly never[] = Object.freeze([])

function packRoute({ name, path, definedAt }: RouteRecord): RequestFacts['route'] {
  return [name, path, definedAt?.file ?? null, definedAt?.line ?? 0]
}

function packParams(params: RequestRecord['params']): readonly unknown[] {
  const entries = Object.entries(params)
  return entries.length === 0 ? none : entries.flat()
}

function packChild({ handlerName, reply, recording }: ChildRecord): readonly (string | number | null)[] {
  return [
    handlerName,
    reply?.status ?? null,
    recording?.token ?? null,
    recording?.stopwatch.startedMs ?? 0,
    recording?.durationMs ?? 0,
  ]
}

/** The request that facts were packed from, as collectors read it. */
export function unpackRecord(
  facts: RequestFacts,
  revive: (name: string, kept: unknown) => unknown = keepAsIs,
): RequestRecord & { readonly recording: RecordingRecord } {
  const [method, target, path, query, scheme, host, port, peer, client, handler, status, bytes, aborted, isPart] =
    facts.line as PackedLine
  const kept = new Map(Object.entries(facts.kept))
  return {
    context: new RequestContext({
      method,
      target,
      path,
      query,
      scheme,
      host,
      port,
      rawHeaders: facts.requestHeaders,
      peerAddress: peer,
      clientAddress: client,
    }),
    handlerName: handler,
    route: unpackRoute(facts.route),
    params: unpackParams(facts.params),
    parent: isPart ? {} : undefined,
    reply: status === null ? undefined : { status, headers: facts.responseHeaders ?? [] },
    sent: bytes === null || aborted === null ? undefined : { bytes, aborted },
    children: unpackChildren(facts.children),
    recording: {
      token: facts.token,
      startedAt: facts.startedAt,
      durationMs: facts.durationMs,
      parent: facts.parentToken === null ? undefined : { token: facts.parentToken },
      children: facts.childTokens.map((token) => ({ token })),
      notes: facts.ownNotes,
      logger: { records: facts.records, dropped: facts.droppedRecords },
      stopwatch: {
        startedMs: facts.startedMs,
        droppedSpans: facts.droppedSpans,
        spans: () => unpackSpans(facts.spans),
      },
      kept: (name) => revive(name, kept.get(name)),
    },
  }
}

const keepAsIs = (_name: string, kept: unknown): unknown => kept

/** What `packRecord` writes into `line`. */
type PackedLine = readonly [
  method: string,
  target: string,
  path: string,
  query: string,
  scheme: 'http' | 'https',
  host: string,
  port: number,
  peer: string,
  client: string,
  handler: string,
  status: number | null,
  bytes: number | null,
  aborted: boolean | null,
  isPart: boolean,
]

function unpackRoute(route: RequestFacts['route']): RouteRecord | undefined {
  if (route === null) return undefined
  const [name, path, file, line] = route
  return { name, path, definedAt: file === null ? null : { file, line } }
}

function unpackParams(flat: readonly unknown[]): RequestRecord['params'] {
  const params = Object.create(null) as Record<string, unknown>
  for (let index = 0; index < flat.length; index += 2) params[String(flat[index])] = flat[index + 1]
  return params
}

function unpackChildren(flat: RequestFacts['children']): readonly ChildRecord[] {
  const children: ChildRecord[] = []
  for (let index = 0; index < flat.length; index += 5) {
    const [handler, status, token, startedMs, durationMs] = flat.slice(index, index + 5)
    children.push({
      handlerName: String(handler),
      reply: status === null ? undefined : { status: Number(status) },
      recording:
        token === null
          ? undefined
          : { token: String(token), durationMs: Number(durationMs), stopwatch: { startedMs: Number(startedMs) } },
    })
  }
  return children
}
