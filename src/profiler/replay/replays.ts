// The replays of one process: which requests are replays, and which forms were confirmed.

import type { HttpRequest } from '../../framework/http/request.ts'
import { Tickets } from './tickets.ts'

/** The field that says that a request is a replay. Its ticket is valid once, in the process that sends it. */
export const replayHeader = 'x-fanlight-replay'

/** Key, on the recording of a replay, of the token whose request is sent again. */
export const replayName = 'replay'

/** A replay is sent at once. */
const replayValidMs = 60_000
/** A form is read before it is sent. */
const formValidMs = 30 * 60_000

/** One for each profiler. */
export class Replays {
  /** Tickets of forms, with the token of the profile that each is for. */
  readonly forms: Tickets<string> = new Tickets({ validMs: formValidMs })
  readonly #running: Tickets<string> = new Tickets({ validMs: replayValidMs })

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
    if (token !== undefined) changeable(rawHeaders).splice(at, 2)
    return token
  }
}

/** Nobody has read the fields yet: the profiler is the first to see a request. */
function changeable(fields: readonly string[]): string[] {
  return fields as string[]
}
