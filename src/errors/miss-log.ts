// Limits log lines for requests that match no route: clients that probe for paths must not fill the disk.

import type { HttpRequest } from '../framework/http/request.ts'
import { crowdedMisses, repeatedMiss, uncaughtError } from '../framework/log/lines.ts'
import type { Log } from '../framework/log/logger.ts'
import { createReference } from './public-response.ts'

export interface MissLogOptions {
  /** Equal misses within this time share a reference and a line, in milliseconds. Default 1000. */
  readonly windowMs?: number
  /** Different misses of a window with a line each; the rest share one. Default 1000. */
  readonly maxOpen?: number
}

export interface MissFacts {
  readonly errorClass: string
  /** Masked. */
  readonly message: string
}

interface OpenMiss {
  readonly statusCode: number
  readonly reference: string
  readonly message: string
  /** Requests after the first. */
  repeats: number
}

/** Logs equal misses (method, URL without query, referer) once, and their number when the window ends. */
export class MissLog {
  readonly #log: Log
  readonly #windowMs: number
  readonly #maxOpen: number
  readonly #open = new Map<string, OpenMiss>()
  /** Misses beyond `maxOpen`, by status. */
  readonly #crowds = new Map<number, OpenMiss>()
  #timer: NodeJS.Timeout | undefined

  constructor(log: Log, { windowMs = 1000, maxOpen = 1000 }: MissLogOptions = {}) {
    this.#log = log
    this.#windowMs = windowMs
    this.#maxOpen = maxOpen
  }

  /** The reference for a miss. Calls `describe` only for the first of several equal ones. */
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

  /** Logs the repeats and begins a new window. Call it before the log is closed. */
  flush(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    for (const { repeats, ...facts } of [...this.#open.values(), ...this.#crowds.values()]) {
      if (repeats > 0) this.#log.write(repeatedMiss({ ...facts, repeats }))
    }
    this.#open.clear()
    this.#crowds.clear()
  }

  /** `undefined` while there is room for another line. */
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
