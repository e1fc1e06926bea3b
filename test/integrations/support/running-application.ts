// One application of the table in its own process: sends it requests, asks its process, reads its profiles.

import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Profile } from '../../../src/observe/profile.ts'
import { compiledCode } from '../../support/compiled-code.ts'
import { request, type RawRequest, type RawResponse } from '../../support/raw-client.ts'
import { until } from '../../support/until.ts'
import type { AttachedWhen, Facts, Question } from '../apps/main.ts'

const apps = join(import.meta.dirname, '../apps')

/** Framework, as the folder of applications names it. */
export type FrameworkName =
  | 'express'
  | 'express4'
  | 'fastify'
  | 'koa'
  | 'hono'
  | 'nest'
  | 'nest-fastify'
  | 'h3'
  | 'node'

/** How an application is started. */
export interface StartOptions {
  readonly framework: FrameworkName
  /** Default: the newest ones. */
  readonly versions?: 'older' | 'oldest' | undefined
  /** Default: nobody calls `fanlight`. */
  readonly attached?: AttachedWhen
  /** Starts it with `--import` of our register. Default: no. */
  readonly isRegistered?: boolean
  /** Modules to preload, from the root of the repository: before ours, and after it. */
  readonly before?: readonly string[]
  readonly after?: readonly string[]
  /** Second argument of `fanlight`. */
  readonly options?: object
  readonly env?: Readonly<Record<string, string>>
}

/** The profile as JSON, with what the tests look at. */
export interface SeenProfile extends Omit<Profile, 'data'> {
  readonly data: {
    readonly request: {
      readonly handler: string
      readonly routeParameters: readonly (readonly [string, unknown])[]
      readonly responseHeaders: readonly (readonly [string, string])[]
      readonly bytes: number
      readonly aborted: boolean
      readonly body?: unknown
    }
    readonly exception?: { readonly errors: readonly { readonly className: string; readonly message: string }[] }
    readonly logger?: {
      readonly records: readonly { readonly level: string; readonly channel: string; readonly message: string }[]
    }
    readonly time: {
      readonly spans: readonly { readonly name: string; readonly category: string; readonly durationMs: number }[]
    }
    readonly router: {
      readonly pattern: string | null
      readonly route: string | null
      readonly parameters: readonly (readonly [string, unknown])[]
    }
    readonly notes?: readonly string[]
    readonly [name: string]: unknown
  }
}

/** An application that listens. */
export interface RunningApplication {
  readonly framework: FrameworkName
  readonly port: number
  readonly url: string
  readonly child: ChildProcess
  /** What the process has written so far. */
  readonly output: string
  /** Sends one request exactly as written. */
  send(request: RawRequest): Promise<RawResponse>
  /** Lets what waits at a gate go on. */
  open(gate: string): Promise<void>
  inject(path: string): Promise<{ readonly status: number; readonly body: string } | null>
  /** Starts another application of the same framework in the process and gives its port. */
  startAnother(attached: AttachedWhen): Promise<number>
  facts(): Promise<Facts>
  /** The profile that a response names; waits until it is stored. */
  profileOf(response: Pick<RawResponse, 'header'>): Promise<SeenProfile>
  /** The newest profiles, as the list shows them. */
  profiles(query?: string): Promise<readonly SeenProfile[]>
  /** A page of the profiler. */
  profiler(path: string, type?: string): Promise<RawResponse>
  /** Waits until the process is over. */
  readonly ended: Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>
  /** Closes the servers, and lets the process end by itself. */
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/** Starts it, in development with a store in memory unless `env` says otherwise. */
export async function startApplication(start: StartOptions): Promise<RunningApplication> {
  const { framework, versions, attached = 'never', isRegistered = false, before = [], after = [], options = {} } = start
  const register = isRegistered ? ['src/register.ts'] : []
  const preloaded = [
    join(apps, 'preload.ts'),
    ...[...before, ...register, ...after].map((file) => join(process.cwd(), file)),
  ]
  const child = fork(join(apps, 'main.ts'), [], {
    execArgv: preloaded.flatMap((file) => ['--import', file]),
    env: {
      ...compiledCode,
      PATH: process.env['PATH'],
      TZ: 'UTC',
      NO_COLOR: '1',
      NODE_ENV: 'development',
      FANLIGHT_STORE: 'memory:',
      CONFORMANCE_FRAMEWORK: framework,
      CONFORMANCE_ATTACHED: attached,
      CONFORMANCE_OPTIONS: JSON.stringify(options),
      ...(versions === undefined ? {} : { CONFORMANCE_VERSIONS: versions }),
      ...start.env,
    },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk: Buffer) => (output = `${output}${chunk.toString()}`.slice(-200_000)))
  }
  const ended = once(child, 'close').then(([code, signal]: unknown[]) => ({
    code: code as number | null,
    signal: signal as NodeJS.Signals | null,
  }))
  const waiting = new Map<number, PromiseWithResolvers<unknown>>()
  const started = Promise.withResolvers<number>()
  child.on('message', (message: { port?: number; id?: number; value?: unknown; error?: string }) => {
    if (message.port !== undefined) started.resolve(message.port)
    const asked = waiting.get(message.id ?? -1)
    waiting.delete(message.id ?? -1)
    if (message.error === undefined) asked?.resolve(message.value)
    else asked?.reject(new Error(message.error))
  })
  const over = (): Error => new Error(`${framework} has ended:\n${output}`)
  void ended.then(() => {
    started.reject(over())
    for (const asked of waiting.values()) asked.reject(over())
  })
  let count = 0
  const ask = async (question: Question): Promise<unknown> => {
    count += 1
    const asked = Promise.withResolvers<unknown>()
    waiting.set(count, asked)
    child.send({ ...question, id: count }, (error) => error !== null && asked.reject(over()))
    return asked.promise
  }
  const port = await started.promise
  const profiler = async (path: string, type = 'application/json'): Promise<RawResponse> => {
    const target = `/_profiler/${path}`
    const response = await request(port, { target, headers: [`Accept: ${type}`] })
    return response
  }
  const readJson = async (path: string): Promise<unknown> => {
    const response = await profiler(path)
    if (response.status !== 200)
      throw new Error(`/_profiler/${path} answers ${response.status}: ${response.body.slice(0, 300)}`)
    return JSON.parse(response.body)
  }
  return {
    framework,
    port,
    url: `http://127.0.0.1:${port}`,
    child,
    get output() {
      return output
    },
    send: async (raw) => request(port, raw),
    open: async (gate) => void (await ask({ ask: 'open', gate })),
    inject: async (path) => (await ask({ ask: 'inject', path })) as { status: number; body: string } | null,
    startAnother: async (when) => (await ask({ ask: 'start', attached: when })) as number,
    facts: async () => (await ask({ ask: 'facts' })) as Facts,
    profileOf: async (response) => {
      const token = response.header('x-debug-token')
      if (token === undefined) throw new Error('the response names no profile')
      let profile: RawResponse | undefined
      await until(async () => (profile = await profiler(`${token}.json`)).status === 200)
      return JSON.parse(profile?.body ?? '') as SeenProfile
    },
    profiles: async (query = '') =>
      ((await readJson(`index.json?limit=200&${query}`)) as { items: SeenProfile[] }).items,
    profiler,
    ended,
    close: async () => {
      child.send({ ask: 'close', id: 0 })
      await ended
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await ended
    },
  }
}
