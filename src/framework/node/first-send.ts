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
  for (const name of watched) {
    // Middleware may have put a method of its own on this very response.
    const methods: Partial<Record<typeof name, unknown>> = response
    methods[name] = Object.hasOwn(response, name) ? ownMethod(response[name] as Method) : watchedMethods[name]
  }
}

/** Says that the answer that follows is the application's: no stack has to be caught to tell where it came from. */
export function noteOwnAnswer(response: WatchedResponse): void {
  response[isOurs] = true
}

/** A response that is watched: how deep its methods call each other, and whether the application answers. */
interface WatchedResponse extends ServerResponse {
  [depth]?: number
  [isOurs]?: true
}

type Method = (this: WatchedResponse, ...values: unknown[]) => unknown

const depth: unique symbol = Symbol('calls of watched methods')
const isOurs: unique symbol = Symbol('answered by the application')
const watched = ['writeHead', 'write', 'end', 'flushHeaders', 'setHeader', 'appendHeader', 'removeHeader'] as const
const firstSends = new WeakMap<ServerResponse, FirstSend>()

/** For all responses: there is no need to make them for each. */
const watchedMethods = Object.fromEntries(watched.map((name) => [name, inheritedMethod(name)])) as Readonly<
  Record<(typeof watched)[number], Method>
>

function inheritedMethod(name: (typeof watched)[number]): Method {
  const watching: Method = function (...values) {
    const prototype = Object.getPrototypeOf(this) as ServerResponse
    return callWatched(this, prototype[name] as Method, values, watching)
  }
  return watching
}

function ownMethod(original: Method): Method {
  const watching: Method = function (...values) {
    return callWatched(this, original, values, watching)
  }
  return watching
}

function callWatched(response: WatchedResponse, method: Method, values: readonly unknown[], caller: Method): unknown {
  const wasSent = response.headersSent
  const outer = response[depth] ?? 0
  response[depth] = outer + 1
  try {
    return Reflect.apply(method, response, values)
  } catch (error) {
    joinFirstSend(error, response)
    throw error
  } finally {
    response[depth] = outer
    // Node calls some of them from others: the outermost call is the one that says something.
    if (outer === 0 && !wasSent && response.headersSent && response[isOurs] !== true) noteSend(response, caller)
  }
}

function noteSend(response: ServerResponse, caller: Method): void {
  if (firstSends.has(response)) return
  const place = new FirstSend(`The first answer, with status ${response.statusCode}, was begun here`)
  Error.captureStackTrace(place, caller)
  firstSends.set(response, place)
}

function joinFirstSend(error: unknown, response: WatchedResponse): void {
  if (!(error instanceof Error) || error.cause !== undefined) return
  if (!('code' in error) || error.code !== 'ERR_HTTP_HEADERS_SENT') return
  const cause = response[isOurs] === true ? ownAnswer(response) : firstSends.get(response)
  if (cause !== undefined) Object.defineProperty(error, 'cause', { value: cause, configurable: true, writable: true })
}

/** What stands for a place in this library's own code. */
function ownAnswer({ statusCode }: ServerResponse): FirstSend {
  const answer = new FirstSend(`The first answer, with status ${statusCode}, was that of the application`)
  answer.stack = `${answer.name}: ${answer.message}`
  return answer
}

// Fields that were handed to writeHead() alone are in no list of the response, only in the text of its head.
function sentNames(response: ServerResponse): readonly string[] {
  const head: unknown = Reflect.get(response, '_header')
  if (typeof head !== 'string') return response.getHeaderNames()
  const lines = head.split('\r\n').slice(1)
  return lines.map((line) => line.slice(0, Math.max(0, line.indexOf(':')))).filter((name) => name !== '')
}
