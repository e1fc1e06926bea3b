// The port between a framework and the profiler: what an integration tells of the requests that its framework serves, and what
// it is given to do so.

/** What a framework runs for a request, in its own words. A `side` hook never responds: it runs within what does, or after it. */
export type StepKind = 'middleware' | 'hook' | 'side' | 'handler'

export interface Registered {
  /** As the framework writes it, with the prefixes of the routers around it. */
  readonly path: string
  /** When it was registered, as `registrationOf` gives it. Default: unknown. */
  readonly registration?: Error | undefined
}

export interface Step {
  /** Ends it; only the first call counts. `passed`: what ran has left the response to others. Default: `ok`. */
  end(status?: 'ok' | 'error' | 'passed'): void
  /** It ran again, without a break, for so many milliseconds until now. */
  ranAgain?(durationMs: number): void
}

export interface MatchedByFramework extends Registered {
  /** The path without the prefixes. Default: the path. */
  readonly own?: string | undefined
  /** Path, with or without a query, that it was found by in the end: code may rewrite the address of a request. */
  readonly foundBy?: string | undefined
  /** Default: the path. */
  readonly name?: string | undefined
  /** Values as the framework gives them to the handler. */
  readonly params: Readonly<Record<string, unknown>>
  /** Name of the function or method: `showOrder`, `Orders.show`. Default: its path and place. */
  readonly handler?: string | undefined
}

/** What an application keeps of its client on a request. */
export type KeptName = 'session' | 'user'

/** A request that a framework serves, as its integration sees it. No method throws. */
export interface ObservedRequest {
  /** Gives what tells whether there is a response by now, where a step may respond after those inside it. */
  respondsIf(hasResponse: () => boolean): void
  /** Where the application keeps its session and its user. Default: on the request of Node. */
  keepsIn(read: (name: KeptName) => unknown): void
  /** Names the route; the last call counts. */
  matched(route: MatchedByFramework): void
  /**
   * Begins a step on the timeline. Steps may be nested, and may end in any order. `registered`: names a function without a name, and
   * stands for a route if there is none and the step responds.
   */
  startStep(name: string, kind: StepKind, registered?: Registered): Step
  /**
   * Something was thrown or passed on as an error. The first value counts; the same value twice is one. It is no error if the response is a
   * success, unless it is of a part that the response names as failed, as in GraphQL.
   */
  failed(thrown: unknown, status?: number, isOfPart?: boolean): void
  /** What was to respond to an error failed itself: this error is the one that counts. */
  failedToRespond(thrown: unknown): void
  /** The response that comes next is the framework's default for an error or an unknown path, so our page may take its place. */
  respondsByDefault(to: 'error' | 'miss'): void
  /** The application responds itself, to an error too: its bytes are left alone. */
  respondsItself(): void
  /** The framework responds to OPTIONS by itself, with the methods of the path. */
  respondsToOptions(): void
}

/** A route of a framework, for lists and for the pages of a 404. */
export interface ListedRoute extends Registered {
  /** `GET`; empty for every method. */
  readonly methods: readonly string[]
  readonly name?: string | undefined
  readonly handler?: string | undefined
}

/** What the profiler offers to integrations. */
export interface Observer {
  /**
   * The observed request behind a request of Node; `undefined` if it is not recorded. `application` is one that was given to
   * `addRoutes`: its routes are then the ones that a request may mean. Default: the routes of all applications.
   */
  requestOf(raw: unknown, application?: object): ObservedRequest | undefined
  /** Where the routes of an application can be read. `read` is called when somebody looks at them, and may throw. */
  addRoutes(application: object, read: () => readonly ListedRoute[]): void
  /**
   * Runs the code of an integration and returns its result. What it throws is noted, once for each place, on the status page; the request
   * goes on, and the result is `undefined`. `place`: `express: matched route`.
   */
  guard<Value>(place: string, work: () => Value): Value | undefined
  /** Notes a limit or a doubt for the status page, once for each text: a version that was not tested, a file that changed. */
  note(text: string): void
}

/** A value of a module of a package, which is passed on when the module is loaded. For packages without a diagnostics channel. */
export interface LoadHook {
  /** `koa`, or a module of Node: `node:sqlite`. */
  readonly package: string
  /** File inside the package: `lib/application.js`. Empty for a module of Node. */
  readonly file: string
  /**
   * Expression for the value, in the scope of the module: `module.exports`, `Hono`. It may be read from the source, for names that a
   * minifier has chosen. Not for a module of Node, which is passed on itself.
   */
  readonly value: string | ((source: string) => string)
  /** Major versions of the package that have the file. Default: all. */
  readonly majors?: readonly number[] | undefined
  /** Called with the value when the module is loaded, in a guard. */
  take(value: unknown, observer: Observer): void
}

export interface Integration {
  /** As its makers write it: `Express`. */
  readonly framework: string
  /** npm package whose version is looked up: `express`. */
  readonly package: string
  /** Versions that the tests run with: `4.22.3`, or `5.0.1 to 5.3.0`. */
  readonly tested: readonly string[]
  /** What is missing with major versions before those. Default: not known. */
  readonly missingBefore?: string
  /** Integrations of the frameworks that this one runs on; they are subscribed as well. Default: none. */
  readonly builtOn?: readonly Integration[]
  /**
   * Observes one application; twice is once. Throws a `WrongApplicationError` for anything else: what it is, and what is allowed. Whatever
   * else it throws is noted, and the application goes on without us.
   */
  attach(application: unknown, observer: Observer): void
  /** Subscribes to what the framework publishes for all of its applications. Default: nothing. */
  subscribe?(observer: Observer): void
  /** Called before the first request if no file of the package was seen: a bundler may have made it part of another one. Default: nothing. */
  meet?(observer: Observer): void
  /** Default: none. */
  readonly loadHooks?: readonly LoadHook[]
}
