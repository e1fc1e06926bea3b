// A TCP proxy of the tests between a client and a server on this machine: it delays what goes through, cuts links, or
// swallows all that is sent as a network does that loses every packet.

import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net'

/** What happens to new and open links: they work, they are closed at once, or they stay open and nothing arrives. */
export type LinkState = 'open' | 'cut' | 'swallowing'

interface Link {
  readonly ends: readonly [Socket, Socket]
  /** Told by its `REPLCONF`, so never with TLS. */
  isReplica: boolean
}

/** Starts a proxy in front of a port of this machine, on any free port unless one is named. */
export async function startTcpProxy(target: number, port = 0): Promise<TcpProxy> {
  const proxy = new TcpProxy(target)
  await proxy.listen(port)
  return proxy
}

export class TcpProxy {
  /** Milliseconds that each chunk is held up on its way, in both directions, from the next chunk on. */
  delayMs = 0
  /** The same for the links of replicas alone; `null`: as `delayMs` says. */
  replicaDelayMs: number | null = null
  readonly #server: Server
  readonly #links = new Set<Link>()
  #state: LinkState = 'open'

  constructor(target: number) {
    this.#server = createServer((client) => {
      if (this.#state === 'cut') return client.destroy()
      const upstream = connect(target, '127.0.0.1')
      const link: Link = { ends: [client, upstream], isReplica: false }
      this.#links.add(link)
      this.#forward(link, client, upstream)
      this.#forward(link, upstream, client)
    })
  }

  async listen(port: number): Promise<void> {
    this.#server.listen(port, '127.0.0.1')
    await once(this.#server, 'listening')
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  get state(): LinkState {
    return this.#state
  }

  /** Links that lost something are useless afterwards: they are closed when the state changes again. */
  set state(next: LinkState) {
    this.#state = next
    if (next !== 'swallowing') this.#endAll()
  }

  async close(): Promise<void> {
    this.#endAll()
    this.#server.close()
    await once(this.#server, 'close')
  }

  #forward(link: Link, from: Socket, to: Socket): void {
    let sent = Promise.resolve()
    from.setNoDelay(true)
    from.on('data', (chunk: Buffer) => {
      if (this.#state === 'swallowing') return
      if (chunk.includes('REPLCONF')) link.isReplica = true
      const dueAt = performance.now() + (link.isReplica ? (this.replicaDelayMs ?? this.delayMs) : this.delayMs)
      // One after the other, also when the delay has become shorter.
      sent = sent.then(() => waitUntil(dueAt)).then(() => void to.write(chunk))
    })
    from.on('close', () => this.#end(link))
    from.on('error', () => this.#end(link))
  }

  #end(link: Link): void {
    this.#links.delete(link)
    for (const socket of link.ends) socket.destroy()
  }

  #endAll(): void {
    for (const link of this.#links) this.#end(link)
  }
}

function waitUntil(time: number): Promise<void> | undefined {
  const ms = time - performance.now()
  return ms <= 0 ? undefined : new Promise((resolve) => setTimeout(resolve, ms))
}
