// The applications that are measured, and the states of each: without us, with us where it is off, and on.

import { fileURLToPath, pathToFileURL } from 'node:url'
import type { Contestant } from '../http/contestants.ts'

/** One application, started in each state. */
export interface Application {
  readonly name: string
  readonly file: string
  /** Entry of the package with its two lines: `express`. */
  readonly entry: string
  /** What a recorded request may cost, in microseconds, by the plan: JSON, and a page with a toolbar. */
  readonly bars: readonly [json: number, page: number]
}

/** A contestant, and what Node is started with. */
export interface State extends Contestant {
  readonly flags: readonly string[]
}

const server = (name: string, file: string, entry: string, bars: Application['bars']): Application => ({
  name,
  file: fileURLToPath(new URL(`servers/${file}.mjs`, import.meta.url)),
  entry,
  bars,
})

// Express runs four steps for a request here, 3 µs each.
export const applications: readonly Application[] = [
  server('node:http', 'node-http', 'http', [80, 250]),
  server('Express 5', 'express-5', 'express', [92, 250]),
  server('Express 4', 'express-4', 'express', [92, 250]),
  server('Fastify', 'fastify', 'fastify', [80, 250]),
  server('Koa', 'koa', 'koa', [80, 250]),
  server('Hono', 'hono', 'hono', [80, 250]),
  server('h3', 'h3', 'h3', [80, 250]),
  server('Nest', 'nest', 'nest', [120, 300]),
]

/** An application without us. */
export function plain({ name, file }: Application): State {
  return { name, file, args: [], env: {}, flags: [] }
}

/** With the two lines, in production. `built` is the folder of the built package. */
export function off(application: Application, built: string): State {
  return { ...plain(application), env: { BENCH_ENTRY: pathToFileURL(`${built}/${application.entry}.js`).href } }
}

/** With the two lines, in development. The application itself runs as in production, as the others do. */
export function on(application: Application, built: string, directory: string): State {
  const { env, ...rest } = off(application, built)
  const store = `sqlite:${directory}/${application.name.replaceAll(/\W+/g, '-')}.db`
  return { ...rest, env: { ...env, FANLIGHT: 'on', FANLIGHT_STORE: store } }
}

/** With `fanlight/register`, in production or in development. */
export function registered(application: Application, built: string, env: State['env']): State {
  return { ...plain(application), env, flags: [`--import=${pathToFileURL(`${built}/register.js`).href}`] }
}
