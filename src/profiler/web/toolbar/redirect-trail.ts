// Remembers for a few seconds which request sent a client where, so that the page it arrives at can name the profile that
// redirected there. In the memory of this process; nothing is put into addresses or cookies.

import { performance } from 'node:perf_hooks'
import { redirectStatuses } from '../../../framework/http/status-text.ts'
import type { Reply } from '../../../framework/http/reply.ts'
import type { HttpRequest } from '../../../framework/http/request.ts'
import type { RedirectStep } from '../../request-record.ts'

interface Trail {
  readonly expiresAt: number
  readonly steps: readonly RedirectStep[]
}

/** How long a client may take to follow, in milliseconds. */
const maxAgeMs = 10_000
const maxTrails = 50
const maxSteps = 10

export class RedirectTrail {
  readonly #now: () => number
  /** By client and target; oldest first. */
  readonly #trails = new Map<string, Trail>()

  /** `now` is a monotonic clock in milliseconds. Default `performance.now`. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  /** The redirects that led to this request, oldest first. They are forgotten by it: each leads to one page. */
  follow(context: HttpRequest): readonly RedirectStep[] {
    if (this.#trails.size === 0) return none
    const key = keyOf(context, targetOf(context.path, context.rawQuery))
    const trail = this.#trails.get(key)
    if (trail === undefined) return none
    this.#trails.delete(key)
    return trail.expiresAt < this.#now() ? none : trail.steps
  }

  /** Notes a response that redirects to another address of the same origin; `before` are the redirects that led to it. */
  note(context: HttpRequest, reply: Reply, token: string, before: readonly RedirectStep[]): void {
    if (!redirectStatuses.includes(reply.status)) return
    const location = reply.header('location')
    const target = location === undefined ? null : ownTarget(location, context)
    if (target === null) return
    const key = keyOf(context, target)
    const steps = [...before, { token, method: context.method, status: reply.status }].slice(-maxSteps)
    this.#trails.delete(key)
    this.#trails.set(key, { expiresAt: this.#now() + maxAgeMs, steps })
    for (const oldest of this.#trails.keys()) {
      if (this.#trails.size <= maxTrails) break
      this.#trails.delete(oldest)
    }
  }
}

const none: readonly never[] = Object.freeze([])

// Two clients of one machine differ in their browser; two windows of one browser do not, and share what they see anyway.
function keyOf(context: HttpRequest, target: string): string {
  return JSON.stringify([context.clientAddress, context.header('user-agent') ?? '', target])
}

function targetOf(path: string, query: string): string {
  return query === '' ? path : `${path}?${query}`
}

/** Path and query that a browser asks for next; `null` for another origin and for an invalid address. */
function ownTarget(location: string, context: HttpRequest): string | null {
  const url = URL.parse(location, context.url)
  const own = URL.parse('/', context.url)
  if (url === null || own === null || url.origin !== own.origin) return null
  return targetOf(url.pathname, url.search.slice(1))
}
