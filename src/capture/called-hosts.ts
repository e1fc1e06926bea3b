// What the calls to one host share, made once: an application calls the same few again and again.

import { Remembered } from './remembered.ts'

/** A host that is called. */
export interface CalledHost {
  /** Without the port: `prices.example`. */
  readonly address: string
  /** `null` where it is the scheme's own. */
  readonly port: number | null
  /** Names of spans by method: `GET prices.example:8443`. */
  readonly spanNames: Map<string, string>
}

/** Methods of one host that are remembered. */
const maxMethods = 20

/** The hosts that one application calls. */
export class CalledHosts {
  readonly #hosts = new Remembered<CalledHost>()

  /** `authority` is host and port: `prices.example:8443`. */
  of(authority: string): CalledHost {
    return this.#hosts.of(authority, () => toHost(authority))
  }

  /** Name of the span of a call: the very same string each time. */
  spanName(method: string, authority: string): string {
    const { spanNames } = this.of(authority)
    const known = spanNames.get(method)
    if (known !== undefined) return known
    const name = `${method} ${authority}`
    if (spanNames.size < maxMethods) spanNames.set(method, name)
    return name
  }
}

function toHost(authority: string): CalledHost {
  const port = /:(\d{1,5})$/.exec(authority)
  if (port === null) return { address: authority, port: null, spanNames: new Map() }
  return { address: authority.slice(0, port.index), port: Number(port[1]), spanNames: new Map() }
}
