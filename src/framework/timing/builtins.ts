// Clocks and timers of the runtime as they were when this was loaded: fake timers and patches of an application change neither what is measured
// nor when work of ours is done.

export const setTimeout: typeof globalThis.setTimeout = globalThis.setTimeout
export const setInterval: typeof globalThis.setInterval = globalThis.setInterval
export const setImmediate: typeof globalThis.setImmediate = globalThis.setImmediate
export const clearTimeout: typeof globalThis.clearTimeout = globalThis.clearTimeout
export const clearInterval: typeof globalThis.clearInterval = globalThis.clearInterval
export const clearImmediate: typeof globalThis.clearImmediate = globalThis.clearImmediate
export const queueMicrotask: typeof globalThis.queueMicrotask = globalThis.queueMicrotask

/** Of `process`. */
export const nextTick: typeof process.nextTick = process.nextTick.bind(process)

/** `Date.now()` */
export const wallMs: () => number = Date.now

/** Of `node:perf_hooks`. */
export const performance: Pick<typeof globalThis.performance, 'now' | 'timeOrigin'> = {
  now: globalThis.performance.now.bind(globalThis.performance),
  timeOrigin: globalThis.performance.timeOrigin,
}
