// How many calls V8 notes with an error. Its own ten often end inside a dependency or Node, before the first own code.

/** Has errors note at least so many calls from now on, in the whole process; costs some microseconds an error. */
export function ensureDeepTraces(calls: number): void {
  const limit = Object.getOwnPropertyDescriptor(Error, 'stackTraceLimit')
  // Some programs forbid it to be changed, or turn traces off on purpose.
  if (limit?.writable !== true || typeof limit.value !== 'number' || limit.value <= 0) return
  Error.stackTraceLimit = Math.max(limit.value, calls)
}
