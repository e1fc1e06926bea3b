// Subscribes to diagnostics channels, guarded: an error thrown by a subscriber would end the process.

import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { currentExchange } from '../../framework/kernel/current-exchange.ts'
import { describeFailure } from '../../framework/kernel/describe-failure.ts'

/** Receives one message. */
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

/** Turns errors of the listener into notes of the profile. */
function guarded(name: string, listen: ChannelListener): ChannelListener {
  return (message) => {
    try {
      listen(message)
    } catch (thrown) {
      noteFailure(name, thrown)
    }
  }
}

/** Notes in the profile of the running request that something could not be captured. */
export function noteFailure(name: string, thrown: unknown): void {
  const { errorClass, message } = describeFailure(thrown)
  currentExchange()?.recording?.note(`collector ${name}`, `missed something: ${errorClass}: ${message.slice(0, 300)}`)
}
