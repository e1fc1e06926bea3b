// Requests to language models with the API of OpenAI, on any host, by `fetch`, undici, `node:http` and `node:https`. They are told by
// address and body; a request below a call of the package `ai` is a part of that call.

import type { ClientRequest, IncomingMessage } from 'node:http'
import type { ActivityOwner } from '../../activities/activity.ts'
import type { AiOptions } from '../../ai-options.ts'
import { followBody, followUndici } from '../http-clients.ts'
import { AiExchange } from './ai-exchange.ts'
import type { SdkCall } from './ai-sdk.ts'
import { Channels, define, safely } from './tracing-source.ts'

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
