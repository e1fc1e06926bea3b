// The queries that one request sent to databases and caches: what sources report, and what its record says of them.

import type { BodyRule } from '../../http/recording/body-rule.ts'
import type { RecordedQueries, RecordedQuery } from '../request-record.ts'
import { describeFailure } from '../../http/kernel/describe-failure.ts'
import type { Recording, WorkDetail, WorkFacts, WorkSource, KeptName } from '../../http/recording/recording.ts'
import type { Redactor } from '../../base/redact/redactor.ts'
import { performance } from '../../base/timing/builtins.ts'
import type { RunningSpan } from '../../base/timing/stopwatch.ts'
import { markSiteIn, type CallSites, type SentFrom } from '../call-site.ts'
import { controlsSession, databaseData, groupKey, type DatabaseData } from './database-data.ts'
import type { OutgoingFollower, OutgoingStart } from './http-client-data.ts'
import type { DatabaseWays, QueryPlans } from './query-plans.ts'
import type { QueryText } from './query-text.ts'
import type { SharedUse, TimedUse } from './shared-values.ts'
import { currentExchange } from '../../http/kernel/current-exchange.ts'
import type { ActivityStart } from '../activities/activity.ts'

/** Name of collector and panel, and the key on the recording. */
export const databaseName: KeptName<Queries> = 'database'

/** Queries kept per request. */
export const maxQueries = 500
/** Beyond them, the first query of so many further kinds is kept, too. */
const maxFurtherKinds = 100

/** A query as its source reports it when it starts. */
export interface QueryStart
  extends Pick<RecordedQuery, 'system' | 'library' | 'key'>, Pick<ActivityStart<unknown>, 'site' | 'agoMs'> {
  /** Text without values. */
  readonly text: QueryText
  /** Name of the database. Default `null`: unknown. */
  readonly namespace?: string | null
  /** Whether its end is never reported. Default `false`. */
  readonly isMoment?: boolean
  /** What runs it one query after the other. Default: unknown, or one of several. */
  readonly connection?: (() => object | undefined) | undefined
  /** What it reads or writes that other requests may write meanwhile. Default: nothing that is known. */
  readonly use?: (() => SharedUse | undefined) | undefined
  /** The database, to be asked for its plan and for rows. Default: there is no way. */
  readonly ways?: DatabaseWays | undefined
}

/** A running query. Only the first end counts. */
export interface RunningQuery {
  /** It succeeded; `rows` were read or changed. */
  end(rows?: number | null): void
  fail(thrown: unknown): void
}

/** Counts for the toolbar. */
export interface QueryTally {
  /** All that were sent, dropped ones included. */
  readonly sent: number
  /** How often the most frequent query ran, if three times or more; else 0. */
  readonly alike: number
  readonly failed: number
}

/** Needed to resolve and mask what was captured. */
export interface CaptureTools {
  readonly redactor: Redactor
  readonly callSites: CallSites
  readonly plans: Pick<QueryPlans, 'remember'>
  readonly transactions: OpenTransactions
  /** Which bodies of outgoing requests are kept where no route says so. Default: none. */
  readonly outgoingBodies?: BodyRule
  /** The GraphQL field whose resolver runs. Default: none. */
  readonly field?: () => string | undefined
  /** Follows an outgoing request beside its record. Default: nobody does. */
  readonly followOutgoing?: (start: OutgoingStart) => OutgoingFollower | undefined
}

const fewestAlike = 3

const undoes = /^(?:ROLLBACK|SAVEPOINT|WATCH|MULTI)\b/i

export class Queries implements WorkSource {
  readonly #recording: Recording
  readonly #tools: CaptureTools
  readonly #queries: Query[] = []
  #dropped = 0
  /** By the group of kept queries; made with the first query beyond the limit. */
  #droppedLike: Map<string, number> | undefined

  constructor(recording: Recording, tools: CaptureTools) {
    this.#recording = recording
    this.#tools = tools
    recording.workSources.push(this)
  }

  workFacts(): WorkFacts {
    const { queries, groups, findings } = this.toData()
    return {
      details: queries.map(({ callSite, rows, error }, index) => ({
        spanId: this.#queries[index]?.spanId ?? 0,
        callSite,
        error,
        begun: this.#queries[index]?.begun,
        result: rows === null ? null : rows === 1 ? '1 row' : `${rows} rows`,
      })),
      repeats: findings.map(({ kind, group, count, totalMs, callSite }) => ({
        kind,
        text: groups[group]?.text ?? '',
        count,
        totalMs,
        callSite,
      })),
    }
  }

  /** Whether one ran in a transaction that another request had left open. */
  get areInOther(): boolean {
    return this.#queries.some(({ begun }) => begun)
  }

  /** What it read and wrote that requests share. Nothing where a write may have been undone, or waits for others to end. */
  uses(): readonly TimedUse[] {
    const count = (kind: RegExp): number => this.#queries.filter(({ shape }) => kind.test(shape)).length
    if (count(/^(?:UPDATE|SET)\b/i) === 0 || this.#queries.some(({ hasFailed }) => hasFailed)) return []
    const isOpen = count(/^(?:BEGIN|START)\b/i) !== count(/^(?:COMMIT|END)\b/i)
    return isOpen || count(undoes) > 0 ? [] : this.#queries.flatMap((query) => query.use() ?? [])
  }

  /** Adds a query that starts now; beyond the limit it is only counted, unless it is the first of its kind. */
  begin(start: () => QueryStart): RunningQuery | undefined {
    const started = start()
    if (this.#queries.length >= maxQueries && this.#isDropped(started)) return undefined
    const query = new Query(this.#recording, started, this.#tools)
    this.#queries.push(query)
    return query
  }

  tally(): QueryTally {
    const counts = new Map(this.#droppedLike)
    for (const { group, shape } of this.#queries) {
      if (controlsSession(shape)) counts.delete(group)
      else counts.set(group, (counts.get(group) ?? 0) + 1)
    }
    const alike = Math.max(0, ...counts.values())
    return {
      sent: this.#queries.length + this.#dropped,
      alike: alike < fewestAlike ? 0 : alike,
      failed: this.#queries.filter(({ hasFailed }) => hasFailed).length,
    }
  }

  toRecord(): RecordedQueries {
    const { callSites } = this.#tools
    const sites = callSites.tell(this.#queries.map((query) => query.path(callSites)))
    return {
      queries: this.#queries.map((query, index) => query.toRecord(sites[index])),
      dropped: this.#dropped,
      droppedLike: Object.fromEntries(this.#droppedLike ?? []),
      durationMs: this.#recording.durationMs,
    }
  }

  #isDropped(start: QueryStart): boolean {
    this.#droppedLike ??= new Map(this.#queries.map(({ group }) => [group, 0]))
    const { system, library, namespace = null, text } = start
    const group = groupKey({ system, library, namespace, shape: text.shape })
    const count = this.#droppedLike.get(group)
    const isKept = count === undefined && this.#queries.length < maxQueries + maxFurtherKinds
    if (isKept) this.#droppedLike.set(group, 0)
    else {
      this.#dropped += 1
      if (count !== undefined) this.#droppedLike.set(group, count + 1)
    }
    return !isKept
  }

  /** Masked data, as the profile will hold it. */
  toData(): DatabaseData {
    return databaseData(this.toRecord(), this.#tools.redactor)
  }
}

class Query implements RunningQuery {
  readonly #start: QueryStart
  readonly #site: Error | null
  readonly #recording: Recording
  readonly #span: RunningSpan
  readonly #tools: CaptureTools
  #begun: BegunTransaction | undefined
  #around: BegunTransaction | undefined
  readonly #facts: { -readonly [Name in keyof RecordedQuery]: RecordedQuery[Name] }
  /** On the clock of the process, in milliseconds. */
  readonly #beganMs: number
  #endedMs: number | undefined
  #isOver = false

  constructor(recording: Recording, start: QueryStart, tools: CaptureTools) {
    const { system, library, namespace = null, text, key, site, agoMs = 0, isMoment = false } = start
    this.#site = typeof site === 'number' ? markSiteIn(recording, site) : site
    this.#start = start
    this.#tools = tools
    const field = tools.field?.()
    this.#recording = recording
    const startMs = Math.max(0, recording.stopwatch.elapsedMs() - agoMs)
    this.#beganMs = performance.now() - agoMs
    const { text: shown, shape } = text
    const unknown = { durationMs: null, rows: null, error: null, callSite: null, loop: null }
    this.#facts = {
      system,
      library,
      namespace,
      text: shown,
      shape,
      key,
      startMs,
      ...unknown,
      ...(field === undefined ? {} : { field }),
    }
    this.#span = recording.startSpan({ ...spanOf(start), startMs })
    if (isMoment) {
      this.#isOver = true
      this.#span.end()
    }
  }

  get group(): string {
    return groupKey(this.#facts)
  }

  get shape(): string {
    return this.#facts.shape
  }

  get hasFailed(): boolean {
    return this.#facts.error !== null
  }

  end(rows: number | null = null): void {
    if (this.#isOver) return
    this.#facts.rows = rows
    if (!controlsSession(this.shape))
      this.#around = this.#tools.transactions.around(this.#start.connection?.(), this.#recording)
    this.#noteControl()
    this.#finish('ok')
  }

  #noteControl(): void {
    this.#tools.transactions.note(this.#start.connection?.(), this.shape, this.#recording, this.#site)
  }

  fail(thrown: unknown): void {
    if (this.#isOver) return
    const { errorClass, message } = describeFailure(thrown)
    this.#begun = this.#tools.transactions.behind(message, this.#start.connection?.(), this.#recording)
    // It may have ended the transaction all the same.
    if (/^(?:COMMIT|END)\b/i.test(this.shape)) this.#noteControl()
    this.#facts.error = withoutValues(`${errorClass}: ${message}`, this.#facts.text)
    this.#span.setAttribute('error.type', errorClass)
    this.#finish('error')
  }

  /** Where another request began the transaction that this one failed in, and which request that was. */
  get begun(): WorkDetail['begun'] {
    const { callSites, redactor } = this.#tools
    const isLeftOpen = this.#around?.isOver === false && this.#around.recording.isFinished
    const { site = null, request = '', recording } = this.#begun ?? (isLeftOpen ? this.#around : undefined) ?? {}
    return site && { callSite: callSites.find(site), request: redactor.text(request), token: recording?.token ?? null }
  }

  /** `undefined` if it found or changed nothing. */
  use(): TimedUse | undefined {
    const endedMs = this.#endedMs
    const use = endedMs === undefined || this.#facts.rows === 0 ? undefined : this.#start.use?.()
    if (use === undefined || endedMs === undefined) return undefined
    return { ...use, site: this.#site, beganMs: this.#beganMs, endedMs }
  }

  path(callSites: CallSites): readonly string[] {
    return this.#site === null ? [] : callSites.path(this.#site)
  }

  toRecord({ callSite = null, loop = null }: Partial<SentFrom> = {}): RecordedQuery {
    const { ways } = this.#start
    if (ways !== undefined) this.#tools.plans.remember(this.#facts, ways)
    return { ...this.#facts, callSite, loop }
  }

  get spanId(): number {
    return this.#span.id
  }

  #finish(status: 'ok' | 'error'): void {
    this.#isOver = true
    this.#endedMs = performance.now()
    this.#facts.durationMs = this.#recording.stopwatch.elapsedMs() - this.#facts.startMs
    this.#span.end(status, this.#facts.durationMs)
  }
}

function spanOf({ system, namespace, text }: QueryStart): Parameters<Recording['startSpan']>[0] {
  // `SELECT`, `GET`, `products.find`.
  const operation = (/^[\w.]+/.exec(text.shape)?.[0] ?? 'query').slice(0, 60)
  return {
    name: `${operation} ${namespace ?? system}`,
    kind: 'client',
    category: 'store',
    attributes: {
      'db.system.name': system,
      'db.operation.name': operation,
      'db.query.text': text.text,
      ...(typeof namespace === 'string' ? { 'db.namespace': namespace } : {}),
    },
  }
}

/**
 * An error message of a server without the values that it quotes: `Duplicate entry ? for key 'PRIMARY'`. Quotes that are part
 * of `text`, which holds no values, stay; so do names of tables and constraints.
 */
export function withoutValues(message: string, text: string): string {
  return message.replace(quotedValue, (part: string, words: string, quoted: string) =>
    text.includes(quoted.slice(1, -1)) ? part : `${words}?`,
  )
}

/** A quote after a word that announces a value. If the message was cut, the closing quote is missing. */
const quotedValue =
  /((?:\b(?:entry|value|values|near|input)|:) )("(?:[^"]|"")*(?:"|$)|'(?:[^'\\]|\\[^]|''|'(?=\w))*(?:'(?!\w)|$))/g

// Transactions that were begun on a connection and not ended, so that a later request can be told who left one open.

/** A transaction, by the query that began it. */
export interface BegunTransaction {
  readonly recording: Recording
  readonly site: Error | null
  /** `GET /transfer`; empty outside a request. */
  readonly request: string
  /** Whether the request that began it has ended it. */
  isOver: boolean
}

const control = /(?:^|;)\s*(BEGIN|START\s+TRANSACTION|COMMIT|END|ABORT|PREPARE\s+TRANSACTION|ROLLBACK(?!\s+TO\b))\b/gi

export class OpenTransactions {
  readonly #begun = new WeakMap<object, BegunTransaction>()

  /** Notes what a query that succeeded began or ended. */
  note(connection: object | undefined, text: string, recording: Recording, site: Error | null): void {
    const last = [...text.matchAll(control)].at(-1)?.[1]
    if (last === undefined || connection === undefined) return
    const before = this.#begun.get(connection)
    if (before?.recording === recording) before.isOver = true
    const { method = '', path = '' } = currentExchange()?.request ?? {}
    if (/^[BS]/i.test(last))
      this.#begun.set(connection, { recording, site, request: `${method} ${path}`.trim(), isOver: false })
    else this.#begun.delete(connection)
  }

  /** The transaction of another request that a query failed in, or because of, as its message says. */
  behind(message: string, connection: object | undefined, recording: Recording): BegunTransaction | undefined {
    return /transaction/i.test(message) ? this.around(connection, recording) : undefined
  }

  /** The transaction of another request that a query runs in. */
  around(connection: object | undefined, recording: Recording): BegunTransaction | undefined {
    const begun = connection && this.#begun.get(connection)
    return begun?.recording === recording ? undefined : begun
  }
}
