// Reads one thrown value, each property at most once.

import { stripVTControlCharacters, types } from 'node:util'
import { cutText, maxReadLength } from '../framework/redact/cut-text.ts'
import { describeValue } from '../framework/redact/describe-value.ts'
import { classNameOf, isReadable, ownValue, prototypeChain } from '../framework/redact/value-marks.ts'
import type { ErrorRedactor, ErrorProperty } from './flattened-error.ts'
import { wholeStack } from '../framework/kernel/plain-stacks.ts'
import { isErrorValue, readOnce } from './problem.ts'

export interface ErrorFacts {
  readonly className: string
  readonly message: string
  readonly code: string | null
  readonly isError: boolean
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
export function readErrorFacts(thrown: unknown): ErrorFacts {
  try {
    return isErrorValue(thrown) ? readError(thrown) : readOther(thrown)
  } catch {
    return { ...nothing, className: typeof thrown, message: '[Unreadable]' }
  }
}

/** Own enumerable properties as masked text, without name, message, stack, cause and errors. Never throws. */
export function readProperties(thrown: unknown, redactor: ErrorRedactor, maxChars: number): ErrorProperty[] {
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
export function readCause(error: unknown): unknown {
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
