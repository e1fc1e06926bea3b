// Who answered first, where a response is shared with somebody else's code: `app.handler` behind a server of one's own. What
// left is read off the response; in debug the place of the first send is noted too, and joined to the error of a second one.

import type { ServerResponse } from 'node:http'

/** An answer that somebody else had begun when the application's was ready. */
export interface ForeignAnswer {
  readonly statusCode: number
  /** Names of the header fields that left, as sent; their values may be secret. */
  readonly headerNames: readonly string[]
  /** Whether it was ended, too. */
  readonly isEnded: boolean
  /** Where it was begun; `null` where that was before the application got the response, or was not watched. */
  readonly firstSend: FirstSend | null
}

/** Marks where the first answer was begun. Never thrown: it is the cause of the error of the second answer. */
export class FirstSend extends Error {
  constructor(statusCode: number) {
    super(`The first answer, with status ${statusCode}, was begun here`)
  }
  static {
    Object.defineProperty(this.prototype, 'name', { value: 'FirstSend', configurable: true, writable: true })
  }
}

/** What somebody else has sent by now; `null` while nothing has left. */
export function foreignAnswer(response: ServerResponse): ForeignAnswer | null {
  if (!response.headersSent && !response.writableEnded) return null
  return {
    statusCode: response.statusCode,
    headerNames: sentNames(response),
    isEnded: response.writableEnded,
    firstSend: firstSends.get(response) ?? null,
  }
}

/**
 * Notes from now on where the first bytes of a response leave, without reading the stack, and gives that place as the cause to
 * the error that Node throws for headers after it. For debug.
 */
export function watchSends(response: ServerResponse): void {
  // Node calls some of them from others: the outermost call is the one that says something.
  let depth = 0
  for (const name of watched) {
    const original: (...args: never[]) => unknown = response[name]
    const watching = function (this: ServerResponse, ...args: unknown[]): unknown {
      const wasSent = response.headersSent
      depth += 1
      try {
        return Reflect.apply(original, this, args)
      } catch (error) {
        joinFirstSend(error, firstSends.get(response))
        throw error
      } finally {
        depth -= 1
        const isNew = depth === 0 && !wasSent && response.headersSent
        if (isNew && !firstSends.has(response)) noteSend(response, watching)
      }
    }
    Object.defineProperty(response, name, { value: watching, configurable: true, writable: true })
  }
}

const watched = ['writeHead', 'write', 'end', 'flushHeaders', 'setHeader', 'appendHeader', 'removeHeader'] as const

const firstSends = new WeakMap<ServerResponse, FirstSend>()

function noteSend(response: ServerResponse, caller: (...args: never[]) => unknown): void {
  const place = new FirstSend(response.statusCode)
  Error.captureStackTrace(place, caller)
  firstSends.set(response, place)
}

function joinFirstSend(error: unknown, firstSend: FirstSend | undefined): void {
  if (firstSend === undefined || !(error instanceof Error) || error.cause !== undefined) return
  if (!('code' in error) || error.code !== 'ERR_HTTP_HEADERS_SENT') return
  Object.defineProperty(error, 'cause', { value: firstSend, configurable: true, writable: true })
}

// Fields that were handed to writeHead() alone are in no list of the response, only in the text of its head.
function sentNames(response: ServerResponse): readonly string[] {
  const head: unknown = Reflect.get(response, '_header')
  if (typeof head !== 'string') return response.getHeaderNames()
  const lines = head.split('\r\n').slice(1)
  return lines.map((line) => line.slice(0, Math.max(0, line.indexOf(':')))).filter((name) => name !== '')
}
