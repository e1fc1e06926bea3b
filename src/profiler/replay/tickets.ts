// Tickets: names that are valid once, for a short time, in the process that made them.

import { randomBytes } from 'node:crypto'

/** Tickets that wait at most; the oldest gives way. */
const maxTickets = 1000

interface TicketOptions {
  /** How long a ticket is valid, in milliseconds. */
  readonly validMs: number
  /** Monotonic clock in milliseconds. Default: `performance.now`. */
  readonly now?: () => number
}

/** Gives a value in exchange for its ticket. */
export class Tickets<Value> {
  readonly #waiting = new Map<string, { readonly value: Value; readonly until: number }>()
  readonly #validMs: number
  readonly #now: () => number

  constructor({ validMs, now = () => performance.now() }: TicketOptions) {
    this.#validMs = validMs
    this.#now = now
  }

  get isEmpty(): boolean {
    return this.#waiting.size === 0
  }

  /** A new ticket: 32 letters, digits, dashes and underscores, unguessable. */
  issue(value: Value): string {
    const [oldest] = this.#waiting.keys()
    if (oldest !== undefined && this.#waiting.size >= maxTickets) this.#waiting.delete(oldest)
    const ticket = randomBytes(24).toString('base64url')
    this.#waiting.set(ticket, { value, until: this.#now() + this.#validMs })
    return ticket
  }

  /** The value of a ticket, which is used up; `undefined` for one that is unknown, used or too old. */
  take(ticket: string): Value | undefined {
    const found = this.#waiting.get(ticket)
    this.#waiting.delete(ticket)
    return found !== undefined && found.until > this.#now() ? found.value : undefined
  }
}
