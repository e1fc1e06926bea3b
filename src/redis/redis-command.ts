// What is sent to Redis and what comes back, how long it is waited for, and how it fails. A failure of the client library holds the command with its
// arguments, a password among them, so none is passed on: only the server's word for the failure and one line are kept.

import { readFileSync } from 'node:fs'
import type { Redis } from 'ioredis'
import { EngineError, isEngineError } from '../stores/engine-error.ts'
import type { RedisAddress, RedisHost } from './redis-address.ts'

export interface RedisSocket {
  /** Rejects with no more than that the connection is closed; the `error` event says why. */
  connect(): Promise<void>
  disconnect(): void
  pipeline(commands: unknown[][]): { exec(): Promise<[error: Error | null, reply: unknown][] | null> }
  on(event: 'error', listener: (error: Error) => void): unknown
  on(event: 'end', listener: () => void): unknown
  readonly stream: { unref(): unknown } | undefined
}

/** Makes connections of an address; none is open yet. */
export type OpenSocket = (host: RedisHost) => RedisSocket

/** Loads the package. Rejects with an `EngineError` (`ERR_STORE_URL`) if it is missing or a file of certificates cannot be read. */
export async function loadSockets(address: RedisAddress): Promise<OpenSocket> {
  const { Redis } = await loadPackage(address)
  const { user, password, tls } = address
  const options = {
    ...(user === null ? {} : { username: user }),
    ...(password === null ? {} : { password }),
    ...(tls === null ? {} : { tls: tls.caFile === null ? {} : { ca: readCertificates(address, tls.caFile) } }),
    connectionName: 'fanlight',
    lazyConnect: true,
    connectTimeout: 1000,
    commandTimeout: defaultPatienceMs,
    // A node that hangs does not say goodbye.
    disconnectTimeout: 100,
    // The next command connects again.
    retryStrategy: null,
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
    // What has to be known of a server is asked for at open, once for all connections.
    enableReadyCheck: false,
    disableClientInfo: true,
    protocol: 2,
  } as const
  return ({ host, port }) => new Redis({ ...options, host, port })
}

async function loadPackage({ name }: RedisAddress): Promise<{ readonly Redis: typeof Redis }> {
  try {
    return await import('ioredis')
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND'
    if (!isMissing) throw error
    throw new EngineError('ERR_STORE_URL', `The store "${name}" needs the package ioredis: npm i ioredis`)
  }
}

function readCertificates({ name }: RedisAddress, file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error'
    throw new EngineError(
      'ERR_STORE_URL',
      `The certificates "${file}" of the store "${name}" cannot be read (${code}).`,
    )
  }
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, Math.max(0, ms)))
}

/** How long what must not fail is tried, in milliseconds: a replica takes over 7 to 9 s after its primary with the node time-out that the guide recommends. */
const replacementMs = 12_000
const pauseMs = 100

/** Tries again what may pass, until another node has taken the place of one that is away. */
export async function untilReplaced<T>(attempt: () => Promise<T>, mayPass: (thrown: unknown) => boolean): Promise<T> {
  const deadline = performance.now() + replacementMs
  for (;;) {
    try {
      return await attempt()
    } catch (thrown) {
      if (!mayPass(thrown) || performance.now() + pauseMs > deadline) throw thrown
    }
    await pause(pauseMs)
  }
}

/**
 * One failure. `code` is the first word of the server's error (`NOSCRIPT`, `OOM`, `NOPERM`), or what became of the request: `DOWN`, nothing
 * was sent; `CLOSED` and `TIMEOUT`, there was no reply, and it may have been done.
 */
export class RedisFailure extends Error {
  readonly code: string

  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}

/** A failure without what was sent. */
export function failureOf(thrown: unknown): RedisFailure {
  if (thrown instanceof RedisFailure) return thrown
  const text = textOf(thrown)
  const [, word] = /^([A-Z]{2,})\b/.exec(text) ?? []
  return new RedisFailure(word ?? systemCode(thrown) ?? 'CLOSED', text)
}

/** The error for callers of the engine: one line that names the store, and what to do where that is known. */
export function toEngineError(thrown: unknown, name: string): EngineError {
  if (isEngineError(thrown)) return thrown
  const failure = failureOf(thrown)
  const isAway = ['DOWN', 'CLOSED', 'TIMEOUT', 'CLUSTERDOWN', 'LOADING', 'MASTERDOWN'].includes(failure.code)
  const code = isAway ? 'ERR_STORE_UNAVAILABLE' : 'ERR_STORE_FAILED'
  return new EngineError(code, `The store "${name}" failed: ${withAdvice(failure)}.`)
}

const advice: ReadonlyMap<string, string> = new Map([
  ['WRONGPASS', 'the user or the password in its address is wrong'],
  ['NOAUTH', 'it asks for a password: write user:password@ before the hosts of its address'],
  ['OOM', 'its memory is full: raise maxmemory, or keep fewer profiles'],
  ['READONLY', 'the node is a read-only replica: name its primary, or all nodes of the cluster'],
  ['DENIED', 'it is in protected mode: give it a password, or bind it to a private address'],
  ['SELF_SIGNED_CERT_IN_CHAIN', untrusted()],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', untrusted()],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', untrusted()],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', untrusted()],
])

/** The reason in one line: what to do where that is known, else the words of server or system. */
export function withAdvice(failure: RedisFailure): string {
  const known = advice.get(failure.code)
  if (known !== undefined) return known
  const text = failure.message.replace(/\.$/, '')
  return failure.code === 'NOPERM' ? `${text}: its user may do too little` : text
}

function untrusted(): string {
  return 'its certificate is not trusted: name the file of the authority that signed it, as in rediss://host:port?ca=redis-ca.pem'
}

/** The server repeats arguments of commands that it does not know. */
function textOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown).slice(0, 200)
  const several = thrown instanceof AggregateError ? thrown.errors.map((one: unknown) => textOf(one)).join('; ') : ''
  const text = thrown.message === '' ? several || thrown.name : thrown.message
  return text
    .replace(/,? with args beginning with:.*$/s, '')
    .replaceAll(/\s+/g, ' ')
    .slice(0, 300)
}

function systemCode(thrown: unknown): string | undefined {
  return thrown instanceof Error && 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : undefined
}

/** A command in lower case and its arguments. */
export type RedisCommand = readonly [name: string, ...args: (string | number | Buffer)[]]

export type RedisReply = string | number | Buffer | null | readonly RedisReply[]

/** One for each command that was sent; a failure if the server refused that one. */
export type RedisReplies = readonly (RedisReply | RedisFailure)[]

export interface SendOptions {
  /** Milliseconds to wait for everything. Default and most: 2000. */
  readonly patienceMs?: number
  /** Texts come as Buffers. Default: false. */
  readonly isRaw?: boolean
}

export const defaultPatienceMs = 2000

/** Replies to commands of which none was refused. Throws the first refusal. */
export function accepted(replies: RedisReplies): readonly RedisReply[] {
  return replies.map((reply) => {
    if (reply instanceof RedisFailure) throw reply
    return reply
  })
}

/** The clock of a server in its reply to `TIME`: milliseconds since 1970, with a fraction. */
export function timeOf(reply: RedisReply | undefined): number {
  const [seconds = 0, micros = 0] = Array.isArray(reply) ? reply.map(Number) : []
  return seconds * 1000 + micros / 1000
}

/** Reads fields of a reply to `INFO`; `''` for one that is not there. */
export function infoOf(reply: RedisReply | undefined): (name: string) => string {
  return (name) => new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(String(reply))?.[1] ?? ''
}

/** The pairs of a reply that has names and values in turn, such as that to `HGETALL`. */
export function pairsOf(reply: RedisReply | undefined): readonly (readonly [name: string, value: string])[] {
  const list = Array.isArray(reply) ? reply.map(String) : []
  return list.flatMap((name, index) => (index % 2 === 0 ? [[name, list[index + 1] ?? ''] as const] : []))
}

/** Replies of a node that has done nothing: the slot is elsewhere, or the node cannot work at the moment. */
const passing: ReadonlySet<string> = new Set(['MOVED', 'ASK', 'TRYAGAIN', 'CLUSTERDOWN', 'LOADING', 'MASTERDOWN'])

const asking: RedisCommand = ['asking']

export class Delivery {
  readonly #commands: readonly RedisCommand[]
  readonly #replies: (RedisReply | RedisFailure)[] = []
  /** By their places in the list. */
  #open: readonly number[]

  constructor(commands: readonly RedisCommand[]) {
    this.#commands = commands
    this.#open = commands.map((_, index) => index)
  }

  /** The commands to send. A node that is about to get the slot wants to hear `ASKING` before each. */
  next(isAsking: boolean): readonly RedisCommand[] {
    const commands = this.#open.map((index) => this.#commands[index] ?? asking)
    return isAsking ? commands.flatMap((command) => [asking, command]) : commands
  }

  /** Takes what came back for them. Gives the first failure that another attempt may mend. */
  take(given: RedisReplies, isAsking: boolean): RedisFailure | undefined {
    const replies = isAsking ? given.filter((_, index) => index % 2 === 1) : given
    for (const [at, index] of this.#open.entries()) this.#replies[index] = replies[at] ?? null
    const first = replies.findIndex(isPassing)
    if (first < 0) return undefined
    // What waits for replicas waits for the commands before it.
    this.#open = this.#open.filter(
      (index, at) => isPassing(replies[at]) || (at > first && this.#commands[index]?.[0] === 'wait'),
    )
    return replies.find(isPassing)
  }

  /** One reply for each command, in the order of the list. */
  get replies(): RedisReplies {
    return this.#replies
  }
}

/** Whether a node has done nothing, and another attempt may. */
export function isPassing(reply: RedisReply | RedisFailure | undefined): reply is RedisFailure {
  return reply instanceof RedisFailure && passing.has(reply.code)
}
