// `POST /v1/traces` and `/v1/logs`: decides who may hand spans and log lines in, and lets pages of this machine do so.

import { Reply } from '../base/http/reply.ts'
import type { Exchange } from '../http/kernel/exchange.ts'
import { profilerRefused } from '../base/log/lines.ts'
import type { Receive } from './otlp/start-otlp.ts'
import type { OtlpSignal } from './otlp/receive/otlp-receiver.ts'
import type { ProfilerAccess } from '../pages/profiler-access.ts'

/** The address of each, below the profiler and below the application. */
export const signalPaths: readonly (readonly [signal: OtlpSignal, path: string])[] = [
  ['traces', 'v1/traces'],
  ['logs', 'v1/logs'],
]

/** Also responds to the question of a browser, whether a page of another port may send. */
export async function receivePage(
  signal: OtlpSignal,
  exchange: Exchange,
  { access, receive }: { readonly access: ProfilerAccess; readonly receive: Receive },
): Promise<Reply> {
  const { request, log } = exchange
  const reason = await access.handInRefusal(request)
  if (reason !== null) {
    log.write(profilerRefused({ reason, peer: request.peerAddress }))
    return access.refused()
  }
  const isQuestion = request.method === 'OPTIONS'
  const reply = isQuestion ? new Reply(204, ['allow', 'OPTIONS, POST'], null) : await receive(signal, exchange)
  const origin = request.header('origin')
  if (origin === undefined) return reply
  reply.setHeader('access-control-allow-origin', origin)
  // A beacon sends the cookies of this host, whether it has any or not.
  reply.setHeader('access-control-allow-credentials', 'true')
  reply.setHeader('vary', 'Origin')
  if (!isQuestion) return reply
  reply.setHeader('access-control-allow-methods', 'POST')
  reply.setHeader('access-control-allow-headers', allowedHeaders(request.header('access-control-request-headers')))
  reply.setHeader('access-control-max-age', '600')
  return reply
}

/** Those that were asked for: exporters let people add their own. */
function allowedHeaders(asked: string | undefined): string {
  const names = (asked ?? '').split(',').map((name) => name.trim())
  return (
    names
      .filter((name) => /^[\w-]{1,60}$/.test(name))
      .slice(0, 32)
      .join(', ') || 'content-type'
  )
}
