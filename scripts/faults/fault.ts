// What every fault of `npm run faults` gives back, and the load that runs while it acts.

import { Agent, request } from 'node:http'

/** One row of the table. */
export interface FaultResult {
  /** Number in the list of faults, `F01`. */
  readonly fault: string
  readonly title: string
  readonly criterion: string
  /** What was observed, or why it was not tried. */
  readonly observed: string
  /** `null` where this machine cannot try it. */
  readonly isMet: boolean | null
}

/** One answer as a client saw it. */
export interface Answer {
  readonly status: number
  readonly token: string | undefined
  readonly body: string
}

/** What a load has seen so far. */
export interface LoadFigures {
  readonly requests: number
  /** Answers of 5xx; no path of the load has one. */
  readonly serverErrors: number
  /** Connections that broke. */
  readonly broken: number
  readonly slowestMs: number
  /** Tokens of the newest answers, and when each arrived on the monotonic clock. At most 20,000. */
  readonly tokens: readonly { readonly token: string; readonly atMs: number }[]
}

/** A load that runs until it is stopped. */
export interface Load {
  readonly figures: LoadFigures
  stop(): Promise<LoadFigures>
}

const connections = 50
const maxTokens = 20_000

/** Starts 50 clients on these addresses: pages that are not there, wrong methods, a slow page, reads of profiles. */
export function startLoad(urls: readonly string[]): Load {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const tokens: { token: string; atMs: number }[] = []
  const figures = { requests: 0, serverErrors: 0, broken: 0, slowestMs: 0, tokens }
  const state = { isStopped: false }
  const client = async (index: number): Promise<void> => {
    for (let turn = index; !state.isStopped; turn += 1) {
      const base = urls[turn % urls.length] ?? ''
      const last = tokens.at(-1)?.token
      const target = targetOf(turn, last)
      const started = performance.now()
      try {
        const { status, token } = await ask(base + target.path, { method: target.method, agent })
        if (status >= 500) figures.serverErrors += 1
        if (token !== undefined) tokens.push({ token, atMs: performance.now() })
        if (tokens.length > maxTokens) tokens.splice(0, maxTokens / 2)
      } catch {
        figures.broken += 1
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
      figures.requests += 1
      figures.slowestMs = Math.max(figures.slowestMs, performance.now() - started)
    }
  }
  const clients = Promise.all(Array.from({ length: connections }, (_, index) => client(index)))
  return {
    figures,
    async stop() {
      state.isStopped = true
      await clients
      agent.destroy()
      return figures
    },
  }
}

function targetOf(turn: number, token: string | undefined): { method: string; path: string } {
  if (turn % 10 === 0) return { method: 'GET', path: '/demo/slow?ms=200' }
  if (turn % 10 === 1) return { method: 'DELETE', path: '/products' }
  if (turn % 10 === 2 && token !== undefined) return { method: 'GET', path: `/_profiler/${token}` }
  return { method: 'GET', path: turn % 2 === 0 ? '/nope' : '/api/products' }
}

/** Sends one request; rejects when the connection breaks or nothing comes for 10 s. */
export async function ask(url: string, options: { method?: string; agent?: Agent } = {}): Promise<Answer> {
  try {
    return await askOnce(url, options)
  } catch (error) {
    // A kept connection that the server closed as idle just when it was taken again: every client asks once more.
    if (!(error instanceof StaleConnectionError)) throw error
    return await askOnce(url, { ...options, agent: new Agent() })
  }
}

class StaleConnectionError extends Error {}

function askOnce(url: string, options: { method?: string; agent?: Agent }): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { ...options, timeout: 10_000 }, (response) => {
      let body = ''
      response.setEncoding('utf8')
      response.on('data', (text: string) => {
        if (body.length < 100_000) body += text
      })
      response.on('error', reject)
      response.on('end', () => {
        const token = response.headers['x-debug-token']
        resolve({ status: response.statusCode ?? 0, token: typeof token === 'string' ? token : undefined, body })
      })
    })
    sent.on('timeout', () => sent.destroy(new Error('nothing came for 10 s')))
    sent.on('error', (error: Error & { code?: string }) => {
      const isStale = sent.reusedSocket && error.code === 'ECONNRESET'
      reject(isStale ? new StaleConnectionError(error.message, { cause: error }) : error)
    })
    sent.end()
  })
}

/** How a load went, in one phrase. */
export function describeLoad({ requests, serverErrors, broken, slowestMs }: LoadFigures): string {
  return `${requests} requests, ${serverErrors} of 5xx, ${broken} broken, slowest ${Math.round(slowestMs)} ms`
}

/** No request hangs, none fails (the common criterion of every fault). */
export function isServed({ requests, serverErrors, broken, slowestMs }: LoadFigures): boolean {
  return requests > 0 && serverErrors === 0 && broken === 0 && slowestMs < 5000
}
