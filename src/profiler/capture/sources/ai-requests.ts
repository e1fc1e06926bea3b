// Requests to language models with the API of OpenAI, on any host, by `fetch`, undici, `node:http` and `node:https`. They are told by
// address and body; a request below a call of the package `ai` is a part of that call.

import { performance } from '../../../framework/timing/builtins.ts'
import { fieldValue, listedFields } from '../../../framework/http/header-fields.ts'
import type { ActivityOwner, RunningActivity } from '../../activities/activity.ts'
import { ai, type AiFacts } from '../../activities/ai.ts'
import type { AiOptions } from '../../ai-options.ts'
import { aiCost, readAiRequest, readAiResponse } from '../ai-texts.ts'
import { markCallSite } from '../call-site.ts'
import { FirstBytes, decodedBody } from '../captured-response.ts'
import { followBody, followUndici } from '../http-clients.ts'
import { type SdkCall, emptyAiFacts } from './ai-sdk.ts'
import { Channels, define, inPlace, safely } from './tracing-source.ts'
import type { ClientRequest, IncomingMessage } from 'node:http'

const addresses: readonly (readonly [ending: string, operation: string])[] = [
  ['/chat/completions', 'chat'],
  ['/completions', 'completion'],
  ['/responses', 'response'],
  ['/embeddings', 'embedding'],
]

/** The beginning of a request to a model; `undefined` for every other one, and if nothing is recorded. */
type BeginExchange = (
  client: 'fetch' | 'node:http',
  request: { readonly method: string; readonly path: string; readonly host: string },
) => AiExchange | undefined

/** `currentCall` is the call of the package `ai` that runs now; `owner` the capture of one application. */
export function aiRequests(
  owner: ActivityOwner,
  options: AiOptions,
  currentCall: () => SdkCall | undefined,
): readonly Channels[] {
  const begin: BeginExchange = (client, { method, path, host }) => {
    if (method !== 'POST') return undefined
    const [address = ''] = path.split('?', 1)
    const operation = addresses.find(([ending]) => address.endsWith(ending))?.[1]
    if (operation === undefined || !owner.isRecording()) return undefined
    return new AiExchange({ owner, options, client, operation, host, call: currentCall() })
  }
  return [byUndici(begin), byNode(begin)]
}

function byUndici(begin: BeginExchange): Channels {
  return followUndici<AiExchange>(
    'ai',
    ({ method, path }, host) => begin('fetch', { method, path, host }),
    (find, forget) => ({
      'undici:request:bodyChunkSent': (message) =>
        find(message)?.sent((message as { chunk: Uint8Array | string }).chunk),
      'undici:request:bodySent': (message) => {
        if (find(message)?.asked() === false) forget(message)
      },
    }),
  )
}

function byNode(begin: BeginExchange): Channels {
  const requests = new WeakMap<object, AiExchange>()
  return new Channels('ai', {
    'http.client.request.created': (message) => {
      const { request } = message as { request: ClientRequest }
      const host = request.getHeader('host')
      const { method, path } = request
      const exchange = begin('node:http', { method, path, host: typeof host === 'string' ? host : request.host })
      if (exchange === undefined) return
      requests.set(request, exchange)
      followRequest(request, exchange, () => void requests.delete(request))
    },
    'http.client.response.finish': (message) => {
      const { request, response } = message as { request: ClientRequest; response: IncomingMessage }
      const exchange = requests.get(request)
      if (exchange === undefined) return
      exchange.answered(response.statusCode ?? 0, response.rawHeaders)
      followBody(response, (chunk) => exchange.received(chunk))
      response.once('close', () => {
        safely('ai', () => {
          if (response.complete) exchange.ended()
          else exchange.failed(new Error('the response broke off'))
        })
      })
    },
    'http.client.request.error': (message) => {
      const { request, error } = message as { request: ClientRequest; error: unknown }
      requests.get(request)?.failed(error)
    },
  })
}

/** No channel reports what is sent. `ignore` is called where the body asks no model. */
function followRequest(request: ClientRequest, exchange: AiExchange, ignore: () => void): void {
  const { write, end } = request
  const sent = ([chunk, encoding]: readonly unknown[]): void => {
    if (typeof chunk === 'string') exchange.sent(Buffer.from(chunk, encodingOr(encoding)))
    else if (chunk instanceof Uint8Array) exchange.sent(chunk)
  }
  define(request, 'write', (...args: unknown[]) => {
    safely('ai', () => sent(args))
    return Reflect.apply(write, request, args)
  })
  define(request, 'end', (...args: unknown[]) => {
    safely('ai', () => {
      if (request.writableEnded) return
      sent(args)
      if (!exchange.asked()) ignore()
    })
    return Reflect.apply(end, request, args)
  })
}

function encodingOr(given: unknown): BufferEncoding {
  return typeof given === 'string' && Buffer.isEncoding(given) ? given : 'utf8'
}

/** Bytes kept of a request, of the beginning of a response, and of its end. */
const maxRequest = 262_144
const maxHead = 262_144
const maxTail = 16_384
/** The frames of the client come first: about twenty of undici. */
const clientFrames = 40

/** What is known before anything is sent. */
interface AiExchangeParts {
  readonly owner: ActivityOwner
  readonly options: AiOptions
  /** What sends the request. */
  readonly client: 'fetch' | 'node:http'
  readonly operation: string
  readonly host: string
  readonly call: SdkCall | undefined
}

/** A request and its response, as they pass. */
class AiExchange {
  readonly #parts: AiExchangeParts
  readonly #startedAt = performance.now()
  readonly #begin: (facts: AiFacts) => RunningActivity<AiFacts> | undefined
  #running: RunningActivity<AiFacts> | undefined
  #model = ''
  #request = new FirstBytes(maxRequest)
  #status = 0
  #encoding: string | undefined
  readonly #head = new FirstBytes(maxHead)
  #tail = Buffer.alloc(0)
  #firstOutputMs: number | null = null

  constructor(parts: AiExchangeParts) {
    this.#parts = parts
    const { owner, operation, call } = parts
    const site = call === undefined ? markCallSite(clientFrames) : null
    // What is sent and what comes back is heard in other contexts.
    this.#begin = inPlace((facts) =>
      owner.beginActivity(ai, () => ({
        facts: facts as AiFacts,
        site,
        agoMs: performance.now() - this.#startedAt,
        span: { name: `${operation} ${(facts as AiFacts).model.slice(0, 60)}`, kind: 'client', category: 'ai' },
      })),
    ) as (facts: AiFacts) => RunningActivity<AiFacts> | undefined
  }

  sent(chunk: Uint8Array | string): void {
    this.#request.add(typeof chunk === 'string' ? Buffer.from(chunk) : chunk)
  }

  /** Whether the body asks a model. */
  asked(): boolean {
    const { options, client, operation, host, call } = this.#parts
    const { kept, droppedBytes } = this.#request
    this.#request = new FirstBytes(0)
    const request = readAiRequest(kept.toString(), droppedBytes === 0, options.captureTexts === true)
    if (request === undefined) return false
    this.#model = request.model
    if (call !== undefined) {
      call.isFollowed = true
      call.running?.update({ isStreamed: request.isStreamed })
      this.#running = call.running
    } else {
      this.#running = this.#begin({ ...emptyAiFacts, library: client, operation, provider: host, ...request })
    }
    return this.#running !== undefined
  }

  /** The head of the response came; `headers` are names and values in turn. */
  answered(status: number, headers: readonly string[]): void {
    this.#status = status
    this.#encoding = fieldValue(listedFields(headers), 'content-encoding')
  }

  received(chunk: Uint8Array): void {
    this.#firstOutputMs ??= performance.now() - this.#startedAt
    const before = this.#head.droppedBytes
    this.#head.add(chunk)
    const dropped = this.#head.droppedBytes - before
    if (dropped === 0) return
    const end = Buffer.concat([this.#tail, chunk.subarray(chunk.byteLength - dropped)])
    this.#tail = Buffer.from(end.subarray(Math.max(0, end.length - maxTail)))
  }

  ended(): void {
    const { facts, error } = this.#read()
    // The library reports how its calls ended, except for the end of a stream.
    const isOfLibrary = this.#parts.call !== undefined
    if (this.#status >= 400) {
      if (isOfLibrary) this.#running?.update(facts)
      else this.#running?.fail(new Error(`${this.#status}${error === null ? '' : `: ${error}`}`), facts)
    } else if (error !== null) this.#running?.fail(new Error(error), facts)
    else this.#running?.end(facts)
  }

  failed(thrown: unknown): void {
    this.#running?.fail(thrown, this.#read().facts)
  }

  #read(): { readonly facts: Partial<AiFacts>; readonly error: string | null } {
    const { options, call } = this.#parts
    const keepsAnswer = call?.keepsAnswer ?? options.captureTexts === true
    const { kept, droppedBytes } = this.#head
    const head = decodedBody(kept, this.#encoding, droppedBytes === 0)
    const { error, ...result } = readAiResponse(head?.toString() ?? '', this.#tail.toString(), keepsAnswer)
    const costs = aiCost(options, [this.#model, result.responseModel], result)
    return { facts: { firstOutputMs: this.#firstOutputMs, ...result, ...costs }, error }
  }
}
