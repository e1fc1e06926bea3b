// What integrations are given, for tests that look at one part of them: keeps the notes, and lets nothing out that is thrown.

import type { Observer } from '../../src/integrations/integration.ts'

export interface NotingObserver extends Observer {
  /** What was noted, and what was thrown, in order. */
  readonly notes: readonly string[]
}

export function notingObserver(): NotingObserver {
  const notes: string[] = []
  return {
    notes,
    requestOf: () => undefined,
    addRoutes: () => undefined,
    guard: (place, work) => {
      try {
        return work()
      } catch (thrown) {
        notes.push(`${place}: ${String(thrown)}`)
        return undefined
      }
    },
    note: (text) => notes.push(text),
  }
}
