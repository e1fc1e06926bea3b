// In somebody else's application a stack reads as without this library: no frame of ours, as many frames as the application asked for.
// What V8 captured beyond that is kept for our own pages.

import { pathToFileURL } from 'node:url'
import { types } from 'node:util'
import { asApplication, withBuiltins } from '../../base/timing/builtins.ts'

type Prepare = (error: Error, frames: NodeJS.CallSite[]) => unknown

/** On a function for `Error.prepareStackTrace` that is to get every frame, as only our own ask for. */
export const takesAllFrames: unique symbol = Symbol.for('fanlight.takesAllFrames')
const plainStacks: unique symbol = Symbol.for('fanlight.plainStacks')

/** V8 leaves the fraction away. It tells our number from one of the application, also after `Error.stackTraceLimit += 6`. */
const mark = 1 / 64
/** Frames that V8 captures beyond what the application asked for: ours among them do not push out its own. */
const extraFrames = 40 + mark

/** Node runs them between our frames and those of the application. */
const isPlumbing = /^node:(?:async_hooks|diagnostics_channel|internal\/async_local_storage\/.*)$/

/**
 * Keeps stacks plain from now on. `libraryRoot` holds the code of this library, absolute. Does nothing where a program has frozen
 * `Error`, or turned traces off.
 */
export function keepStacksPlain(libraryRoot: string): void {
  const holder = globalThis as { [plainStacks]?: PlainStacks }
  if (holder[plainStacks] === undefined) {
    const stacks = new PlainStacks(libraryRoot)
    Object.defineProperty(globalThis, plainStacks, { value: stacks, configurable: true })
    stacks.install()
  }
  holder[plainStacks]?.capturesMore()
}

/** `stack` of an error as it was read, with the frames that the application did not ask for. */
export function wholeStack(error: object, stack: string): string {
  return (globalThis as { [plainStacks]?: PlainStacks })[plainStacks]?.whole(error, stack) ?? stack
}

class PlainStacks {
  readonly #roots: readonly string[]
  readonly #rest = new WeakMap<object, { readonly stack: string; readonly frames: readonly NodeJS.CallSite[] }>()
  readonly #wrapped = new WeakMap<object, Prepare>()

  constructor(libraryRoot: string) {
    this.#roots = [`${libraryRoot}/`, `${pathToFileURL(libraryRoot).href}/`]
  }

  /** Node asks for `Error.prepareStackTrace` each time a stack is read; so it is where applications set their own. */
  install(): void {
    const byDefault = Error.prepareStackTrace as Prepare
    let current = this.#plain(byDefault)
    Reflect.defineProperty(Error, 'prepareStackTrace', {
      configurable: true,
      enumerable: false,
      get: () => current,
      set: (next: unknown) => {
        current = typeof next === 'function' ? this.#plain(next as Prepare) : this.#plain(byDefault)
      },
    })
  }

  /** Makes V8 capture more than the application asks for; it may ask for another number at any time. */
  capturesMore(): void {
    const { stackTraceLimit: limit } = Error
    if (typeof limit !== 'number' || limit <= 0 || limit === Infinity || limit % 1 === mark) return
    if (Object.getOwnPropertyDescriptor(Error, 'stackTraceLimit')?.writable !== true) return
    Error.stackTraceLimit = limit + extraFrames
  }

  whole(error: object, stack: string): string {
    const rest = this.#rest.get(error)
    return rest?.stack === stack ? [stack, ...rest.frames.map(String)].join('\n    at ') : stack
  }

  #plain(prepare: Prepare): Prepare {
    if (takesAllFrames in prepare || this.#wrapped.get(prepare) === prepare) return prepare
    const known = this.#wrapped.get(prepare)
    if (known !== undefined) return known
    const { name } = prepare
    const plain = {
      [name]: (error: Error, frames: NodeJS.CallSite[]): unknown =>
        withBuiltins(() => this.#prepare(prepare, error, frames)),
    }[name] as Prepare
    this.#wrapped.set(prepare, plain)
    this.#wrapped.set(plain, plain)
    return plain
  }

  #prepare(prepare: Prepare, error: Error, captured: NodeJS.CallSite[]): unknown {
    const frames = this.#withoutOurs(captured)
    const limit = this.#limitOf(error)
    const shown = frames.length <= limit ? frames : frames.slice(0, limit)
    const stack: unknown = asApplication(() => Reflect.apply(prepare, Error, [error, shown]))
    if (shown === frames) return stack
    if (typeof stack === 'string') this.#rest.set(error, { stack, frames: frames.slice(limit) })
    return stack
  }

  /** Errors of another realm, as test runners make them, obey the limit of theirs. */
  #limitOf(error: unknown): number {
    if (types.isNativeError(error) && !(error instanceof Error)) return Infinity
    const { stackTraceLimit: limit } = Error
    return limit % 1 === mark ? Math.max(0, limit - extraFrames) : Infinity
  }

  /** All of them if all are ours. */
  #withoutOurs(captured: NodeJS.CallSite[]): NodeJS.CallSite[] {
    const kept: NodeJS.CallSite[] = []
    let caller = ''
    let isCalledByUs = false
    for (let index = captured.length - 1; index >= 0; index -= 1) {
      const frame = captured[index] as NodeJS.CallSite
      const file = frame.getFileName() ?? ''
      if (this.#roots.some((root) => file.startsWith(root))) isCalledByUs = true
      else if (isCalledByUs ? isPlumbing.test(file) || isBuiltIn(frame, file) : isForListeners(file, caller)) continue
      else {
        isCalledByUs = false
        caller = file
        kept.push(frame)
      }
    }
    return kept.length === captured.length || kept.length === 0 ? captured : kept.reverse()
  }
}

/** `Array.map`, `new Promise` */
function isBuiltIn(frame: NodeJS.CallSite, file: string): boolean {
  return file === '' && frame.getLineNumber() === null
}

/** Packages go through a channel, and Node through its hooks, only because we listen. */
function isForListeners(file: string, caller: string): boolean {
  return (
    file === 'node:internal/async_hooks' || (file === 'node:diagnostics_channel' && caller.includes('/node_modules/'))
  )
}
