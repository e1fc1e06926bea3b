// One statement to a database or a cache in the making, and the plain data it becomes.

import { describeFailure } from '../kernel/describe-failure.ts'
import type { Recording } from '../recording/recording.ts'
import type { RunningSpan } from '../timing/span.ts'
import type { CallSiteMark, CallSites } from './call-site.ts'
import { failureText } from './failure-text.ts'
import type { StackDepth } from './stack-depth.ts'
import type { StatementText } from './statement-text.ts'

/** What a statement begins with. */
export interface StatementStart {
  /** In the words of OpenTelemetry: `postgresql`, `mysql`, `sqlite`, `redis`, `mongodb`. */
  readonly system: string
  /** What sent it: `pg`, `node:sqlite`. */
  readonly library: string
  /** The text without its values. */
  readonly text: StatementText
  /** Name of the database; `null` where unknown. */
  readonly namespace?: string | null
  /** Tells equal statements of one shape apart from others; `null` for what is equal to nothing. */
  readonly key: string | null
  readonly site: CallSiteMark | null
  /** Learns where in the stack the caller stands. */
  readonly depth?: StackDepth
  /** How long it had been running when it was told of, in milliseconds. Default 0. */
  readonly agoMs?: number
  /** Only its beginning is told, never its end. Default `false`. */
  readonly isMoment?: boolean
}

/** One statement, as the profile keeps it. Times are milliseconds since the request began. */
export interface StatementData {
  /** Index of its group: the statements of one shape. */
  readonly group: number
  readonly startMs: number
  /** `null` for one that had not ended, or whose end is not told. */
  readonly durationMs: number | null
  /** Rows read or changed; `null` where unknown. */
  readonly rows: number | null
  readonly error: string | null
  /** `src/prices.ts:12`; `null` where unknown. */
  readonly callSite: string | null
}

/** A statement as a flat list: `packInto` writes it. */
export type PackedStatement = readonly [
  system: string,
  library: string,
  namespace: string | null,
  text: number,
  key: string | null,
  startMs: number,
  durationMs: number | null,
  rows: number | null,
  error: string | null,
  callSite: string | null,
]

/** A running statement. The first end counts. */
export interface RunningStatement {
  /** It went well; `rows` were read or changed. */
  end(rows?: number | null): void
  fail(thrown: unknown): void
}

/** A statement that runs, or has ended. */
export class Statement implements RunningStatement {
  readonly start: StatementStart
  readonly #startMs: number
  readonly #recording: Recording
  readonly #span: RunningSpan
  #durationMs: number | null = null
  #rows: number | null = null
  #error: string | null = null
  #isOver = false

  constructor(recording: Recording, start: StatementStart) {
    this.start = start
    this.#recording = recording
    this.#startMs = Math.max(0, recording.stopwatch.elapsedMs() - (start.agoMs ?? 0))
    const operation = operationOf(start.text.shape)
    this.#span = recording.startSpan({
      name: `${operation} ${start.namespace ?? start.system}`,
      kind: 'client',
      category: 'store',
      ...(start.agoMs === undefined ? {} : { agoMs: start.agoMs }),
      attributes: {
        'db.system.name': start.system,
        'db.operation.name': operation,
        'db.query.text': start.text.text,
        ...(typeof start.namespace === 'string' ? { 'db.namespace': start.namespace } : {}),
      },
    })
    if (start.isMoment === true) {
      this.#isOver = true
      this.#span.end()
    }
  }

  /** Whether it ended with an error. */
  get hasFailed(): boolean {
    return this.#error !== null
  }

  end(rows: number | null = null): void {
    if (this.#isOver) return
    this.#over()
    this.#rows = rows
    this.#span.end()
  }

  fail(thrown: unknown): void {
    if (this.#isOver) return
    this.#over()
    const { errorClass, message } = describeFailure(thrown)
    this.#error = failureText(`${errorClass}: ${message}`, this.start.text.text)
    this.#span.setAttribute('error.type', errorClass)
    this.#span.end('error')
  }

  /** Adds what is known by now to a list; the error is not masked yet. `text` is the place of its text in another list. */
  packInto(list: PackedStatement[number][], text: number, callSites: CallSites): void {
    const { system, library, namespace, key, site, depth } = this.start
    list.push(
      system,
      library,
      namespace ?? null,
      text,
      key,
      this.#startMs,
      this.#durationMs,
      this.#rows,
      this.#error,
      site === null ? null : callSites.find(site, depth),
    )
  }

  #over(): void {
    this.#isOver = true
    this.#durationMs = this.#recording.stopwatch.elapsedMs() - this.#startMs
  }
}

/** `SELECT`, `GET`, `products.find`. */
function operationOf(shape: string): string {
  const operation = /^[\w.]+/.exec(shape)?.[0] ?? 'statement'
  return operation.slice(0, 60)
}
