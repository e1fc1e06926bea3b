// Turns a thrown value into plain data: the error, its causes, the members of an AggregateError. The value is read once.
// Properties are masked; messages are masked later, by `maskChain`.

import { cutText, maxReadLength } from '../base/redact/cut-text.ts'
import type { ErrorRedactor, ErrorChain, ErrorProperty, FlattenedError, Frame } from './flattened-error.ts'
import { stripVTControlCharacters, types } from 'node:util'
import { describeValue, classNameOf, isReadable, ownValue, prototypeChain } from '../base/redact/walk-value.ts'
import { wholeStack } from '../http/kernel/plain-stacks.ts'
import { isErrorValue, readOnce } from './problem.ts'

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

interface ErrorFacts extends Pick<FlattenedError, 'className' | 'message' | 'code' | 'isError'> {
  /** `error.stack`; empty if it is not a string. */
  readonly stack: string
  /** The whole message, to find where it ends in the stack. */
  readonly rawMessage: string
  readonly cause: unknown
  /** Members of an AggregateError; empty for other errors. */
  readonly members: readonly unknown[]
}

/** Characters of a message to keep (SECURITY R9). */
const maxMessageChars = 8192

/** Never throws. */
function readErrorFacts(thrown: unknown): ErrorFacts {
  try {
    return isErrorValue(thrown) ? readError(thrown) : readOther(thrown)
  } catch {
    return { ...nothing, className: typeof thrown, message: '[Unreadable]' }
  }
}

/** Own enumerable properties as masked text, without name, message, stack, cause and errors. Never throws. */
function readProperties(thrown: unknown, redactor: ErrorRedactor, maxChars: number): ErrorProperty[] {
  const properties: ErrorProperty[] = []
  if (!isErrorValue(thrown)) return properties
  try {
    const names = Object.keys(thrown)
    const shown = names
      .slice(0, 100 + shownElsewhere.size)
      .filter((name) => !shownElsewhere.has(name))
      .slice(0, 100)
    let charsLeft = maxChars
    for (const name of shown) {
      const value = redactor.property(thrown, name, Math.min(4096, charsLeft))
      charsLeft -= value.length
      properties.push({ name: redactor.text(name, 200), value })
      if (charsLeft <= 0) break
    }
    const missing = names.length - countShownElsewhere(names, thrown) - properties.length
    if (missing > 0) properties.push({ name: '…', value: `[${missing} more]` })
  } catch {
    properties.push({ name: '…', value: '[Unreadable]' })
  }
  return properties
}

/** The cause; `undefined` without one. Never throws. */
function readCause(error: unknown): unknown {
  if (!isErrorValue(error)) return undefined
  const cause = readOnce(error, 'cause')?.value
  // Some libraries have a method named `cause`; null means none.
  return typeof cause === 'function' || cause === null ? undefined : cause
}

const shownElsewhere: ReadonlySet<string> = new Set(['name', 'message', 'stack', 'cause', 'errors'])

/** Counts without going through all names: there may be a million. */
function countShownElsewhere(names: readonly string[], thrown: object): number {
  if (names.length === 0) return 0
  return [...shownElsewhere].filter((name) => Object.prototype.propertyIsEnumerable.call(thrown, name)).length
}

const noMembers: readonly unknown[] = []
const nothing = { code: null, isError: false, stack: '', rawMessage: '', cause: undefined, members: noMembers }

function readError(error: object): ErrorFacts {
  const rawMessage = readMessage(error)
  return {
    className: readClassName(error),
    message: shownMessage(rawMessage),
    code: readCode(error),
    isError: true,
    stack: readStack(error, rawMessage),
    rawMessage,
    cause: readCause(error),
    members: readMembers(error),
  }
}

/** A thrown value that is not an Error. An own `stack` is used if it is a string. */
function readOther(thrown: unknown): ErrorFacts {
  if (types.isProxy(thrown)) return { ...nothing, className: 'Proxy', message: '[Proxy]' }
  const message = typeof thrown === 'string' ? shownMessage(thrown) : describeValue(thrown, maxMessageChars)
  if (!isReadable(thrown)) return { ...nothing, className: thrown === null ? 'null' : typeof thrown, message }
  const stack = ownValue(thrown, 'stack')
  const className = typeof thrown === 'function' ? 'function' : classNameOf(thrown)
  return { ...nothing, className, message, stack: typeof stack === 'string' ? stack : '' }
}

function readMessage(error: object): string {
  const message = readOnce(error, 'message')
  if (message === undefined) return '[Unreadable]'
  if (typeof message.value === 'string') return message.value
  return message.value === undefined ? '' : describeValue(message.value)
}

/** Colours and links of a terminal mean nothing elsewhere: only their text stays. */
function shownMessage(message: string): string {
  const kept = cutText(message, maxMessageChars)
  return kept.includes('\u001b') ? stripVTControlCharacters(kept) : kept
}

/** The `name`; or the class, if it did not set a name and inherits that of another class. */
function readClassName(error: object): string {
  const name = readText(error, 'name')
  const isOfAnother = name === undefined || name === '' || name === 'Error'
  if (!isOfAnother && !inheritsName(error)) return cutText(name, 200)
  const ownClass = classNameOf(error, 'Error')
  // A class that a bundler renamed says less than the one that it extends.
  return isOfAnother || ownClass.length > 2 ? ownClass : cutText(name, 200)
}

function inheritsName(error: object): boolean {
  const [, ownClass, ...outer] = prototypeChain(error)
  if (Object.hasOwn(error, 'name') || ownClass === undefined || Object.hasOwn(ownClass, 'name')) return false
  // A getter names each error for itself.
  const holder = outer.find((prototype) => Object.hasOwn(prototype, 'name'))
  return holder !== undefined && ownValue(holder, 'name') !== undefined
}

function readCode(error: object): string | null {
  const code = readOnce(error, 'code')?.value
  return typeof code === 'string' || typeof code === 'number' ? cutText(String(code), 200) : null
}

/** A stack repeats the message. One that is too long to be read is left out. */
function readStack(error: object, message: string): string {
  const stack = message.length > maxReadLength ? '' : wholeStack(error, readText(error, 'stack') ?? '')
  return stack.length > maxReadLength ? '' : stack
}

function readMembers(error: object): readonly unknown[] {
  const members = ownValue(error, 'errors')
  return isReadable(members) && Array.isArray(members) ? members : noMembers
}

function readText(object: object, key: string): string | undefined {
  const value = readOnce(object, key)?.value
  return typeof value === 'string' ? value : undefined
}
