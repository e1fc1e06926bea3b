// What an application does with OpenTelemetry: sends its profiles where `APP_OTLP` says so, and receives what others send. Each part is loaded
// when it is first used.

import { otlpHeaders } from '../../http/config/variables.ts'
import type { RuntimeContext } from '../../http/config/runtime-context.ts'
import { Reply } from '../../base/http/reply.ts'
import type { Exchange } from '../../http/kernel/exchange.ts'
import { lazy } from '../../http/kernel/lazy.ts'
import type { Log } from '../../base/log/logger.ts'
import type { ProfileStore } from '../../profiles/profile-store.ts'
import type { OtlpStatus } from '../../profiles/sampling/recorder-status.ts'
import type { OtlpReceiver, OtlpReceiverOptions, OtlpSignal } from './receive/otlp-receiver.ts'
import type { TraceSender } from './trace-sender.ts'
import { profilerRefused } from '../../base/log/lines.ts'
import type { ProfilerAccess } from '../../pages/profiler-access.ts'

/** How long the end waits for traces to be sent, in milliseconds. */
const sendBudgetMs = 2000

type Receive = (signal: OtlpSignal, exchange: Pick<Exchange, 'request'>) => Promise<Reply>

interface Otlp {
  /** To be told of profiles that were written; `undefined` if nobody takes them. */
  readonly onWritten: ((tokens: readonly string[]) => void) | undefined
  readonly status: OtlpStatus
  receiver(options: OtlpReceiverOptions): Receive
  /** Sends what waits, and takes no more. */
  close(): Promise<void>
}

export async function startOtlp(context: RuntimeContext, store: ProfileStore, log: Log): Promise<Otlp> {
  const sender = await openSender(context, store, log)
  let receiver: OtlpReceiver | undefined
  return {
    onWritten: sender && ((tokens) => sender.offer(tokens)),
    get status() {
      return { sending: sender?.status ?? null, receiving: receiver?.status ?? null }
    },
    receiver: (options) => {
      const load = lazy(async () => {
        const { OtlpReceiver } = await import('./receive/otlp-receiver.ts')
        return (receiver = new OtlpReceiver(options))
      })
      return async (signal, exchange) => (await load()).receive(signal, exchange)
    },
    close: async () => sender?.close(sendBudgetMs),
  }
}

async function openSender({ otlp }: RuntimeContext, store: ProfileStore, log: Log): Promise<TraceSender | undefined> {
  const { address, protocol, headers } = otlp
  if (address === null) return undefined
  const { TraceSender } = await import('./trace-sender.ts')
  return new TraceSender({ target: { address, protocol, headers: otlpHeaders(headers) ?? {} }, store, log })
}

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
