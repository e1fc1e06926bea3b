// The profiles that a thread keeps, as the main thread sees them.

import type { AssemblyOptions } from '../../profiles/assemble-profile.ts'
import { tokenPattern, type Profile } from '../../observe/profile.ts'
import { ProfileRefusedError, type ProfileStore } from '../../profiles/profile-store.ts'
import type { AssemblingStore } from '../../profiles/profile-writer.ts'
import { getCompileCacheDir } from 'node:module'
import { clearTimeout, performance, setTimeout, withBuiltins } from '../../base/timing/builtins.ts'
import { Worker } from 'node:worker_threads'
import { EngineError } from '../engine-error.ts'
import {
  unpackError,
  type Call,
  type PerformFew,
  type ProfileCalls,
  type Reply,
  type ThreadData,
} from './serve-profiles.ts'

export class ThreadedProfileStore implements AssemblingStore {
  readonly name: string
  readonly #thread: ProfileThread

  constructor(name: string, thread: ProfileThread) {
    this.name = name
    this.#thread = thread
  }

  async write(profiles: readonly Profile[]): Promise<void> {
    if (profiles.length > 0) await this.#thread.call('write', profiles.map(encode))
  }

  async writeRecords(records: readonly string[], options: AssemblyOptions): Promise<void> {
    if (records.length > 0) await this.#thread.writeRecords(records, options)
  }

  async read(token: string): Promise<Profile | undefined> {
    if (!tokenPattern.test(token)) return undefined
    const json = await this.#thread.call('read', token)
    // A checksum guards what `encode` made.
    return json === undefined ? undefined : (JSON.parse(json) as Profile)
  }

  readonly find: ProfileStore['find'] = (...asked) => this.#thread.call('find', ...asked)
  readonly group: ProfileStore['group'] = (...asked) => this.#thread.call('group', ...asked)
  // The thread gathers what was asked for.
  readonly gather: ProfileStore['gather'] = (...asked) => this.#thread.call('gather', ...asked) as Promise<never>
  readonly purge: ProfileStore['purge'] = (...asked) => this.#thread.call('purge', ...asked)
  readonly settle = (budgetMs: number): void => this.#thread.settle(budgetMs)
  readonly stats: ProfileStore['stats'] = () => this.#thread.call('stats')
}

function encode(profile: Profile): string {
  try {
    return JSON.stringify(profile)
  } catch (error) {
    throw new ProfileRefusedError([profile.token], 'its data is not JSON', { cause: error })
  }
}

interface OpenCall {
  readonly resolve: (result: unknown) => void
  readonly reject: (error: Error) => void
}

/** First wait before a crashed worker is started again, in milliseconds; doubled with each crash that follows another. */
const restartMs = 100
const maxRestartMs = 10_000

/** How long `close` waits for the worker, in milliseconds. */
const closePatienceMs = 6000

/** One worker at a time, started with the first call that is worth it. Holds the process only while calls are open. */
export class ProfileThread {
  readonly #name: string
  readonly #startWorker: (replies: Int32Array<SharedArrayBuffer>) => Worker
  readonly #onWarning: (line: string) => void
  /** Until a worker has taken its place. */
  #performFew: PerformFew | undefined
  #calls = new Map<number, OpenCall>()
  #worker: Worker | undefined
  #knownOptions: AssemblyOptions | undefined
  #lastId = 0
  /** How many calls the worker of now has replied to, counted by it. */
  #replies = new Int32Array(new SharedArrayBuffer(4))
  /** How many it was sent. */
  #sent = 0
  #crashes = 0
  #restartTimer: NodeJS.Timeout | undefined
  #closing: Promise<void> | undefined

  /** `name` is the store's, for messages. `performFew` is asked until a worker is open. Default: all calls wait for it. */
  constructor(
    name: string,
    startWorker: (replies: Int32Array<SharedArrayBuffer>) => Worker,
    onWarning: (line: string) => void,
    performFew?: PerformFew,
  ) {
    this.#name = name
    this.#startWorker = startWorker
    this.#onWarning = onWarning
    this.#performFew = performFew
  }

  /** Rejects with `EngineError` or `ProfileRefusedError`. */
  async call<Name extends keyof ProfileCalls>(
    name: Name,
    ...args: Parameters<ProfileCalls[Name]>
  ): Promise<ReturnType<ProfileCalls[Name]>> {
    const isClosed = this.#closing !== undefined && name !== 'close'
    if (isClosed) throw new EngineError('ERR_STORE_CLOSED', `The store "${this.#name}" is closed.`)
    const id = ++this.#lastId
    const call = { id, name, args } as Call
    const isStarting = this.#worker !== undefined || this.#restartTimer !== undefined
    let done = this.#performFew?.(call, isStarting)
    if (done === undefined && !isStarting) {
      this.#worker = this.#start()
      done = this.#performFew?.(call, true)
    }
    // Here as in the worker, each call is given its own result.
    if (done !== undefined) return (await done) as ReturnType<ProfileCalls[Name]>
    if (this.#restartTimer !== undefined) throw this.#unavailable('its worker ended and starts again soon')
    this.#sent += 1
    this.#worker?.postMessage(this.#withoutKnown(call))
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    this.#calls.set(id, { resolve, reject })
    if (this.#calls.size === 1) this.#worker?.ref()
    return (await promise) as ReturnType<ProfileCalls[Name]>
  }

  async writeRecords(records: readonly string[], options: AssemblyOptions): Promise<void> {
    try {
      await this.call('writeRecords', records, options)
    } catch (error) {
      // The worker may not have got the options.
      this.#knownOptions = undefined
      throw error
    }
  }

  /** The options are sent only to a worker that does not have them. */
  #withoutKnown(call: Call): Call {
    if (call.name !== 'writeRecords') return call
    const [records, options] = call.args
    if (options === this.#knownOptions) return { ...call, args: [records, null] }
    this.#knownOptions = options ?? undefined
    return call
  }

  /** Holds this thread until the worker has replied to every call, at most so long: for the end of a process. */
  settle(budgetMs: number): void {
    const deadline = performance.now() + budgetMs
    for (;;) {
      const replies = Atomics.load(this.#replies, 0)
      const leftMs = deadline - performance.now()
      if (replies >= this.#sent || leftMs <= 0) return
      Atomics.wait(this.#replies, 0, replies, leftMs)
    }
  }

  /** Lets open calls finish, closes the place and ends the worker; a failure, or a place that is too slow, is a warning. Never rejects. */
  close(): Promise<void> {
    return (this.#closing ??= this.#close())
  }

  async #close(): Promise<void> {
    clearTimeout(this.#restartTimer)
    const worker = this.#worker
    if (worker === undefined) return
    const timer = setTimeout(() => void worker.terminate(), closePatienceMs)
    try {
      await this.call('close')
    } catch (error) {
      // What was written is where the next one to open the place reads it.
      const why = error instanceof Error ? error.message : String(error)
      this.#onWarning(`The store "${this.#name}" was not closed in order: ${why}`)
    } finally {
      clearTimeout(timer)
      await worker.terminate()
    }
  }

  #start(): Worker {
    this.#replies = new Int32Array(new SharedArrayBuffer(4))
    this.#sent = 0
    return this.#listen(this.#startWorker(this.#replies))
  }

  #listen(worker: Worker): Worker {
    let reason: unknown = 'it ended'
    worker.on('message', (reply: Reply) =>
      withBuiltins(() => {
        if ('isOpen' in reply) return void (this.#performFew = undefined)
        this.#crashes = 0
        if ('warning' in reply) return this.#onWarning(reply.warning)
        const call = this.#calls.get(reply.id)
        this.#calls.delete(reply.id)
        if ('failure' in reply) call?.reject(unpackError(reply.failure))
        else call?.resolve(reply.result)
        if (this.#calls.size === 0) worker.unref()
      }),
    )
    worker.on('error', (error) => (reason = error))
    worker.on('exit', () => this.#handleExit(worker, reason))
    worker.unref()
    return worker
  }

  #handleExit(worker: Worker, reason: unknown): void {
    if (this.#worker !== worker) return
    this.#worker = undefined
    this.#knownOptions = undefined
    const why = `its worker failed: ${reason instanceof Error ? reason.message : String(reason)}`
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

/**
 * What the worker keeps of young objects, in megabytes. By default V8 takes as much as for a main thread, 128 MB that stay resident,
 * and is no faster: what a batch leaves behind is garbage as soon as it is written.
 */
const maxYoungGenerationSizeMb = 6

/**
 * Starts a worker without the flags and the environment of the process; compiled code is kept where the process keeps its own. The program
 * is a file beside `from`, without its ending: sources run unbuilt as `.ts`, the package as `.js`.
 */
export function startWorker(
  program: string,
  from: string,
  options: unknown,
  replies: Int32Array<SharedArrayBuffer>,
): Worker {
  const cache = getCompileCacheDir()
  const env = cache === undefined ? {} : { NODE_COMPILE_CACHE: cache }
  return new Worker(new URL(`./${program}${from.slice(from.lastIndexOf('.'))}`, from), {
    name: `fanlight-${program}`,
    workerData: { options, replies } satisfies ThreadData,
    execArgv: [],
    env,
    resourceLimits: { maxYoungGenerationSizeMb },
  })
}
