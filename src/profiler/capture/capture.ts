// Captures what happens outside the kernel's sight while a request is recorded: calls to other services, databases and
// caches. One for each application; it hears only what belongs to requests of its own.

import { currentExchange } from '../../framework/kernel/current-exchange.ts'
import type { Exchange } from '../../framework/kernel/exchange.ts'
import type { Listener } from '../../framework/kernel/listener.ts'
import type { Recording } from '../../framework/recording/recording.ts'
import type { Redactor } from '../../framework/redact/redactor.ts'
import { ownerName, type StatementOwner } from './begin-statement.ts'
import { CalledHosts } from './called-hosts.ts'
import { CallSites } from './call-site.ts'
import { callSiteNow } from './call-site-now.ts'
import type { DataTools } from './data-tools.ts'
import { FetchCallers } from './fetch-callers.ts'
import { FetchClient } from './fetch-client.ts'
import type { FetchSite, FetchWatcher } from './fetch-site.ts'
import { NodeHttpClient } from './node-http-client.ts'
import { httpClientName, OutgoingCalls } from './outgoing-calls.ts'
import { Remembered } from './remembered.ts'
import { RequestPace } from './request-pace.ts'
import { channelSources } from './sources/channel-sources.ts'
import type { RunningStatement, StatementStart } from './statement.ts'
import { databaseName, Statements } from './statements.ts'

/** What captures are made with. */
export interface CaptureOptions {
  readonly redactor: Redactor
  /** Absolute directory of the application, to tell its code from that of dependencies. */
  readonly projectRoot: string
}

/** Runs after the profiler, which makes the recording. */
export class Capture implements Listener, StatementOwner, FetchWatcher {
  readonly name = 'capture'
  readonly isInstrumentation = true
  readonly #tools: DataTools
  readonly #fetchCallers = new FetchCallers()
  readonly #sources: readonly { start(): void; stop(): void }[]

  constructor({ redactor, projectRoot }: CaptureOptions) {
    this.#tools = {
      redactor,
      callSites: new CallSites(projectRoot),
      pace: new RequestPace(),
      hosts: new CalledHosts(),
      statements: new Remembered(),
    }
    const currentCalls = (): OutgoingCalls | undefined => this.#outgoingCalls()
    this.#sources = [new FetchClient(currentCalls), new NodeHttpClient(currentCalls), ...channelSources(this)]
  }

  /** Begins to listen. */
  start(): void {
    for (const source of this.#sources) source.start()
  }

  /** Stops listening: nothing is left behind in the process. */
  stop(): void {
    for (const source of this.#sources) source.stop()
  }

  /** Marks the recording as this application's: several may run in one process, and all hear the same channels. */
  onRequest({ recording }: Exchange): void {
    if (recording === undefined) return
    recording.keep(ownerName, this)
    this.#tools.pace.began(recording.startedAt)
  }

  statementsOf(recording: Recording): Statements {
    // Only this class keeps something under the name.
    const known = recording.kept(databaseName) as Statements | undefined
    if (known !== undefined) return known
    const statements = new Statements(recording, this.#tools)
    recording.keep(databaseName, statements)
    return statements
  }

  fetchSite({ route }: Exchange, input: unknown): FetchSite {
    const caller = this.#fetchCallers.of(route, input)
    return { site: callSiteNow(caller, this.#tools.pace), caller }
  }

  /** Notes a statement of the running request, if that is one of this application. */
  beginStatement(start: () => StatementStart): RunningStatement | undefined {
    const recording = ownRecording(currentExchange(), this)
    if (recording === undefined) return undefined
    const statements = this.statementsOf(recording)
    if (!statements.isFull) return statements.begin(start())
    statements.drop()
    return undefined
  }

  #outgoingCalls(): OutgoingCalls | undefined {
    const exchange = currentExchange()
    const recording = ownRecording(exchange, this)
    if (exchange === undefined || recording === undefined) return undefined
    // Only this class keeps something under the name.
    const known = recording.kept(httpClientName) as OutgoingCalls | undefined
    if (known !== undefined) return known
    const calls = new OutgoingCalls(recording, exchange.context, this.#tools)
    recording.keep(httpClientName, calls)
    return calls
  }
}

/** The recording to add to. What a request leaves running after its answer has left is not part of it. */
function ownRecording(exchange: Exchange | undefined, owner: Capture): Recording | undefined {
  if (exchange === undefined || exchange.sent !== undefined) return undefined
  const { recording } = exchange
  return recording?.kept(ownerName) === owner ? recording : undefined
}
