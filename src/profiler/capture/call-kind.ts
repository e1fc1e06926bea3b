// What calls to other services have in common that differ in little but their URL: the same object in many requests is copied once
// for all of them on the way to the thread that makes their profiles.

import { maxEntries, textOf } from './packed-fields.ts'

/** Headers whose values a client sends again and again, and which are no secret. Names are compared as clients write them. */
const usualHeaders: ReadonlySet<unknown> = new Set([
  'accept',
  'accept-encoding',
  'accept-language',
  'connection',
  'sec-fetch-mode',
  'user-agent',
])

/** A kind of calls. */
export class CallKind {
  /** What makes them: the global `fetch` (undici), or `node:http` and `node:https`. */
  readonly client: 'fetch' | 'node:http'
  readonly method: string
  /** Names and values of the headers sent, in turn, at most 200; `null` for a value that each call has of its own. */
  readonly sent: readonly (string | null)[]
  // Private, so it is not copied to other threads.
  readonly #alone: readonly CallKind[] = [this]

  constructor(client: CallKind['client'], method: string, headers: readonly unknown[]) {
    this.client = client
    this.method = method
    const sent: (string | null)[] = []
    for (let index = 0; index < headers.length && index < maxEntries; index += 1) {
      const isOwnValue = index % 2 === 1 && !usualHeaders.has(headers[index - 1])
      sent.push(isOwnValue ? null : textOf(headers[index]))
    }
    this.sent = sent
  }

  /** Whether a call with these headers is one of this kind. */
  fits(client: CallKind['client'], method: string, headers: readonly unknown[]): boolean {
    const { sent } = this
    const count = Math.min(headers.length, maxEntries)
    if (count !== sent.length || method !== this.method || client !== this.client) return false
    for (let index = 0; index < count; index += 1) {
      const known = sent[index]
      if (known !== null && known !== headers[index]) return false
    }
    return true
  }

  /** The list of this kind only. */
  get alone(): readonly CallKind[] {
    return this.#alone
  }
}
