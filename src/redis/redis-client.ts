// Sends commands to the node that serves their slot, and follows when a slot moves or another node takes its place. A single
// server is a cluster of one. Each node has one connection, which holds the process only while requests are open.

import {
  Delivery,
  pause,
  accepted,
  defaultPatienceMs,
  infoOf,
  RedisFailure,
  failureOf,
  withAdvice,
} from './redis-command.ts'
import type { RedisCommand, RedisReplies, RedisReply, SendOptions, OpenSocket, RedisSocket } from './redis-command.ts'
import { type RedisHost, hostOf, nameOf } from './redis-address.ts'
import { slotCount } from './partitions.ts'
import { isLate } from '../http/kernel/within-budget.ts'
import { runOutsideExchanges } from '../http/kernel/current-exchange.ts'
import { isList } from '../base/members.ts'

/** Milliseconds before what a node could not do now is asked again. */
const pauseMs = 100

/** How often one request follows a slot to another node. */
const maxMoves = 6

interface ClientParts {
  readonly openSocket: OpenSocket
  /** The nodes to ask first. */
  readonly hosts: readonly RedisHost[]
  /** Called once, when no node responds any more. The client cannot be used then. */
  readonly onLost: (failure: RedisFailure) => void
}

export class RedisClient {
  readonly #parts: ClientParts
  readonly #links: Map<string, RedisLink>
  #isCluster: boolean
  #owners: (string | undefined)[]
  #refreshing: Promise<void> | undefined
  #isOver = false

  private constructor(parts: ClientParts, links: Map<string, RedisLink>, { isCluster, owners }: Topology) {
    this.#parts = parts
    this.#links = links
    this.#isCluster = isCluster
    this.#owners = [...owners]
  }

  /** Asks the hosts for the slots. Rejects with a `RedisFailure` if none tells. */
  static async open(parts: ClientParts): Promise<RedisClient> {
    const links = new Map(parts.hosts.map(nameOf).map((name) => [name, new RedisLink(name, parts.openSocket)]))
    try {
      const client = new RedisClient(parts, links, await firstTopology([...links.values()]))
      client.#closeStrangers()
      return client
    } catch (error) {
      for (const link of links.values()) link.close()
      throw error
    }
  }

  /** False for a server without cluster mode. */
  get isCluster(): boolean {
    return this.#isCluster
  }

  /** Whether it was closed, or has found no node that responds. */
  get isOver(): boolean {
    return this.#isOver
  }

  /** The name of the node that serves a slot, `undefined` where none does. */
  primaryOf(slot: number): string | undefined {
    return this.#owners[slot]
  }

  /** The names of the nodes that serve slots: `127.0.0.1:7001`. */
  primaries(): readonly string[] {
    return [...new Set(this.#owners)].filter((name) => name !== undefined)
  }

  /**
   * Sends commands of one slot to its primary, all in one write and in order. If the node has done nothing (the slot has moved,
   * the node is not ready, no connection), they are sent again until `patienceMs` is over. Gives one reply each, a `RedisFailure`
   * for a command that was refused. Rejects with a `RedisFailure`: `DOWN` (nothing was done), `CLOSED` or `TIMEOUT` (it may have
   * been done), `WRONGPASS` and the like.
   */
  async send(slot: number, commands: readonly RedisCommand[], options: SendOptions = {}): Promise<RedisReplies> {
    const { patienceMs = defaultPatienceMs, isRaw = false } = options
    const deadline = performance.now() + patienceMs
    const delivery = new Delivery(commands)
    let node = this.#owners[slot]
    let isAsking = false
    for (let moves = 0; ; moves += 1) {
      const failure = await this.#attempt(node, delivery, isAsking, deadline, isRaw)
      if (failure === undefined) return delivery.replies
      const target = moves < maxMoves ? this.#follow(failure, slot, node) : undefined
      isAsking = target !== undefined && failure.code === 'ASK'
      if (target !== undefined) node = target
      else if (performance.now() + pauseMs < deadline && !this.#isOver) {
        await pause(pauseMs)
        await isLate(this.#refresh(), deadline - performance.now())
        node = this.#owners[slot]
      } else if (failure.code === 'DOWN') throw failure
      else return delivery.replies
    }
  }

  /** Sends commands to a node by its name. Rejects like `send`. */
  async ask(node: string, commands: readonly RedisCommand[], options: SendOptions = {}): Promise<RedisReplies> {
    const { patienceMs = defaultPatienceMs, isRaw = false } = options
    return this.#link(node).send(commands, patienceMs, isRaw)
  }

  /** Who serves which slot in the eyes of a node. Rejects with a `RedisFailure`. */
  async slotsSeenBy(node: string): Promise<Topology> {
    return askTopology(this.#link(node))
  }

  /** Ends every connection; open requests reject. */
  close(): void {
    this.#isOver = true
    for (const link of this.#links.values()) link.close()
  }

  /** Gives the failure that another attempt may mend, rejects with any other. */
  async #attempt(
    node: string | undefined,
    delivery: Delivery,
    isAsking: boolean,
    deadline: number,
    isRaw: boolean,
  ): Promise<RedisFailure | undefined> {
    if (this.#isOver) return new RedisFailure('DOWN', 'the connection was closed')
    if (node === undefined) return new RedisFailure('DOWN', 'no node serves this part')
    try {
      const replies = await this.#link(node).send(delivery.next(isAsking), deadline - performance.now(), isRaw)
      return delivery.take(replies, isAsking)
    } catch (thrown) {
      const failure = failureOf(thrown)
      // Another node may have taken its place.
      void this.#refresh()
      if (failure.code === 'DOWN') return failure
      throw failure
    }
  }

  /** The node that a redirection leads to; the next request goes there at once. */
  #follow(failure: RedisFailure, slot: number, asked: string | undefined): string | undefined {
    const isMoved = failure.code === 'MOVED'
    if (asked === undefined || (!isMoved && failure.code !== 'ASK')) return undefined
    const target = redirectedTo(failure, asked)
    if (isMoved && target !== undefined) {
      this.#owners[slot] = target
      void this.#refresh()
    }
    return target
  }

  /** Asks for the slots again, one question at a time. Never rejects. */
  #refresh(): Promise<void> {
    this.#refreshing ??= this.#readSlots().finally(() => (this.#refreshing = undefined))
    return this.#refreshing
  }

  async #readSlots(): Promise<void> {
    try {
      const { isCluster, owners } = await this.#askForSlots()
      this.#isCluster = isCluster
      this.#owners = [...owners]
      this.#closeStrangers()
    } catch (thrown) {
      if (this.#isOver) return
      this.close()
      this.#parts.onLost(failureOf(thrown))
    }
  }

  /** First of those whose connections are there; a node that hangs keeps silent. */
  async #askForSlots(): Promise<Topology> {
    const open = [...this.#links.values()].filter(({ isOpen }) => isOpen)
    const named = this.#parts.hosts.map((host) => this.#link(nameOf(host)))
    try {
      return await firstTopology(open)
    } catch {
      return firstTopology(named)
    }
  }

  #link(name: string): RedisLink {
    const known = this.#links.get(name)
    if (known !== undefined) return known
    const link = new RedisLink(name, this.#parts.openSocket)
    this.#links.set(name, link)
    return link
  }

  /** Ends connections to nodes that serve nothing. */
  #closeStrangers(): void {
    const primaries = new Set(this.#owners)
    for (const [name, link] of this.#links) {
      if (primaries.has(name)) continue
      link.close()
      this.#links.delete(name)
    }
  }
}

interface Topology {
  /** False for a server without cluster mode. */
  readonly isCluster: boolean
  /** By slot: the name of its primary, `undefined` if nobody serves it. */
  readonly owners: readonly (string | undefined)[]
  /** The names of primaries that have a replica which is not known to have failed. */
  readonly backed: ReadonlySet<string>
}

/** The result of the first node that responds. Rejects with the most telling `RedisFailure` if none does. */
async function firstTopology(links: readonly RedisLink[]): Promise<Topology> {
  try {
    return await Promise.any(links.map(askTopology))
  } catch (error) {
    const failures = error instanceof AggregateError ? error.errors.map(failureOf) : [failureOf(error)]
    throw failures.find(({ code }) => code !== 'DOWN') ?? failures[0] ?? error
  }
}

/** What this node says. Rejects with a `RedisFailure`. */
async function askTopology(link: RedisLink): Promise<Topology> {
  const [slots = null] = await link.send([['cluster', 'slots']], defaultPatienceMs, false)
  if (!(slots instanceof RedisFailure)) return { isCluster: true, ...ownersOf(slots, link.name) }
  // "This instance has cluster support disabled", or no such command at all.
  if (slots.code !== 'ERR') throw slots
  const [info] = accepted(await link.send([['info', 'replication']], defaultPatienceMs, false))
  if (infoOf(info)('role') !== 'master') throw new RedisFailure('READONLY', `${link.name} is a replica`)
  return { isCluster: false, owners: Array<string>(slotCount).fill(link.name), backed: new Set() }
}

/** `asked` is the node that responds: it leaves its own name out if it does not know it. */
function ownersOf(slots: RedisReply, asked: string): Pick<Topology, 'owners' | 'backed'> {
  const owners = Array<string | undefined>(slotCount).fill(undefined)
  const backed = new Set<string>()
  const ranges = isList(slots) ? slots : []
  for (const range of ranges) {
    if (!isList(range)) continue
    const [from, to, primary, ...replicas] = range
    if (!isList(primary)) continue
    const [host, port] = primary
    const name = nodeName(String(host ?? ''), Number(port), asked)
    owners.fill(name, Number(from), Number(to) + 1)
    if (replicas.length > 0) backed.add(name)
  }
  if (ranges.length === 0) throw new RedisFailure('CLUSTERDOWN', `${asked}: no node of the cluster serves a slot yet`)
  return { owners, backed }
}

/** The name of the node that a redirection such as `MOVED 3999 127.0.0.1:6381` leads to. */
function redirectedTo({ message }: RedisFailure, asked: string): string | undefined {
  const [, , target = ''] = message.split(' ')
  const colon = target.lastIndexOf(':')
  return colon < 0 ? undefined : nodeName(target.slice(0, colon), Number(target.slice(colon + 1)), asked)
}

function nodeName(host: string, port: number, asked: string): string {
  return nameOf({ host: host === '' || host === '?' ? hostOf(asked).host : host, port })
}

/** Milliseconds for a connection with TLS and password. */
const openMs = 2000

class RedisLink {
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
