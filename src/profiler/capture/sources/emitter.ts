// Listening to the events of a library's own object, whose type this library does not know.

/** Whatever has an `on`; libraries type theirs in ways of their own. */
export interface Emitter {
  on(event: never, listener: never): unknown
}

/** Listens to an event. What the library hands over is up to it: `listener` says what is expected. */
export function listen(emitter: Emitter, event: string, listener: (...args: never[]) => void): void {
  Reflect.apply(emitter.on, emitter, [event, listener])
}
