// Turns a thrown value into plain data: the error, its causes, the members of an AggregateError. The value is read once.
// Properties are masked; messages are masked later, by `maskChain`.

import { cutText } from '../framework/redact/cut-text.ts'
import { readCause, readErrorFacts, readProperties, type ErrorFacts } from './error-facts.ts'
import type { ErrorRedactor, ErrorChain, ErrorProperty, FlattenedError, Frame } from './flattened-error.ts'

export interface FrameBounds {
  readonly maxFrames: number
  /** Frames with source; 0 for positions only. */
  readonly maxExcerpts: number
}

/** Reads a stack. Never throws. */
export interface FrameReader {
  read(stack: string, message: string, bounds: FrameBounds): readonly Frame[]
}

interface FlattenOptions {
  readonly redactor: ErrorRedactor
  /** Errors of one chain. Default 20. */
  readonly maxCauses?: number
  /** All frames with source together; the first error gets at most half of them. 0 reads no source. Default 40. */
  readonly maxExcerpts?: number
  /** `null`: errors have no frames. */
  readonly frames: FrameReader | null
}

/** As the cause of an error: what another process has flattened. */
export class FlattenedCause {
  readonly #chain: ErrorChain

  constructor(chain: ErrorChain) {
    this.#chain = chain
  }

  /** The chain of one, `null` of anything else. Calls no trap of a Proxy. */
  static chainOf(value: unknown): ErrorChain | null {
    return typeof value === 'object' && value !== null && #chain in value ? value.#chain : null
  }
}

/** Never throws, and calls no getter twice. */
export function flattenError(thrown: unknown, options: FlattenOptions): ErrorChain {
  return new Flattening(options).chain(thrown, options.maxCauses ?? 20)
}

const maxCountedCauses = 10_000
/** Members of one AggregateError. */
const maxMembers = 20
/** All errors together, with members and their causes. */
const maxErrors = 60
/** Frames of one error. */
const maxErrorFrames = 50
const maxTotalFrames = 500
const maxTotalChars = 200_000
const maxPropertyChars = 16_384

/** The errors seen so far and what is left of the limits. */
class Flattening {
  readonly #options: FlattenOptions
  readonly #seen = new Set<unknown>()
  readonly #path: unknown[] = []
  #errorsLeft = maxErrors
  #framesLeft = maxTotalFrames
  #excerptsLeft: number
  #charsLeft = maxTotalChars

  constructor(options: FlattenOptions) {
    this.#options = options
    this.#excerptsLeft = options.maxExcerpts ?? 40
  }

  chain(thrown: unknown, maxCauses: number): ErrorChain {
    const errors: FlattenedError[] = []
    const depth = this.#path.length
    let cut: string | null = null
    let next = thrown
    do {
      const known = FlattenedCause.chainOf(next)
      if (known !== null) {
        errors.push(...known.errors)
        cut = known.cut
        break
      }
      const repeated = this.#repeated(next)
      if (repeated !== null && errors.length > 0) cut = repeated
      else if (errors.length >= maxCauses || this.#errorsLeft <= 0) cut = this.#countCauses(next)
      if (cut !== null) break
      const facts = readErrorFacts(next)
      this.#enter(next)
      errors.push(this.#error(next, facts))
      next = facts.cause
    } while (next !== undefined)
    while (this.#path.length > depth) this.#path.pop()
    return { errors, cut }
  }

  #error(thrown: unknown, facts: ErrorFacts): FlattenedError {
    this.#errorsLeft -= 1
    const message = this.#spend(facts.message)
    const properties = readProperties(thrown, this.#options.redactor, Math.min(maxPropertyChars, this.#charsLeft))
    for (const { value } of properties) this.#charsLeft -= value.length
    const maxFrames = Math.min(maxErrorFrames, this.#framesLeft)
    // Half of what is left, so that causes have source too.
    const bounds = { maxFrames, maxExcerpts: Math.ceil(this.#excerptsLeft / 2) }
    const frames = this.#options.frames?.read(facts.stack, facts.rawMessage, bounds) ?? []
    this.#framesLeft -= frames.length
    if (maxFrames > 0 && frames.length === maxFrames)
      properties.push({ name: 'frames', value: `the first ${maxFrames} are shown` })
    for (const frame of frames) if (frame.excerpt !== null) this.#excerptsLeft -= 1
    const members = this.#members(facts.members, properties)
    const { className, code, isError } = facts
    return { className, message, code, properties, frames, isError, members }
  }

  #members(thrown: readonly unknown[], properties: ErrorProperty[]): ErrorChain[] {
    const chains: ErrorChain[] = []
    const limit = Math.min(thrown.length, maxMembers)
    for (let index = 0; index < limit && this.#errorsLeft > 0; index += 1) {
      const member = Object.getOwnPropertyDescriptor(thrown, index)
      const value: unknown = member !== undefined && 'value' in member ? member.value : undefined
      const repeated = this.#repeated(value)
      chains.push(repeated === null ? this.chain(value, this.#options.maxCauses ?? 20) : { errors: [], cut: repeated })
    }
    if (chains.length < thrown.length) {
      properties.push({ name: 'errors', value: `${chains.length} of ${thrown.length} are shown` })
    }
    return chains
  }

  #enter(value: unknown): void {
    if (typeof value !== 'object' || value === null) return
    this.#seen.add(value)
    this.#path.push(value)
  }

  #repeated(value: unknown): string | null {
    if (!this.#seen.has(value)) return null
    return this.#path.includes(value) ? 'cause is a cycle' : 'this error is shown above'
  }

  #countCauses(first: unknown): string {
    let count = 0
    for (let next = first; next !== undefined && count < maxCountedCauses; count += 1) {
      if (this.#seen.has(next)) break
      if (typeof next === 'object') this.#seen.add(next)
      next = readCause(next)
    }
    if (count >= maxCountedCauses) return `more than ${maxCountedCauses} more causes`
    return count === 1 ? '1 more cause' : `${count} more causes`
  }

  #spend(text: string): string {
    const kept = cutText(text, Math.max(0, this.#charsLeft))
    this.#charsLeft -= kept.length
    return kept
  }
}
