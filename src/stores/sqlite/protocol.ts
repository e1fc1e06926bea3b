// What the main thread and the worker send each other. Messages are flat arrays of strings and numbers: copying them to the
// other thread costs a fraction of copying objects.

import { EngineError, isEngineError } from '../engine-error.ts'
import type { EngineErrorCode } from '../engine-error.ts'
import type { AssemblyOptions } from '../../profiler/assemble-profile.ts'
import { isProfileRefusedError, ProfileRefusedError } from '../../profiler/profile-store.ts'
import type { RequestRecord } from '../../profiler/request-record.ts'

/** What a store can be asked for without profiles. */
export type SmallOperation = 'open' | 'currency' | 'currencies' | 'upsert' | 'lock' | 'set-lock'

/** What the worker can be asked for. */
export type Operation = SmallOperation | 'write' | 'read' | 'find' | 'group' | 'purge' | 'stats'

/** One call, or the end of them. */
export interface Request {
  /** Above 0, increasing. */
  readonly id: number
  readonly operation: Operation | 'close'
  readonly texts: readonly string[]
}

/** The answer to the call of the same `id`; with id 0 something that nobody asked for. */
export type Reply =
  | { readonly id: number; readonly kind: 'done' | 'failed'; readonly text: string | null }
  | { readonly id: 0; readonly kind: 'warning'; readonly text: string }

/** A message: requests or replies one after another, flat. */
export type Message = readonly (string | number | null)[]

/** Records that the worker makes profiles of and writes. */
export interface RecordsMessage {
  readonly id: number
  readonly records: readonly RequestRecord[]
  /** `null` if the worker has them already. */
  readonly options: AssemblyOptions | null
}

/** Flattens requests: id, operation, how many texts, the texts. */
export function packRequests(requests: readonly Request[]): Message {
  const message: (string | number | null)[] = []
  for (const { id, operation, texts } of requests) message.push(id, operation, texts.length, ...texts)
  return message
}

/** The requests of a message that `packRequests` made. */
export function unpackRequests(message: Message): readonly Request[] {
  const requests: Request[] = []
  for (let at = 0; at < message.length;) {
    const count = Number(message[at + 2])
    const texts = message.slice(at + 3, at + 3 + count) as readonly string[]
    requests.push({ id: Number(message[at]), operation: message[at + 1] as Request['operation'], texts })
    at += 3 + count
  }
  return requests
}

/** Flattens replies: id, kind, text. */
export function packReplies(replies: readonly Reply[]): Message {
  return replies.flatMap(({ id, kind, text }) => [id, kind, text])
}

/** The replies of a message that `packReplies` made. */
export function unpackReplies(message: Message): readonly Reply[] {
  const replies: Reply[] = []
  for (let at = 0; at < message.length; at += 3) {
    replies.push({ id: message[at], kind: message[at + 1], text: message[at + 2] } as Reply)
  }
  return replies
}

/** An error as text. */
export function packError(error: Error): string {
  return JSON.stringify({
    message: error.message,
    ...(isEngineError(error) && { code: error.code }),
    ...(isProfileRefusedError(error) && { tokens: error.tokens, reason: error.reason }),
  })
}

/** The error of a text that `packError` made. */
export function unpackError(text: string): Error {
  const { message, code, tokens, reason } = JSON.parse(text) as PackedError
  if (tokens !== undefined) return new ProfileRefusedError(tokens, reason ?? '')
  return new EngineError(code ?? 'ERR_STORE_FAILED', message)
}

interface PackedError {
  readonly message: string
  readonly code?: EngineErrorCode
  readonly tokens?: readonly string[]
  readonly reason?: string
}
