// The cookies of an exchange: those that the client sent, and those that the response sets.

import { signerFor, writeCookie, type CookieOptions, type CookieSetting } from '../../base/http/cookies.ts'
import { tellField } from '../../base/http/set-fields.ts'

/** Identifies a cookie: browsers tell cookies apart by these. */
type CookiePlace = Pick<CookieOptions, 'path' | 'domain' | 'partitioned'>

/** Reads and sets cookies. What is set leaves with whatever reply the request gets, also a redirect or an error. */
export class Cookies {
  readonly #received: ReadonlyMap<string, string>
  readonly #setting: CookieSetting
  readonly #beforeChange: () => void
  /** Values by name, as they are sent; `undefined` for a deleted one. */
  readonly #changed = new Map<string, string | undefined>()
  /** `Set-Cookie` fields by name and place, so that a cookie that is set twice is sent once. */
  readonly #fields = new Map<string, string>()

  /** `beforeChange` throws when it is too late to set one. */
  constructor(received: ReadonlyMap<string, string>, setting: CookieSetting, beforeChange: () => void) {
    this.#received = received
    this.#setting = setting
    this.#beforeChange = beforeChange
  }

  /**
   * The value of a cookie; `undefined` if there is none. With `signed`, also if it has no signature of this application. A cookie that
   * was set or deleted meanwhile is read as it will be. Throws an Error for `signed` if the application has no secret.
   */
  get(name: string, { signed = false }: Pick<CookieOptions, 'signed'> = {}): string | undefined {
    const value = this.#changed.has(name) ? this.#changed.get(name) : this.#received.get(name)
    if (!signed) return value
    const signer = signerFor(name, this.#setting)
    return value === undefined ? undefined : signer.read(name, value)
  }

  /** Sets a cookie. Throws a TypeError for one that browsers do not take, and an Error once the response has left. */
  set(name: string, value: string, options: CookieOptions = {}): void {
    this.#beforeChange()
    const { sent, field } = writeCookie({ name, value, options }, this.#setting)
    this.#changed.set(name, sent)
    tellField('set-cookie', `${name}=${value}`)
    this.#fields.set(
      JSON.stringify([name, options.path ?? '/', options.domain ?? null, options.partitioned ?? false]),
      field,
    )
  }

  /** Tells the browser to forget a cookie. Name the path and the domain that it was set with. */
  delete(name: string, place: CookiePlace = {}): void {
    this.set(name, '', { ...place, maxAgeSeconds: 0 })
    this.#changed.set(name, undefined)
  }

  /** `Set-Cookie` fields, in the order in which the cookies were first set. For the kernel. */
  get fields(): readonly string[] {
    return [...this.#fields.values()]
  }
}
