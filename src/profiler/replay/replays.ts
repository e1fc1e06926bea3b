// The replays of one process: which requests are replays, and which forms were confirmed.

import type { HttpRequest } from '../../framework/http/request.ts'
import type { RecordedServices } from './offline/recorded-services.ts'
import { replayHeader } from './send-replay.ts'
import { Tickets } from './tickets.ts'

/** Key of a replay on its recording. */
export const replayName = 'replay'

/** What the recording of a replay knows of it. */
export interface ReplayMark {
  /** Token of the profile whose request is sent again. */
  readonly of: string
  /** What responds to its outgoing requests. Default: the real services. */
  readonly services?: RecordedServices
}

/** A replay is sent at once. */
const replayValidMs = 60_000
/** A form is read before it is sent. */
const formValidMs = 30 * 60_000

/** One for each profiler. */
export class Replays {
  /** Tickets of forms, with the token of the profile that each is for. */
  readonly forms: Tickets<string> = new Tickets({ validMs: formValidMs })
  readonly #running: Tickets<ReplayMark> = new Tickets({ validMs: replayValidMs })

  #offline: Promise<unknown> = Promise.resolve()

  /** The ticket with which one request is sent. */
  begin(mark: ReplayMark): string {
    return this.#running.issue(mark)
  }

  /** Runs offline replays one after the other: each diverts the clients of the process. */
  alone<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#offline.then(work)
    this.#offline = result.catch(() => undefined)
    return result
  }

  /** Uses up the ticket of a request that was not accepted. */
  end(ticket: string): void {
    this.#running.take(ticket)
  }

  /** The mark of a request with one of our tickets. The field is removed, so that the application gets the request as it was recorded. */
  take({ rawHeaders }: HttpRequest): ReplayMark | undefined {
    if (this.#running.isEmpty) return undefined
    const at = rawHeaders.findIndex((name, index) => index % 2 === 0 && name.toLowerCase() === replayHeader)
    const mark = at < 0 ? undefined : this.#running.take(rawHeaders[at + 1] ?? '')
    if (mark !== undefined) changeable(rawHeaders).splice(at, 2)
    return mark
  }
}

/** Nobody has read the fields yet: the profiler is the first to see a request. */
function changeable(fields: readonly string[]): string[] {
  return fields as string[]
}
