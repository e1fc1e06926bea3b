// Routes whose handlers do the same in every framework; each application registers them by its own means.

import { aggregateError, chainedError, largePage, notAnError, page, passGate } from './application.ts'
import { callOthers, rejectUnawaited, throwLater, writeLogLines } from './work.ts'

/** By path; `last` is its last segment. What they give is sent as JSON. */
export const jsonRoutes: Readonly<Record<string, (last: string) => unknown>> = {
  '/json': () => ({ ok: true, id: 7 }),
  '/throws': () => {
    throw new Error('the stock is empty')
  },
  '/rejects': async () => {
    await Promise.resolve()
    throw new Error('the stock was empty')
  },
  '/thrown/:what': (what) => {
    throw notAnError(what)
  },
  '/causes': () => {
    throw chainedError()
  },
  '/aggregate': () => {
    throw aggregateError()
  },
  '/waits/:gate': async (gate) => {
    await passGate(gate)
    return { ok: true }
  },
  '/never': async () => new Promise(() => undefined),
  '/timer-throw': async () => {
    throwLater()
    return new Promise(() => undefined)
  },
  '/unawaited': () => {
    rejectUnawaited()
    return { ok: true }
  },
  '/logs': () => {
    writeLogLines()
    return { ok: true }
  },
  '/calls': async () => callOthers(),
  '/secrets/:token': (token) => {
    console.error('login failed for password=log-hunter2')
    throw new Error(`no user with password=error-hunter2 and token ${token}`)
  },
}

export const htmlRoutes: Readonly<Record<string, string>> = {
  '/html': page,
  '/fragment': '<h1>A fragment</h1>',
  '/large': largePage,
}

export function lastOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

/** Sends what a handler gives, in the same turn where that is no promise: what it throws is thrown. */
export function whenReady<Sent>(given: unknown, send: (value: object) => Sent): Sent | Promise<Sent> {
  return given instanceof Promise ? given.then(send) : send(given as object)
}
