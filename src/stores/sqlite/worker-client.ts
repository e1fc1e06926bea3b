// The main thread's side of the worker: sends calls, hands answers back, starts the worker again after a crash. Knows
// nothing of what the calls mean.

import type { Worker } from 'node:worker_threads'
import type { AssemblyOptions } from '../../profiler/assemble-profile.ts'
import type { RequestRecord } from '../../profiler/request-record.ts'
import { EngineError } from '../engine-error.ts'
import { packRequests, unpackError, unpackReplies } from './protocol.ts'
import type { Message, Operation, RecordsMessage, Reply, Request } from './protocol.ts'

interface Call {
  readonly resolve: (text: string | null) => void
  readonly reject: (error: Error) => void
}

/** First wait before a crashed worker is started again, in milliseconds; doubled with each crash that follows another. */
const restartMs = 100
const maxRestartMs = 10_000

/** How long `close` waits for the worker, in milliseconds. */
const closePatienceMs = 6000

/** One worker at a time, started with the first call. Holds the process only while calls are open. */
export class WorkerClient {
  readonly #name: string
  readonly #startWorker: () => Worker
  readonly #onWarning: (line: string) => void
  #calls = new Map<number, Call>()
  #worker: Worker | undefined
  /** The options that the running worker has. */
  #knownOptions: AssemblyOptions | undefined
  #outgoing: Request[] = []
  #lastId = 0
  #crashes = 0
  #restartTimer: NodeJS.Timeout | undefined
  #closing: Promise<void> | undefined

  /** `name` is the store's, for messages. `onWarning` is told what the worker says without being asked. */
  constructor(name: string, startWorker: () => Worker, onWarning: (line: string) => void) {
    this.#name = name
    this.#startWorker = startWorker
    this.#onWarning = onWarning
  }

  /** Runs an operation in the worker. Rejects with `EngineError` or `ProfileRefusedError`. */
  call(operation: Operation, texts: readonly string[] = []): Promise<string | null> {
    const refusal = this.#refusal()
    return refusal === undefined ? this.#send(operation, texts) : Promise.reject(refusal)
  }

  /** Has the worker make profiles of records and write them. May also reject with `DataCloneError`. */
  writeRecords(records: readonly RequestRecord[], options: AssemblyOptions): Promise<string | null> {
    const refusal = this.#refusal()
    if (refusal !== undefined) return Promise.reject(refusal)
    this.#worker ??= this.#listen(this.#startWorker())
    const id = ++this.#lastId
    const message: RecordsMessage = { id, records, options: this.#knownOptions === options ? null : options }
    return new Promise((resolve, reject) => {
      // Throws, and so rejects, if something cannot be copied; nothing was sent then.
      this.#worker?.postMessage(message)
      this.#knownOptions = options
      this.#expect(id, { resolve, reject })
    })
  }

  #refusal(): EngineError | undefined {
    if (this.#closing !== undefined) return new EngineError('ERR_STORE_CLOSED', `The store "${this.#name}" is closed.`)
    return this.#restartTimer === undefined ? undefined : this.#unavailable('its worker ended and starts again soon')
  }

  /** Lets open calls finish, closes the file and ends the worker; a failure, or too slow a disk, is a warning. Never rejects. */
  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close(): Promise<void> {
    clearTimeout(this.#restartTimer)
    const worker = this.#worker
    if (worker === undefined) return
    const timer = setTimeout(() => void worker.terminate(), closePatienceMs)
    try {
      await this.#send('close', [])
    } catch (error) {
      // Nothing is lost by it: what was written lies in the file and its log, which the next one to open it reads.
      const why = error instanceof Error ? error.message : String(error)
      this.#onWarning(`The store "${this.#name}" was not closed in order: ${why}`)
    } finally {
      clearTimeout(timer)
      await worker.terminate()
    }
  }

  #send(operation: Request['operation'], texts: readonly string[]): Promise<string | null> {
    return new Promise((resolve, reject) => {
      const id = ++this.#lastId
      this.#post({ id, operation, texts })
      this.#expect(id, { resolve, reject })
    })
  }

  #expect(id: number, call: Call): void {
    this.#calls.set(id, call)
    if (this.#calls.size === 1) this.#worker?.ref()
  }

  /** Calls of one turn of the event loop travel in one message; the first one of a worker at once. */
  #post(request: Request): void {
    const isFirst = this.#worker === undefined
    this.#worker ??= this.#listen(this.#startWorker())
    if (this.#outgoing.push(request) > 1) return
    if (isFirst) this.#sendOutgoing()
    else setImmediate(() => this.#sendOutgoing())
  }

  #sendOutgoing(): void {
    const message = packRequests(this.#outgoing)
    this.#outgoing = []
    this.#worker?.postMessage(message)
  }

  #listen(worker: Worker): Worker {
    let reason: unknown = 'it ended'
    worker.on('message', (message: Message) => {
      this.#crashes = 0
      for (const reply of unpackReplies(message)) this.#receive(reply)
      if (this.#calls.size === 0) worker.unref()
    })
    worker.on('error', (error) => (reason = error))
    worker.on('exit', () => this.#handleExit(worker, reason))
    worker.unref()
    return worker
  }

  #receive(reply: Reply): void {
    const text = reply.text ?? ''
    if (reply.kind === 'warning') return this.#onWarning(text)
    const call = this.#calls.get(reply.id)
    this.#calls.delete(reply.id)
    if (reply.kind === 'done') call?.resolve(reply.text)
    else call?.reject(unpackError(text))
  }

  #handleExit(worker: Worker, reason: unknown): void {
    if (this.#worker !== worker) return
    this.#worker = undefined
    this.#knownOptions = undefined
    this.#outgoing = []
    const why =
      reason instanceof Error ? `its worker failed: ${reason.message}` : `its worker failed: ${String(reason)}`
    const calls = [...this.#calls.values()]
    this.#calls = new Map()
    for (const call of calls) call.reject(this.#unavailable(why))
    if (this.#closing !== undefined) return
    this.#onWarning(`The store "${this.#name}" is out of work for a moment: ${why}.`)
    const delayMs = Math.min(restartMs * 2 ** this.#crashes++, maxRestartMs)
    this.#restartTimer = setTimeout(() => (this.#restartTimer = undefined), delayMs)
    this.#restartTimer.unref()
  }

  #unavailable(why: string): EngineError {
    return new EngineError('ERR_STORE_UNAVAILABLE', `The store "${this.#name}" is not available: ${why}.`)
  }
}
