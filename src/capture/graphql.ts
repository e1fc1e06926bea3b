// GraphQL operations of a request, as `graphql` publishes them from version 17, and as load hooks publish them of what publishes nothing:
// what was asked, what that is called, how long its steps and its resolvers ran, and what failed.

import { AsyncLocalStorage } from 'node:async_hooks'
import { channel } from 'node:diagnostics_channel'
import { currentExchange } from '../http/kernel/current-exchange.ts'
import { describeFailure } from '../http/kernel/describe-failure.ts'
import type { Exchange } from '../http/kernel/exchange.ts'
import type { Recording } from '../http/recording/recording.ts'
import type { RunningSpan } from '../base/timing/stopwatch.ts'
import { isOwn, openRecording, type CaptureOwner } from '../observe/owner.ts'
import { graphqlName, type KeptGraphql } from '../observe/recorded-route.ts'
import type { RecordedGraphql, RecordedOperation, ResolverTimes } from '../observe/request-record.ts'
import { Channels, isMessage, type ChannelListener, type Message } from '../observe/tracing-source.ts'

export const maxOperations = 50
/** Fields with resolvers that are told apart per request. */
export const maxFields = 200
/** Characters of a document, and errors of an operation, that are kept. */
const maxDocument = 8192
const maxErrors = 20
const variableLimits = { maxTotalLength: 8192, maxDepth: 8 } as const

type Step = 'parseMs' | 'validateMs' | 'executeMs'

/** What keeps the error of a resolver on the running request. */
type KeepThrown = (exchange: Exchange, thrown: unknown) => void

export class GraphqlSource {
  readonly #channels: Channels
  readonly #begun = new WeakMap<object, number>()
  /** What was published of the operation and of the resolver that the running code belongs to. */
  readonly #executing = new AsyncLocalStorage<unknown>()
  readonly #resolving = new AsyncLocalStorage<unknown>()

  constructor(owner: CaptureOwner, keepThrown: KeepThrown) {
    const workOf = (): GraphqlWork | undefined => {
      const exchange = currentExchange()
      const recording = openRecording(exchange)
      if (exchange === undefined || recording === undefined || !isOwn(owner)) return undefined
      return recording.keptOr(graphqlName, () => new GraphqlWork(recording, (thrown) => keepThrown(exchange, thrown)))
    }
    const listeners: Record<string, ChannelListener> = {}
    const on = (channel: string, listen: (work: GraphqlWork, message: Message, sinceMs: number) => void): void => {
      listeners[`tracing:${channel}:start`] = (message) => {
        const work = workOf()
        if (work === undefined || !isMessage(message)) return
        this.#begun.set(message, work.nowMs)
        work.begin(channel, message)
      }
      const end: ChannelListener = (message) => {
        const work = workOf()
        if (work === undefined || !isMessage(message) || !('result' in message || 'error' in message)) return
        const startMs = this.#begun.get(message)
        // What was heard of once has ended.
        this.#begun.delete(message)
        if (startMs !== undefined) listen(work, message, work.nowMs - startMs)
      }
      // Work that waits has no result at the first of them.
      listeners[`tracing:${channel}:end`] = end
      listeners[`tracing:${channel}:asyncEnd`] = end
    }
    on('graphql:parse', (work, message, ms) => work.parsed(message, ms))
    on('graphql:validate', (work, message, ms) => work.ended(message['document'], 'validateMs', ms, message))
    on('graphql:execute', (work, message, ms) => work.ended(message['document'], 'executeMs', ms, message))
    on('graphql:subscribe', (work, message, ms) => work.ended(message['document'], 'executeMs', ms, message))
    on('graphql:resolve', (work, message, ms) => work.resolved(message, ms, this.#executing.getStore()))
    this.#channels = new Channels(graphqlName, listeners)
  }

  start(): void {
    this.#channels.start()
    for (const name of executing) channel(name).bindStore(this.#executing)
    channel(resolving).bindStore(this.#resolving)
  }

  stop(): void {
    this.#channels.stop()
    for (const name of executing) channel(name).unbindStore(this.#executing)
    channel(resolving).unbindStore(this.#resolving)
  }

  /** The field whose resolver runs: `Order.customer`. */
  get field(): string | undefined {
    const message = this.#resolving.getStore()
    return isMessage(message) ? fieldOf(message) : undefined
  }
}

const executing = ['tracing:graphql:execute:start', 'tracing:graphql:subscribe:start']
const resolving = 'tracing:graphql:resolve:start'

function fieldOf({ parentType, fieldName }: Message): string {
  return `${String(parentType)}.${String(fieldName)}`.slice(0, 200)
}

type Operation = { -readonly [Name in keyof RecordedOperation]: RecordedOperation[Name] } & { errors: string[] }

export class GraphqlWork implements KeptGraphql {
  readonly #recording: Recording
  readonly #keepThrown: (thrown: unknown) => void
  readonly #operations: Operation[] = []
  readonly #titles = new Map<Operation, string>()
  /** Operations by the document that was parsed, validated and executed. */
  readonly #known = new WeakMap<object, Operation>()
  readonly #unkept = new WeakSet<object>()
  /** Operations by what is published while they are executed. */
  readonly #executed = new WeakMap<object, Operation>()
  readonly #spans = new WeakMap<Operation, RunningSpan>()
  readonly #parseMs = new WeakMap<object, number>()
  readonly #fields = new Map<string, { -readonly [Name in keyof ResolverTimes]: ResolverTimes[Name] }>()
  #dropped = 0
  #droppedCalls = 0

  /** `keepThrown` keeps the error of a resolver for the profile, if it is the first one. */
  constructor(recording: Recording, keepThrown: (thrown: unknown) => void) {
    this.#recording = recording
    this.#keepThrown = keepThrown
  }

  get title(): string | undefined {
    return this.#titles.size === 0 ? undefined : listed([...new Set(this.#titles.values())])
  }

  get nowMs(): number {
    return this.#recording.stopwatch.elapsedMs()
  }

  toRecord(): RecordedGraphql | undefined {
    if (this.#operations.length === 0 && this.#fields.size === 0) return undefined
    return {
      operations: this.#operations,
      dropped: this.#dropped,
      resolvers: [...this.#fields.values()],
      droppedCalls: this.#droppedCalls,
    }
  }

  begin(channel: string, message: Message): void {
    if (channel !== 'graphql:execute' && channel !== 'graphql:subscribe') return
    const known = this.#operationOf(message['document'])
    // A document that is kept by the server is executed again and again.
    const operation = known === undefined || known.executeMs === null ? known : this.#add(message['document'])
    if (operation === undefined) return
    this.#executed.set(message, operation)
    const { document, operationName, rawVariableValues: variables } = message
    const title = this.#name(operation, document, operationName)
    if (typeof variables === 'object' && variables !== null) {
      operation.variables = this.#recording.redactor.dumped({ variables }, 'variables', variableLimits)
    }
    this.#spans.set(operation, this.#recording.startSpan({ name: title, category: 'app' }))
  }

  #name(operation: Operation, document: unknown, asked?: unknown): string {
    const named = operationIn(document, asked)
    if (named === undefined) return 'operation'
    const { kind, name, title } = named
    Object.assign(operation, { kind, name })
    this.#titles.set(operation, title)
    return title
  }

  parsed({ source, result, error }: Message, ms: number): void {
    if (typeof result === 'object' && result !== null) this.#parseMs.set(result, ms)
    else this.#note(this.#add(textOf(source)), 'parseMs', ms, { error })
  }

  ended(document: unknown, step: Step, ms: number, message: Message): void {
    const operation = this.#operationOf(document)
    if (operation === undefined) return
    this.#note(operation, step, ms, message)
    if (step !== 'executeMs') return
    const thrown = resolverError(message)
    if (thrown !== undefined) this.#keepThrown(thrown.originalError ?? thrown)
    this.#spans.get(operation)?.end(operation.errorCount === 0 ? 'ok' : 'error')
  }

  /** `execution` is what was published of the operation that asks for the field. */
  resolved(message: Message, ms: number, execution: unknown): void {
    const { isDefaultResolver, error, alias, fieldPath } = message
    // A property that is read tells nothing; at the root it is mostly a method that is called.
    if (isDefaultResolver === true && error === undefined && alias !== fieldPath) return
    const name = fieldOf(message)
    const asked = this.#executed.get(Object(execution))
    const operation = asked === undefined ? null : this.#operations.indexOf(asked)
    const key = `${operation} ${name}`
    const known = this.#fields.get(key) ?? { name, operation, count: 0, totalMs: 0, slowestMs: 0, failed: 0 }
    if (!this.#fields.has(key) && this.#fields.size >= maxFields) {
      this.#droppedCalls += 1
      return
    }
    this.#fields.set(key, known)
    known.count += 1
    known.totalMs += ms
    known.slowestMs = Math.max(known.slowestMs, ms)
    if (error !== undefined) known.failed += 1
  }

  #note(operation: Operation | undefined, step: Step, ms: number, { result, error }: Message): void {
    if (operation === undefined) return
    operation[step] = ms
    const returned: unknown = Array.isArray(result) ? result : Reflect.get(Object(result), 'errors')
    for (const one of [...(error === undefined ? [] : [error]), ...(Array.isArray(returned) ? returned : [])]) {
      operation.errorCount += 1
      if (operation.errors.length >= maxErrors) continue
      const { message } = describeFailure(one)
      operation.errors.push(this.#recording.redactor.text(message, 500))
    }
  }

  #operationOf(document: unknown): Operation | undefined {
    if (typeof document !== 'object' || document === null || this.#unkept.has(document)) return undefined
    return this.#known.get(document) ?? this.#add(document)
  }

  /** `document` is parsed, or the text that could not be. */
  #add(document: unknown): Operation | undefined {
    const isParsed = typeof document === 'object' && document !== null
    if (this.#operations.length >= maxOperations) {
      this.#dropped += 1
      if (isParsed) this.#unkept.add(document)
      return undefined
    }
    const text = isParsed ? textOf(Reflect.get(Object(Reflect.get(document, 'loc')), 'source')) : document
    const operation: Operation = {
      kind: null,
      name: null,
      document: typeof text === 'string' ? text.slice(0, maxDocument) : null,
      isCut: typeof text === 'string' && text.length > maxDocument,
      variables: null,
      startMs: this.nowMs,
      parseMs: isParsed ? (this.#parseMs.get(document) ?? null) : null,
      validateMs: null,
      executeMs: null,
      errors: [],
      errorCount: 0,
    }
    this.#operations.push(operation)
    if (isParsed) {
      this.#known.set(document, operation)
      this.#name(operation, document)
    }
    return operation
  }
}

/** The first error of a field; `undefined` if there is none. What the client did wrong belongs to no field. */
function resolverError({ result }: Message): { readonly originalError?: unknown } | undefined {
  const errors: unknown = Reflect.get(Object(result), 'errors')
  return (Array.isArray(errors) ? errors : []).find((error: unknown) =>
    Array.isArray(Reflect.get(Object(error), 'path')),
  )
}

/** Text, or the object that `graphql` holds it in. */
function textOf(source: unknown): string | null {
  const text: unknown = typeof source === 'string' ? source : Reflect.get(Object(source), 'body')
  return typeof text === 'string' ? text : null
}

/** Names that are listed, and characters of one of them. */
const maxNamed = 3
const maxName = 60
/** How deep fragments in fragments are followed. */
const maxDepth = 5

/** What is read of a document that was parsed. */
interface Definition {
  readonly kind: string
  readonly operation?: string
  readonly name?: { readonly value: string }
  readonly selectionSet?: { readonly selections: readonly Definition[] }
}

interface NamedOperation {
  readonly kind: string
  readonly name: string | null
  /** `query Products`; of one without a name: `query product, customer`. */
  readonly title: string
}

/** The operation of this name, or the only one of the document. `undefined` if it is not known which one is meant. */
export function operationIn(document: unknown, asked: unknown): NamedOperation | undefined {
  const { definitions = [] } = document as { readonly definitions?: readonly Definition[] }
  const all = definitions.filter(({ kind }) => kind === 'OperationDefinition')
  const meant = all.length === 1 ? all[0] : all.find(({ name }) => name?.value === asked && asked !== undefined)
  if (meant === undefined) return undefined
  const { operation: kind = 'query', name } = meant
  const title = `${kind} ${name?.value.slice(0, maxName) ?? listed(rootFields(meant, definitions))}`
  return { kind, name: name?.value ?? null, title }
}

/** Names of the fields, those in fragments too. */
function rootFields({ selectionSet }: Definition, all: readonly Definition[], depth = 0): readonly string[] {
  if (depth > maxDepth) return []
  const names = (selectionSet?.selections ?? []).flatMap((selection): readonly string[] => {
    const { kind, name } = selection
    if (kind === 'Field') return [name?.value.slice(0, maxName) ?? '']
    const spread = all.find((one) => one.kind === 'FragmentDefinition' && one.name?.value === name?.value)
    return rootFields(kind === 'InlineFragment' ? selection : (spread ?? selection), all, depth + 1)
  })
  return [...new Set(names)]
}

/** The first names; of more than that, their number. */
export function listed(names: readonly string[]): string {
  const more = names.length - maxNamed
  return more > 0 ? `${names.slice(0, maxNamed).join(', ')} and ${more} more` : names.join(', ')
}
