// From where an application calls which address: each pair of a route and an address has a place of its own to be learnt.

import { Remembered } from './remembered.ts'
import { UsualCaller } from './usual-caller.ts'

/** Those of this library first; calls of dependencies may stand between the application and `fetch`. */
const stackFrames = 11
/** Characters of an address that is remembered. */
const maxLength = 300

/** The places that the `fetch` of one application is called at. */
export class FetchCallers {
  readonly #routes = new WeakMap<object, Remembered<UsualCaller>>()
  readonly #nowhere = {}

  /** What is known of a call of `input` while `route` is served. A call of what is no address is known by nothing. */
  of(route: object | undefined, input: unknown): UsualCaller {
    const callers = this.#callersOf(route ?? this.#nowhere)
    // An address that is remembered has nothing to be left out.
    const known = typeof input === 'string' && input.length <= maxLength ? callers.known(input) : undefined
    if (known !== undefined) return known
    const address = addressOf(input)
    return address === null ? newCaller() : callers.of(address, newCaller)
  }

  #callersOf(route: object): Remembered<UsualCaller> {
    const known = this.#routes.get(route)
    if (known !== undefined) return known
    const callers = new Remembered<UsualCaller>()
    this.#routes.set(route, callers)
    return callers
  }
}

function newCaller(): UsualCaller {
  // One address may be asked for from places of different depths.
  return new UsualCaller(stackFrames, false)
}

/** Without query and fragment, and without the parts of the path that hold digits: those name one thing of many. */
function addressOf(input: unknown): string | null {
  const url = input instanceof URL ? input.href : input
  if (typeof url !== 'string' || url.length > maxLength) return null
  const path = url.indexOf('/', url.indexOf('//') + 2)
  if (path < 0) return url
  const origin = url.slice(0, path)
  return `${origin}${url.slice(path).replace(variable, '')}`
}

const variable = /[?#][^]*|[^/?#]*\d[^/?#]*/g
