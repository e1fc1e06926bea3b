// What the runtime gives, as it was when this was loaded: fake timers and patches of an application change neither what is measured nor what work
// of ours does, or when.

import { AsyncLocalStorage } from 'node:async_hooks'
import { compileFunction } from 'node:vm'

export const setTimeout: typeof globalThis.setTimeout = ours(globalThis.setTimeout)
export const setInterval: typeof globalThis.setInterval = ours(globalThis.setInterval)
export const setImmediate: typeof globalThis.setImmediate = globalThis.setImmediate
export const clearTimeout: typeof globalThis.clearTimeout = globalThis.clearTimeout
export const clearInterval: typeof globalThis.clearInterval = globalThis.clearInterval
export const queueMicrotask: typeof globalThis.queueMicrotask = globalThis.queueMicrotask

export const nextTick: typeof process.nextTick = process.nextTick.bind(process)

export const max: typeof Math.max = Math.max

export const wallMs: () => number = Date.now

/** Processor time of this thread in milliseconds; before Node 23.9 that of the whole process, which is at least as much. */
export function threadMs(): number {
  const { threadCpuUsage = process.cpuUsage } = process as Partial<typeof process>
  const { user, system } = threadCpuUsage()
  return (user + system) / 1000
}

/** Of `node:perf_hooks`. */
export const performance: Pick<typeof globalThis.performance, 'now' | 'timeOrigin'> = {
  now: globalThis.performance.now.bind(globalThis.performance),
  timeOrigin: globalThis.performance.timeOrigin,
}

const { defineProperty, deleteProperty, getOwnPropertyDescriptor, getPrototypeOf, ownKeys } = Reflect
const emptyList: object = []
const classes = [Array, BigInt, Boolean, Date, Function, Map, Number, Object, Promise, RegExp, Set, String, WeakMap]
const globals = ['Error', 'Intl', 'JSON', 'Math', 'TextDecoder', 'TextEncoder', 'URL', 'URLSearchParams']

interface Member {
  readonly holder: { readonly [key: string | symbol]: unknown }
  readonly key: string | symbol
  /** `undefined`: it is not there. */
  readonly is: PropertyDescriptor | undefined
}

const members = [
  ...[...globals, ...classes.map(({ name }) => name)].map((key) => ({ holder: globalThis, key })),
  ...[...classes, ...classes.map(({ prototype }) => prototype as object), JSON, Math].flatMap((holder) =>
    // JSON.stringify() asks every value for `toJSON`.
    [...new Set([...ownKeys(holder), 'toJSON'])].map((key) => ({ holder, key })),
  ),
].flatMap(({ holder, key }): Member[] => {
  const is = getOwnPropertyDescriptor(holder, key)
  // What tells the last match is asked by no work of ours.
  const isAccessor = is?.get !== undefined && (holder !== RegExp || typeof key === 'symbol')
  const isMember = is?.value instanceof Object || isAccessor || key === 'toJSON'
  return isMember ? [{ holder: holder as Member['holder'], key, is }] : []
})

/** A map and a set whose methods stay, for what is asked at each callback or connection. */
export class OwnMap<Key, Value> extends Map<Key, Value> {}
export class OwnSet<Value> extends Set<Value> {}
for (const { holder, key, is } of members) {
  if (is === undefined || key === 'constructor') continue
  if (holder === (Map.prototype as object)) defineProperty(OwnMap.prototype, key, is)
  if (holder === (Set.prototype as object)) defineProperty(OwnSet.prototype, key, is)
}

/** Work of ours, and what it waits for. */
interface Turn {
  /** What the application has made of the builtins, while that is put aside. */
  aside: readonly Member[]
  /** How many pieces of work have not ended. */
  running: number
  stop: () => void
}

const none: readonly Member[] = []
const turns = new AsyncLocalStorage<Turn | undefined>()

/** Runs work of ours, and what it waits for, with the builtins as they were. */
export function withBuiltins<Result>(work: () => Result): Result {
  const outer = turns.getStore()
  if (outer !== undefined && outer.aside !== none) return untilEnd(outer, work)
  const aside = putAside()
  if (aside.length === 0) return work()
  const turn: Turn = { aside, running: 0, stop: () => undefined }
  // Before Node 24 `AsyncLocalStorage` uses promise hooks, too, and its own must be set first.
  const begin = (): Result => {
    turn.stop = process.getBuiltinModule('node:v8').promiseHooks.createHook({
      before: () => {
        if (turns.getStore() === turn) turn.aside = putAside()
      },
      after: () => restore(turn),
    }) as () => void
    return untilEnd(turn, work)
  }
  try {
    return turns.run(turn, begin)
  } finally {
    restore(turn)
  }
}

function ours<Timer extends typeof globalThis.setTimeout | typeof globalThis.setInterval>(timer: Timer): Timer {
  return ((work: () => void, ms?: number) => timer(() => withBuiltins(work), ms)) as unknown as Timer
}

function untilEnd<Result>(turn: Turn, work: () => Result): Result {
  const end = (): void => {
    turn.running -= 1
    if (turn.running > 0) return
    turn.stop()
    // No hook does it any more.
    restore(turn)
  }
  let result: unknown
  turn.running += 1
  try {
    return (result = work())
  } finally {
    if (result instanceof Promise) void result.then(end, end)
    else end()
  }
}

/** Runs code of the application that work of ours calls, with what the application has made of the builtins. */
export function asApplication<Result>(work: () => Result): Result {
  const turn = turns.getStore()
  if (turn === undefined || turn.aside === none) return work()
  restore(turn)
  try {
    return turns.exit(work)
  } finally {
    turn.aside = putAside()
  }
}

/** Puts the builtins back as they were, and gives what was there instead. Uses none of their methods. */
function putAside(): readonly Member[] {
  const aside: Member[] = []
  if (looks.areUntouched?.() === true) return aside
  let count = 0
  for (let index = 0; index < members.length; index += 1) {
    const { holder, key, is } = members[index] as Member
    if (is?.get === undefined && holder[key] === is?.value) continue
    const now = getOwnPropertyDescriptor(holder, key)
    if (now?.value === is?.value && now?.get === is?.get) continue
    if (change(holder, key, is)) aside[count++] = { holder, key, is: now }
  }
  // Loops over the members of an object would meet them.
  for (const key in emptyList) {
    for (let holder: object | null = getPrototypeOf(emptyList); holder !== null; holder = getPrototypeOf(holder)) {
      const now = getOwnPropertyDescriptor(holder, key)
      if (now?.enumerable === true && deleteProperty(holder, key))
        aside[count++] = { holder: holder as Member['holder'], key, is: now }
    }
  }
  // Here nothing is broken that it is made with.
  if (count === 0 && looks.left > 0 && (looks.left -= 1) === 0) looks.areUntouched = inOneExpression()
  return aside
}

/** Looks until an expression is worth making, and what it tells. */
const looks: { left: number; areUntouched?: () => boolean } = { left: 200 }

/**
 * Whether nothing has changed, as an expression that names each value: V8 knows it then without looking, where the loop above takes a sixth of
 * a recorded request.
 */
function inOneExpression(): () => boolean {
  const values = members.filter(({ is }) => is?.get === undefined)
  const accessors = members.filter(({ is }) => is?.get !== undefined)
  const equal = values.map(({ key }, index) => {
    const name = typeof key === 'symbol' ? `key${index}` : JSON.stringify(key)
    return `holder${index}[${name}] === was${index}`
  })
  const names = values.map((_, index) => `{ holder: holder${index}, key: key${index}, was: was${index} }`)
  const make = compileFunction(`const [${names.join()}] = values; return () => ${equal.join(' && ')}`, ['values'])
  const given = values.map(({ holder, key, is }): object => ({ holder, key, was: is?.value }))
  const areValuesUntouched = (make as (values: readonly object[]) => () => boolean)(given)
  return () => {
    for (const _ in emptyList) return false
    for (let index = 0; index < accessors.length; index += 1) {
      const { holder, key, is } = accessors[index] as Member
      if (getOwnPropertyDescriptor(holder, key)?.get !== is?.get) return false
    }
    return areValuesUntouched()
  }
}

function restore(turn: Turn): void {
  const { aside } = turn
  turn.aside = none
  for (let index = 0; index < aside.length; index += 1) {
    const { holder, key, is } = aside[index] as Member
    change(holder, key, is)
  }
}

/** Gives `false` if it must not be changed. */
function change(holder: object, key: string | symbol, to: PropertyDescriptor | undefined): boolean {
  return to === undefined ? deleteProperty(holder, key) : defineProperty(holder, key, to)
}
