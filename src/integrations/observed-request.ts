// One request that a framework serves, as its integration tells of it.

import type { Exchange } from '../http/kernel/exchange.ts'
import type { KeptName as KeptData } from '../http/recording/recording.ts'
import { decodePath } from '../routing/url-encoding.ts'
import { describeValue } from '../base/redact/walk-value.ts'
import { describeFailure } from '../http/kernel/describe-failure.ts'
import { observeSessionStore } from '../libraries/sources/session-stores.ts'
import { ClientState, isObject } from '../observe/client/client-state.ts'
import { type FrameworkRoutes, recordedName } from './framework-routes.ts'
import type { KeptName, MatchedByFramework, ObservedRequest, Registered, Step, StepKind } from './integration.ts'
import type { Notes } from './notes.ts'

interface RecordedRequestOptions {
  readonly raw: object
  /** Called with errors after the head of the response was sent: there is nothing left to decide. */
  readonly late: (exchange: Exchange, thrown: unknown) => void
  readonly notes: Notes
  readonly routes: FrameworkRoutes
}

export const observedName: KeptData<RecordedRequest> = 'observed'

const stepCategories: Readonly<Record<StepKind, string>> = {
  middleware: 'middleware',
  hook: 'hook',
  side: 'hook',
  handler: 'controller',
}

export class RecordedRequest implements ObservedRequest {
  readonly exchange: Exchange
  /** What the framework responds to by itself. */
  defaultTo: 'error' | 'miss' | undefined
  /** What the framework said of the error's status. */
  failedStatus: number | undefined
  /** Whether its error is to be printed as soon as it is read. */
  isToPrint = false
  /** Whether the head of the response has left. */
  hasHead = false
  readonly #options: RecordedRequestOptions
  readonly #steps: Step[] = []
  /** Errors after the first one. */
  readonly #others = new Set<unknown>()
  /** What the application responded to with a success. */
  readonly #handled = new Set<unknown>()
  #hasFailedPart = false
  #readKept: ((name: KeptName) => unknown) | undefined
  #hasResponse: (() => boolean) | undefined
  #hasSession = false
  #hasReachedHandler = false
  #matched: Registered | undefined
  /** The step that began last, of those that may respond. */
  #last: { readonly name: string; readonly registered: Registered | undefined } | undefined
  /** The first of them that failed. */
  #refused: { readonly name: string; readonly registered: Registered | undefined } | undefined
  #isOptions = false

  constructor(exchange: Exchange, options: RecordedRequestOptions) {
    this.exchange = exchange
    this.#options = options
  }

  respondsIf(hasResponse: () => boolean): void {
    this.#hasResponse = hasResponse
  }

  keepsIn(read: (name: KeptName) => unknown): void {
    this.#readKept = read
  }

  matched(route: MatchedByFramework): void {
    this.#options.notes.guard('A matched route', () => {
      const { exchange } = this
      // Hooks do not know when the route was registered, which its handler has told before.
      const known = this.#matched?.path === route.path ? this.#matched.registration : undefined
      const registration = route.registration ?? known
      this.#matched = { path: route.path, registration }
      const path = pathFor(exchange.request.path, route)
      const { name, handler = this.#options.routes.nameOf({ path: path ?? route.path, registration }) } = route
      exchange.route = undefined
      if (path !== undefined) this.#setRoute({ path, registration }, recordedName({ name, path }))
      exchange.request.params = textsOf(route.params)
      exchange.handlerName = handler
    })
  }

  startStep(given: string, kind: StepKind, registered?: Registered): Step {
    const { recording } = this.exchange
    if (recording === undefined) return noStep
    if (!this.#hasSession) this.#meetSession()
    if (kind === 'handler') this.#hasReachedHandler = true
    const name = given || (registered && this.#options.routes.nameOf(registered)) || 'anonymous'
    const span = recording.startSpan({ name, category: stepCategories[kind] })
    this.#steps.push(span)
    const own = { name, registered }
    if (!this.hasHead && kind !== 'side') this.#last = own
    return {
      end: (status = 'ok') => {
        span.end(status === 'passed' ? 'ok' : status)
        if (status === 'error' && kind !== 'side') this.#refused ??= own
        const responded = this.#hasResponse?.()
        const hasPassed = status === 'passed' || responded === false || (responded && status === 'error')
        if (hasPassed && this.#last === own) this.#last = undefined
        else if (!hasPassed && responded && kind !== 'side') this.#last ??= own
      },
      ranAgain: (durationMs) => {
        const startMs = recording.stopwatch.elapsedMs() - durationMs
        recording.startSpan({ name, category: stepCategories[kind], startMs }).end()
      },
    }
  }

  /** Names what responds if no handler was reached: what refuses or serves files. `pathOf` gives the path of the route for any method. */
  nameResponder(pathOf: () => string | undefined): void {
    const { exchange } = this
    if (this.#isOptions) exchange.handlerName = `OPTIONS of ${pathOf() ?? exchange.request.path}`
    if (this.#isOptions || this.#hasReachedHandler || this.defaultTo === 'miss') return
    const responder = this.defaultTo === 'error' ? this.#refused : this.#last
    if (responder === undefined) return
    exchange.handlerName = responder.name
    const { registered } = responder
    if (exchange.route !== undefined || registered === undefined) return
    const fitting = registered.path.split(', ').filter((each) => mayFit(each, exchange.request.path, true))
    const path = fitting.join(', ')
    if (/^\/./.test(path)) this.#setRoute({ ...registered, path })
  }

  #setRoute(registered: Registered, name: string = registered.path): void {
    const definedAt = this.#options.routes.placeOf(registered)
    this.exchange.route = { name, path: registered.path, definedAt }
  }

  /** Ends the steps that are open, and reads what the application has kept: the request has ended. */
  end(): void {
    for (const step of this.#steps) step.end()
    this.#options.notes.guard('The session and the user of a request', () => {
      const { recording } = this.exchange
      if (recording === undefined) return
      const [session, user] = [this.#kept('session'), this.#kept('user')]
      if (this.#hasSession || isObject(session)) ClientState.of(recording).setSession(session, true)
      if (isObject(user)) ClientState.of(recording).user = user
    })
  }

  #kept(name: KeptName): unknown {
    return this.#readKept === undefined ? Reflect.get(this.#options.raw, name) : this.#readKept(name)
  }

  /** Sees a session before the next step works with it. */
  #meetSession(): void {
    this.#options.notes.guard('The session of a request', () => {
      const session = this.#kept('session')
      const { recording } = this.exchange
      if (recording === undefined || !isObject(session)) return
      this.#hasSession = true
      ClientState.of(recording).setSession(session)
      const store: unknown = Reflect.get(this.#options.raw, 'sessionStore')
      if (isObject(store)) observeSessionStore(store)
    })
  }

  failed(thrown: unknown, status?: number, isOfPart = false): void {
    this.#options.notes.guard('An error of a request', () => {
      const { exchange } = this
      if (this.#handled.has(thrown)) return
      if (isOfPart) this.#hasFailedPart = true
      if (exchange.failure !== undefined) {
        if (exchange.failure.thrown !== thrown) this.#noteSecond(thrown)
        return
      }
      exchange.failure = { thrown }
      this.failedStatus = status
      if (this.hasHead) this.#options.late(exchange, thrown)
    })
  }

  failedToRespond(thrown: unknown): void {
    const { exchange } = this
    const first = exchange.failure?.thrown
    if (this.hasHead || first === undefined || first === thrown) return
    this.#note('The response to another error failed', first)
    exchange.failure = { thrown }
    this.#others.add(first)
  }

  /** The head leaves: what the application has made a success of is no error. */
  responds(status: number): void {
    const { exchange } = this
    const { failure, recording } = exchange
    if (failure === undefined || status >= 400 || this.#hasFailedPart || this.defaultTo !== undefined) return
    exchange.failure = undefined
    this.#handled.add(failure.thrown)
    const { thrown } = failure
    const { errorClass, message } = describeFailure(thrown)
    const described = thrown instanceof Error ? `${errorClass}: ${message}` : describeValue(thrown)
    const text = `Thrown or passed on as an error, and handled: ${described}`
    recording?.note('exception', recording.redactor.text(text, 500))
  }

  respondsByDefault(to: 'error' | 'miss'): void {
    this.defaultTo = to
  }

  respondsItself(): void {
    this.defaultTo = undefined
  }

  respondsToOptions(): void {
    this.#isOptions = true
  }

  #noteSecond(thrown: unknown): void {
    if (this.#others.has(thrown)) return
    this.#others.add(thrown)
    this.#note('Then another error', thrown)
  }

  #note(what: string, thrown: unknown): void {
    const { recording } = this.exchange
    const { errorClass, message } = describeFailure(thrown)
    recording?.note('exception', recording.redactor.text(`${what}: ${errorClass}: ${message}`, 500))
  }
}

const noStep: Step = { end: () => undefined }

/**
 * The path of a route, of several those that fit: code that rewrites the address leads a request to routes that its path does not have. What
 * was cut off before the path that the route was found by is a prefix, too. `undefined` if nothing fits.
 */
function pathFor(sent: string, { path, own = path, foundBy = '' }: MatchedByFramework): string | undefined {
  const fitting = (all: string, prefix = ''): string => {
    const written = all.split(', ').map((each) => prefix + each)
    return written.filter((each) => mayFit(each, sent)).join(', ')
  }
  const [found = ''] = foundBy.split('?', 1)
  const isEnd = found !== '' && sent.endsWith(found)
  return fitting(path) || (isEnd && fitting(own, sent.slice(0, -found.length))) || undefined
}

/** Whether a path as a framework writes it, or a prefix, can fit: what is more than a name of a parameter may be anything. */
function mayFit(written: string, sent: string, isPrefix = false): boolean {
  const [parts, given] = [partsOf(written), partsOf(sent)]
  for (const [index, part] of parts.entries()) {
    if (/[*+?(){}[\]|^$\\]/.test(part)) return true
    const segment = given[index]
    if (segment === undefined) return false
    if (part !== segment && !part.includes(':') && plain(part) !== plain(segment)) return false
  }
  return isPrefix || parts.length === given.length
}

/** Without what some frameworks do not tell apart: slashes, and what follows a `;`. */
function partsOf(path: string): readonly string[] {
  const [before = ''] = path.split(/[;#]/, 1)
  return before.split('/').filter(Boolean)
}

/** Nor case and encoding. */
function plain(part: string): string {
  return (decodePath(part) ?? part).toLowerCase()
}

/** Values as text; the parts of a wildcard are joined. */
function textsOf(params: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> {
  const texts: Record<string, string> = {}
  for (const name of Object.keys(params)) {
    const value = params[name]
    if (value === undefined) continue
    if (Array.isArray(value)) texts[name] = value.map(String).join('/')
    else texts[name] = typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
  }
  return texts
}
