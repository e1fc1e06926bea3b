// What a client reports of a request that it sends.

/** An outgoing request as its client reports it when it starts. */
export interface OutgoingStart {
  /** The global `fetch` (undici), or `node:http` and `node:https`. */
  readonly client: 'fetch' | 'node:http'
  readonly method: string
  /** As sent. */
  readonly url: string
  /** With the port if it is not the default one: `prices.example:8443`. */
  readonly host: string
  readonly requestBytes: number | null
  /** The stack of the caller. */
  readonly site: Error
}

/** What follows a request beside its record, as it passes. */
export interface OutgoingFollower {
  wrote(chunk: Uint8Array): void
  /** All of the body was sent. Whether it goes on to follow. */
  wroteAll(): boolean
  /** The head of the response came: names and values in turn. */
  answered(status: number, headers: readonly string[]): void
  received(chunk: Uint8Array): void
  ended(): void
  failed(thrown: unknown): void
}
