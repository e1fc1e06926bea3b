// Failures of Redis and of the way to it. A failure of the client library holds the command with its arguments, a password among
// them, so none is passed on: only the server's word for the failure and one line are kept.

import { EngineError, isEngineError } from '../engine-error.ts'

/**
 * One failure. `code` is the first word of the server's error (`NOSCRIPT`, `OOM`, `NOPERM`), or what became of the request:
 *
 * - `DOWN` — no connection, so nothing was sent
 * - `CLOSED` — the connection ended before the reply: it may have been done
 * - `TIMEOUT` — no reply in time: it may have been done
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
