// What the applications of the conformance table have in common: how they are started, what they send, and where they wait.

import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { join } from 'node:path'

/** `fanlight` of the framework's entry; gives the application back as it is where a test wants it without us. */
export type Attach = <Application extends object>(application: Application) => Application

/** An application of one framework with the routes of the table. */
export interface BuiltApplication {
  /** What `fanlight` is given. */
  readonly application: object
  /** Listens on a free port of this machine. */
  listen(): Promise<Server>
  /** Asks the application without a socket. Default: the framework cannot. */
  inject?(path: string): Promise<{ readonly status: number; readonly body: string }>
}

/** Default export of the applications in this folder. */
export type Build = (attach: Attach) => BuiltApplication | Promise<BuiltApplication>

export const page = `<!doctype html>
<html lang="en">
  <head><meta charset="utf-8"><title>Orders</title></head>
  <body><h1>Orders of today</h1></body>
</html>
`

/** A page of 20 KB. */
export const largePage: string = page.replace('</h1>', `</h1>\n<p>${'An order of three lamps. '.repeat(800)}</p>`)

export const orders: readonly { readonly id: number; readonly title: string }[] = Array.from(
  { length: 200 },
  (_, index) => ({ id: index, title: `Order number ${index}` }),
)

/** Three pieces of one page, cut inside of elements. */
export const pieces: readonly string[] = [page.slice(0, 60), page.slice(60, 128), page.slice(128)]

/** Whether the packages are the oldest ones that the table runs with. */
export const isOldest: boolean = process.env['CONFORMANCE_VERSIONS'] === 'oldest'

export const staticFolder: string = join(import.meta.dirname, 'static')

const gates = new Map<string, PromiseWithResolvers<void>>()

function gate(name: string): PromiseWithResolvers<void> {
  const known = gates.get(name)
  if (known !== undefined) return known
  const made = Promise.withResolvers<void>()
  gates.set(name, made)
  return made
}

/** Waits until the test opens the gate. */
export async function passGate(name: string): Promise<void> {
  await gate(name).promise
}

/** Lets whatever waits at the gate go on, and all that comes later. */
export function openGate(name: string): void {
  gate(name).resolve()
}

/** The pieces of the page; behind each but the last is a gate: `<name>-1`, `<name>-2`. */
export async function* streamedPage(name: string): AsyncGenerator<string> {
  for (const [index, piece] of pieces.entries()) {
    yield piece
    if (index < pieces.length - 1) await passGate(`${name}-${index + 1}`)
  }
}

/** A body that fails after its first part. */
export async function* brokenBody(): AsyncGenerator<string> {
  yield 'the first part'
  await new Promise((resolve) => setTimeout(resolve, 20))
  throw new Error('thrown after the head')
}

/** Server-sent events, the second one behind a gate. */
export async function* events(name: string): AsyncGenerator<string> {
  yield 'data: first\n\n'
  await passGate(name)
  yield 'data: second\n\n'
}

/** Something that is not an error, for `throw`. */
export function notAnError(what: string): unknown {
  if (what === 'string') return 'the shelf is empty'
  if (what === 'object') return { shelf: 7, isEmpty: true }
  return undefined
}

/** An error with two causes behind it. */
export function chainedError(): Error {
  const root = new RangeError('shelf 7 does not exist')
  return new Error('the order cannot be packed', { cause: new TypeError('the lamp was not found', { cause: root }) })
}

export function aggregateError(): Error {
  return new AggregateError(
    [new Error('the first shop is closed'), new Error('the second shop is closed')],
    'no shop is open',
  )
}

/** An error with a status, as `http-errors` makes them. */
export function errorWithStatus(status: number, message: string): Error & { status: number; statusCode: number } {
  return Object.assign(new Error(message), { status, statusCode: status, expose: status < 500 })
}

/** The own properties that a loop over the objects of Node sees, and all of them. */
export function ownKeys(raw: { req: IncomingMessage; res: ServerResponse }): Record<string, readonly string[]> {
  const server: unknown = Reflect.get(raw.req.socket, 'server')
  return {
    request: Reflect.ownKeys(raw.req).map(String),
    response: Reflect.ownKeys(raw.res).map(String),
    server: typeof server === 'object' && server !== null ? Reflect.ownKeys(server).map(String) : [],
    seenOnRequest: Object.keys(raw.req),
    seenOnResponse: Object.keys(raw.res),
  }
}
