// The replays of one process: which requests are replays, and which forms were confirmed.

import { performance } from '../base/timing/builtins.ts'
import type { HttpRequest } from '../base/http/request.ts'
import { randomBytes } from 'node:crypto'
import type { KeptName } from '../http/recording/recording.ts'

/** The field that says that a request is a replay. Its ticket is valid once, in the process that sends it. */
export const replayHeader = 'x-fanlight-replay'

/** Key, on the recording of a replay, of the token whose request is sent again. */
export const replayName: KeptName<string> = 'replay'

/** A replay is sent at once. */
const replayValidMs = 60_000
/** A form is read before it is sent. */
const formValidMs = 30 * 60_000

/** What tells an application from others. */
export interface RecordedBy {
  readonly service: string | null
  /** Name of the machine. */
  readonly host: string
  /** Where its servers listen. Default: where it is asked. */
  readonly servers?: () => readonly OwnAddress[]
}

/** Where an application of this process listens. */
export interface OwnAddress {
  readonly host: string
  readonly port: number
  readonly isEncrypted: boolean
}

/** One for each profiler. */
export class Replays {
  /** Tickets of forms, with the token of the profile that each is for. */
  readonly forms: Tickets<string> = new Tickets(formValidMs)
  readonly #running: Tickets<string> = new Tickets(replayValidMs)

  /** The ticket with which the request of a profile is sent once. */
  begin(token: string): string {
    return this.#running.issue(token)
  }

  /** Uses up the ticket of a request that was not accepted. */
  end(ticket: string): void {
    this.#running.take(ticket)
  }

  /** The token whose request is sent again, of a request with one of our tickets. The field is removed, so that the application gets the request as it was recorded. */
  take({ rawHeaders }: HttpRequest): string | undefined {
    if (this.#running.isEmpty) return undefined
    const at = rawHeaders.findIndex((name, index) => index % 2 === 0 && name.toLowerCase() === replayHeader)
    const token = at < 0 ? undefined : this.#running.take(rawHeaders[at + 1] ?? '')
    // Nobody has read the fields yet: the profiler is the first to see a request.
    if (token !== undefined) (rawHeaders as string[]).splice(at, 2)
    return token
  }
}

/** Tickets that wait at most; the oldest gives way. */
const maxTickets = 1000

/** Gives a value in exchange for its ticket. */
class Tickets<Value> {
  readonly #waiting = new Map<string, { readonly value: Value; readonly until: number }>()
  readonly #validMs: number

  /** `validMs`: how long a ticket is valid, in milliseconds. */
  constructor(validMs: number) {
    this.#validMs = validMs
  }

  get isEmpty(): boolean {
    return this.#waiting.size === 0
  }

  /** A new ticket: 32 letters, digits, dashes and underscores, unguessable. */
  issue(value: Value): string {
    const [oldest] = this.#waiting.keys()
    if (oldest !== undefined && this.#waiting.size >= maxTickets) this.#waiting.delete(oldest)
    const ticket = randomBytes(24).toString('base64url')
    this.#waiting.set(ticket, { value, until: performance.now() + this.#validMs })
    return ticket
  }

  /** The value of a ticket, which is used up; `undefined` for one that is unknown, used or too old. */
  take(ticket: string): Value | undefined {
    const found = this.#waiting.get(ticket)
    this.#waiting.delete(ticket)
    return found !== undefined && found.until > performance.now() ? found.value : undefined
  }
}
