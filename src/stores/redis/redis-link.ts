// The connection to one node: made with the first request, dropped when the node lets somebody wait in vain, and made again with
// the next request. It holds the process only while requests are open.

import { runOutsideExchanges } from '../../framework/kernel/current-exchange.ts'
import type { OpenSocket, RedisSocket } from './ioredis.ts'
import { isLate } from './patience.ts'
import { hostOf } from './redis-address.ts'
import type { RedisCommand, RedisReplies, RedisReply } from './redis-command.ts'
import { failureOf, RedisFailure, withAdvice } from './redis-failure.ts'

/** Milliseconds for a connection with TLS and password. */
const openMs = 2000

export class RedisLink {
  /** `127.0.0.1:7001`. */
  readonly name: string
  readonly #openSocket: OpenSocket
  #current: { readonly socket: RedisSocket; readonly opened: Promise<void> } | undefined
  #lastReplyAt = 0

  constructor(name: string, openSocket: OpenSocket) {
    this.name = name
    this.#openSocket = openSocket
  }

  /** Whether there is a connection, or one is being made. */
  get isOpen(): boolean {
    return this.#current !== undefined
  }

  /** Sends all commands in one write. Rejects with a `RedisFailure`: `DOWN`, `CLOSED`, `TIMEOUT`. */
  async send(commands: readonly RedisCommand[], patienceMs: number, isRaw: boolean): Promise<RedisReplies> {
    if (patienceMs <= 0) throw new RedisFailure('DOWN', `there was no time left to ask ${this.name}`)
    const startedAt = performance.now()
    // The request that happens to cause our own commands does not record them.
    const { socket, opened } = (this.#current ??= runOutsideExchanges(() => this.#connect()))
    const isLateToOpen = await isLate(opened, patienceMs)
    if (isLateToOpen) throw new RedisFailure('DOWN', `${this.name} does not respond`)
    const sentAt = performance.now()
    const method = isRaw ? 'callBuffer' : 'call'
    const replies = runOutsideExchanges(() => socket.pipeline(commands.map((command) => [method, ...command])).exec())
    if (await isLate(replies, patienceMs - (sentAt - startedAt))) {
      // A node that responds to others is only slow with this command.
      if (this.#lastReplyAt < sentAt) this.#drop(socket)
      throw new RedisFailure('TIMEOUT', `${this.name} did not respond within ${Math.round(patienceMs)} ms`)
    }
    this.#lastReplyAt = performance.now()
    return ((await replies) ?? []).map(([error, reply]) => (error === null ? flat(reply) : this.#refusal(error)))
  }

  close(): void {
    if (this.#current !== undefined) this.#drop(this.#current.socket)
  }

  #connect(): { readonly socket: RedisSocket; readonly opened: Promise<void> } {
    const socket = this.#openSocket(hostOf(this.name))
    let reason: Error | undefined
    socket.on('error', (error) => (reason ??= error))
    socket.on('end', () => this.#drop(socket))
    const opened = this.#open(socket).catch((error: unknown) => {
      this.#drop(socket)
      const failure = failureOf(reason ?? error)
      if (isRefusal(failure.code)) throw failure
      throw new RedisFailure('DOWN', `${this.name}: ${withAdvice(failure)}`)
    })
    opened.catch(() => undefined)
    return { socket, opened }
  }

  async #open(socket: RedisSocket): Promise<void> {
    const connecting = socket.connect()
    connecting.catch(() => undefined)
    if (await isLate(connecting, openMs)) throw new RedisFailure('TIMEOUT', `no response within ${openMs} ms`)
    socket.stream?.unref()
  }

  #drop(socket: RedisSocket): void {
    if (this.#current?.socket !== socket) return
    this.#current = undefined
    socket.disconnect()
  }

  /** What the server refused; anything else befell the connection, and so everything that was sent with it. */
  #refusal(error: Error): RedisFailure {
    if (error.name === 'ReplyError') return failureOf(error)
    throw new RedisFailure('CLOSED', `${this.name}: ${failureOf(error).message}`)
  }
}

/** Whether the user may not come in at all, which a later try does not change. */
function isRefusal(code: string): boolean {
  return code === 'WRONGPASS' || code === 'NOAUTH' || code === 'NOPERM' || code === 'DENIED'
}

/** The client makes an object of the names and values that `HGETALL` gives in turn. */
function flat(reply: unknown): RedisReply {
  const isObject = typeof reply === 'object' && reply !== null && !Array.isArray(reply) && !Buffer.isBuffer(reply)
  return (isObject ? Object.entries(reply).flat() : reply) as RedisReply
}
