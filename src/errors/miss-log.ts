// Limits the log lines of requests that match no route: clients that probe for paths must not fill the disk.

import type { HttpRequest } from '../framework/http/request.ts'
import { crowdedMisses, repeatedMiss, uncaughtError } from '../framework/log/lines.ts'
import type { Log } from '../framework/log/logger.ts'
import { createReference } from './public-response.ts'

/** Bounds of a miss log. */
export interface MissLogOptions {
  /** How long equal misses share a reference and a line, in milliseconds. Default 1000. */
  readonly windowMs?: number
  /** Different misses of a window with a line each; those beyond share one. Default 1000. */
  readonly maxOpen?: number
}

/** What the first of several equal misses is logged with. */
export interface MissFacts {
  readonly errorClass: string
  /** Masked. */
  readonly message: string
}

/** Misses that share a reference. */
interface OpenMiss {
  readonly statusCode: number
  readonly reference: string
  readonly message: string
  /** Requests after the one with the line. */
  repeats: number
}

/** Writes one line for equal misses (method, URL without query, referer), and their number when the window ends. */
export class MissLog {
  readonly #log: Log
  readonly #windowMs: number
  readonly #maxOpen: number
  readonly #open = new Map<string, OpenMiss>()
  /** The misses beyond `maxOpen`, by status. */
  readonly #crowds = new Map<number, OpenMiss>()
  #timer: NodeJS.Timeout | undefined

  constructor(log: Log, { windowMs = 1000, maxOpen = 1000 }: MissLogOptions = {}) {
    this.#log = log
    this.#windowMs = windowMs
    this.#maxOpen = maxOpen
  }

  /** The reference for a miss. `describe` is called for the first of several equal ones only. */
  note(context: HttpRequest, statusCode: number, describe: () => MissFacts): string {
    const referer = context.header('referer') ?? ''
    const key = `${statusCode} ${context.method} ${context.scheme}://${context.host}:${context.port}${context.path}\n${referer}`
    const known = this.#open.get(key) ?? this.#crowd(statusCode)
    if (known !== undefined) {
      known.repeats += 1
      return known.reference
    }
    const reference = createReference()
    const facts = describe()
    this.#log.write(uncaughtError({ ...facts, statusCode, reference }))
    this.#open.set(key, { statusCode, reference, message: facts.message, repeats: 0 })
    this.#timer ??= setTimeout(() => this.flush(), this.#windowMs).unref()
    return reference
  }

  /** Writes the repeats counted so far and begins a new window. Call it before the log ends. */
  flush(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    for (const { repeats, ...facts } of [...this.#open.values(), ...this.#crowds.values()]) {
      if (repeats > 0) this.#log.write(repeatedMiss({ ...facts, repeats }))
    }
    this.#open.clear()
    this.#crowds.clear()
  }

  /** `undefined` while there is room for another miss with a line of its own. */
  #crowd(statusCode: number): OpenMiss | undefined {
    if (this.#open.size < this.#maxOpen) return undefined
    let crowd = this.#crowds.get(statusCode)
    if (crowd !== undefined) return crowd
    const message = `requests beyond ${this.#maxOpen} different ones without a route`
    crowd = { statusCode, reference: createReference(), message, repeats: 0 }
    this.#crowds.set(statusCode, crowd)
    this.#log.write(crowdedMisses({ limit: this.#maxOpen, statusCode, reference: crowd.reference }))
    return crowd
  }
}
