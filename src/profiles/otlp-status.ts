// What the status page tells about traces that are sent and received.

export interface OtlpStatus {
  /** `null` where `APP_OTLP` is not set. */
  readonly sending: SendingStatus | null
  /** `null` until something comes in. */
  readonly receiving: ReceivingStatus | null
}

/** What came in, counted since the start. */
export interface ReceivingStatus {
  /** Those that were taken. */
  readonly requests: number
  readonly spans: number
  readonly logRecords: number
  /** Not kept: they were incomplete, or too many of one trace. */
  readonly rejectedSpans: number
  readonly rejectedLogRecords: number
  /** Requests that were refused: they cannot be read, are too large, or too many at a time. */
  readonly refused: number
  /** Why the last one was not kept; `null` where all were. */
  readonly problem: string | null
}

/** Profiles that are sent as traces, counted since the start. */
export interface SendingStatus {
  /** Without parameters. */
  readonly address: string
  readonly waiting: number
  readonly sent: number
  /** Given up: too many waited, they were gone from the store, or the process ended. */
  readonly dropped: number
  /** Refused by the receiver. */
  readonly refused: number
  /** Spans that the receiver left out of traces that it accepted. */
  readonly rejectedSpans: number
  /** Requests that failed and were tried again. */
  readonly failures: number
  /** Why the last request failed or was refused; `null` once one has succeeded. */
  readonly problem: string | null
}
