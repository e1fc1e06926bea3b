// The cookies of a test's browser: those that responses set, sent again where they belong (RFC 6265, section 5).

import { stringifyCookie, type SetCookie } from 'cookie'

/** A cookie that a response sets, with the attributes as sent. The value is decoded, with its signature if it has one. */
export type InjectedCookie = SetCookie & { readonly value: string }

interface Kept extends InjectedCookie {
  /** The domain, or the host itself if it names none. */
  readonly host: string
  readonly path: string
  readonly untilMs: number
}

/**
 * Keeps the cookies of one browser from request to request: `app.inject({ url: '/me', cookies: jar })`. Paths, domains and expiry count as in a
 * browser. Each request counts as one of the own site, over a connection that may have `secure` cookies.
 */
export class CookieJar {
  readonly #kept = new Map<string, Kept>()

  /** The `Cookie` field of a request, the longest path first; empty if none belongs to it. */
  fieldFor(host: string, path: string): string {
    const fitting = [...this.#kept.values()].filter(
      ({ host: own, domain, path: folder, untilMs }) =>
        untilMs > Date.now() &&
        (host === own || (domain !== '' && host.endsWith(`.${own}`))) &&
        (path === folder || path.startsWith(folder.endsWith('/') ? folder : `${folder}/`)),
    )
    const ordered = fitting.toSorted((one, other) => other.path.length - one.path.length)
    return ordered.map(({ name, value }) => stringifyCookie({ [name]: value })).join('; ')
  }

  /** Keeps what a response to this host and path set. */
  keep(cookies: readonly InjectedCookie[], host: string, path: string): void {
    for (const cookie of cookies) {
      const domain = (cookie.domain ?? '').replace(/^\./, '').toLowerCase()
      // Browsers drop a cookie for somebody else's domain.
      if (domain !== '' && host !== domain && !host.endsWith(`.${domain}`)) continue
      const own =
        cookie.path?.startsWith('/') === true ? cookie.path : path.slice(0, Math.max(path.lastIndexOf('/'), 1))
      const { maxAge, expires } = cookie
      const untilMs = maxAge === undefined ? (expires?.getTime() ?? Infinity) : Date.now() + maxAge * 1000
      const kept = { ...cookie, domain, host: domain === '' ? host : domain, path: own, untilMs }
      this.#kept.set(`${kept.name};${kept.host};${own}`, kept)
    }
  }
}
