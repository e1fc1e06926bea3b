// Listening to diagnostics channels, with a guard: what a listener throws there would end the process.

import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { currentExchange } from '../../framework/kernel/current-exchange.ts'
import { describeFailure } from '../../framework/kernel/describe-failure.ts'

/** Hears one message of a channel. */
export type ChannelListener = (message: unknown) => void

/** A set of channels that is listened to as a whole, or not at all. */
export class Channels {
  readonly #listeners: ReadonlyMap<string, ChannelListener>
  #isStarted = false

  /** Listeners by the name of their channel. `name` is the collector that a failure is told to: `http-client`. */
  constructor(name: string, listeners: Readonly<Record<string, ChannelListener>>) {
    this.#listeners = new Map(Object.entries(listeners).map(([channel, listen]) => [channel, guarded(name, listen)]))
  }

  /** Begins to listen. A second call changes nothing. */
  start(): void {
    if (this.#isStarted) return
    this.#isStarted = true
    for (const [channel, listen] of this.#listeners) subscribe(channel, listen)
  }

  /** Stops listening. */
  stop(): void {
    this.#isStarted = false
    for (const [channel, listen] of this.#listeners) unsubscribe(channel, listen)
  }
}

/** The same listener; what it throws becomes a note in the profile. */
function guarded(name: string, listen: ChannelListener): ChannelListener {
  return (message) => {
    try {
      listen(message)
    } catch (thrown) {
      noteFailure(name, thrown)
    }
  }
}

/** Tells the profile of the running request that a part of it could not be captured. */
export function noteFailure(name: string, thrown: unknown): void {
  const { errorClass, message } = describeFailure(thrown)
  currentExchange()?.recording?.note(`collector ${name}`, `missed something: ${errorClass}: ${message.slice(0, 300)}`)
}
