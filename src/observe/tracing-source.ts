// What sources have in common: channels and callbacks. An error thrown by a subscriber would end the process, so each is guarded.

import type { Callback } from '../http/kernel/follow-call.ts'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { isOwn, type CaptureOwner } from './owner.ts'
import { currentExchange, runInExchange } from '../http/kernel/current-exchange.ts'
import { withBuiltins } from '../base/timing/builtins.ts'
import { failureNote } from './profile-parts.ts'

export type Message = Readonly<Record<string, unknown>>

export type Listeners = Readonly<Record<string, ChannelListener>>

export function isMessage(message: unknown): message is Message {
  return typeof message === 'object' && message !== null
}

/** Listeners of a tracing channel: `begin` begins something of an own request with the first message, and `end` ends it with the last one. */
export function traced<Running extends { fail(thrown: unknown): void }>(
  owner: CaptureOwner,
  channel: string,
  begin: (message: Message) => Running | undefined,
  end: (running: Running, message: Message) => void,
): Listeners {
  const open = new WeakMap<object, Running>()
  const take = (message: unknown, work: (running: Running, message: Message) => void): void => {
    if (!isMessage(message)) return
    const running = open.get(message)
    open.delete(message)
    if (running !== undefined) work(running, message)
  }
  return {
    [`tracing:${channel}:start`]: (message) => {
      const running = isMessage(message) && isOwn(owner) ? begin(message) : undefined
      if (running !== undefined) open.set(Object(message), running)
    },
    [`tracing:${channel}:error`]: (message) => take(message, (running, { error }) => running.fail(error)),
    [`tracing:${channel}:asyncEnd`]: (message) => take(message, end),
  }
}

export function isCallback(value: unknown): value is Callback {
  return typeof value === 'function'
}

/** Binds a callback to the request that is running now, or to none: libraries call it in the context of another. */
export function inPlace(callback: Callback): Callback {
  const asker = currentExchange()
  return function run(this: unknown, ...args: unknown[]): unknown {
    const call = (): unknown => Reflect.apply(callback, this, args)
    return currentExchange() === asker ? call() : runInExchange(asker, call)
  }
}

/** An object of a library that emits events. */
export interface Emitter {
  on(event: never, listener: never): unknown
}

/** Listens to an event whose arguments this library cannot check. */
export function listen(emitter: Emitter, event: string, listener: (...args: never[]) => void): void {
  Reflect.apply(emitter.on, emitter, [event, listener])
}

/** Number of rows of an SQL result: length of a list, or `rowCount`, `affectedRows`, `changes`; else `null`. */
export function sqlRows(result: unknown): number | null {
  if (Array.isArray(result)) return result.length
  if (typeof result !== 'object' || result === null) return null
  for (const name of ['rowCount', 'affectedRows', 'changes', 'numAffectedRows']) {
    const count: unknown = Reflect.get(result, name)
    if (typeof count === 'number' || typeof count === 'bigint') return Number(count)
  }
  // `pg` sets `rowCount` to null for queries without rows, such as `BEGIN`.
  if (Reflect.get(result, 'rowCount') === null) return null
  const rows: unknown = Reflect.get(result, 'rows')
  return Array.isArray(rows) ? rows.length : null
}

/** The length of a list; 0 for nothing, `null` for what is no list. */
export function listRows(result: unknown): number | null {
  if (result === null) return 0
  return Array.isArray(result) ? result.length : null
}

export type ChannelListener = (message: unknown) => void

/** A set of channels, subscribed to together. */
export class Channels {
  readonly #listeners: ReadonlyMap<string, ChannelListener>
  #isStarted = false

  /** Listeners by channel. `name` is the collector that failures are reported for: `http-client`. */
  constructor(name: string, listeners: Readonly<Record<string, ChannelListener>>) {
    this.#listeners = new Map(Object.entries(listeners).map(([channel, listen]) => [channel, guarded(name, listen)]))
  }

  /** A second call changes nothing. */
  start(): void {
    if (this.#isStarted) return
    this.#isStarted = true
    for (const [channel, listen] of this.#listeners) subscribe(channel, listen)
  }

  stop(): void {
    this.#isStarted = false
    for (const [channel, listen] of this.#listeners) unsubscribe(channel, listen)
  }
}

function guarded(name: string, listen: ChannelListener): ChannelListener {
  return (message) => safely(name, () => listen(message))
}

/** Runs code of a source between code of the application. What it throws becomes a note of the profile. `name` is that of the collector. */
export function safely(name: string, work: () => void): void {
  try {
    work()
  } catch (thrown) {
    noteFailure(name, thrown)
  }
}

/** Notes in the profile of the running request that something could not be captured. */
export function noteFailure(name: string, thrown: unknown): void {
  const recording = currentExchange()?.recording
  if (recording === undefined) return
  const { source, message } = withBuiltins(() => failureNote(name, thrown, recording.redactor, 'missed something'))
  recording.note(source, message)
}
