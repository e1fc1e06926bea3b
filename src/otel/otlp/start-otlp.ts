// What an application does with OpenTelemetry: sends its profiles where `APP_OTLP` says so, and receives what others send. Each part is loaded
// when it is first used.

import { otlpHeaders } from '../../http/config/otlp-address.ts'
import type { RuntimeContext } from '../../http/config/runtime-context.ts'
import type { Reply } from '../../base/http/reply.ts'
import type { Exchange } from '../../http/kernel/exchange.ts'
import { lazy } from '../../http/kernel/lazy.ts'
import type { Log } from '../../base/log/logger.ts'
import type { ProfileStore } from '../../profiles/profile-store.ts'
import type { OtlpStatus } from '../../profiles/sampling/recorder-status.ts'
import type { OtlpReceiver, OtlpReceiverOptions, OtlpSignal } from './receive/otlp-receiver.ts'
import type { TraceSender } from './trace-sender.ts'

/** How long the end waits for traces to be sent, in milliseconds. */
const sendBudgetMs = 2000

export type Receive = (signal: OtlpSignal, exchange: Pick<Exchange, 'request'>) => Promise<Reply>

class Otlp {
  readonly #sender: TraceSender | null
  #receiver: OtlpReceiver | null = null

  constructor(sender: TraceSender | null) {
    this.#sender = sender
  }

  /** To be told of profiles that were written; `undefined` if nobody takes them. */
  get onWritten(): ((tokens: readonly string[]) => void) | undefined {
    const sender = this.#sender
    return sender === null ? undefined : (tokens) => sender.offer(tokens)
  }

  get status(): OtlpStatus {
    return { sending: this.#sender?.status ?? null, receiving: this.#receiver?.status ?? null }
  }

  receiver(options: OtlpReceiverOptions): Receive {
    const load = lazy(async () => {
      const { OtlpReceiver } = await import('./receive/otlp-receiver.ts')
      return (this.#receiver = new OtlpReceiver(options))
    })
    return async (signal, exchange) => (await load()).receive(signal, exchange)
  }

  /** Sends what waits, and takes no more. */
  async close(): Promise<void> {
    await this.#sender?.close(sendBudgetMs)
  }
}

export async function startOtlp({ otlp }: RuntimeContext, store: ProfileStore, log: Log): Promise<Otlp> {
  const { address, protocol, headers } = otlp
  if (address === null) return new Otlp(null)
  const { TraceSender } = await import('./trace-sender.ts')
  return new Otlp(new TraceSender({ target: { address, protocol, headers: otlpHeaders(headers) ?? {} }, store, log }))
}
