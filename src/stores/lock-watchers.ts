// Who watches a lock in this process, and the state that they know: only another one is news.

import type { LockState } from '../plugins/maintenance/lock-store.ts'

interface Watcher {
  readonly onChange: (state: LockState) => void
  readonly onError: (error: unknown) => void
}

export class LockWatchers {
  readonly #watchers = new Set<Watcher>()
  /** As JSON. */
  #known: string | undefined
  #lastProblem: string | undefined

  /** `known`: what changes are measured by. Default: the first state that is received. */
  constructor(known?: LockState) {
    if (known !== undefined) this.#known = JSON.stringify(known)
  }

  get isEmpty(): boolean {
    return this.#watchers.size === 0
  }

  /** Returns what removes it again. */
  add(onChange: Watcher['onChange'], onError: Watcher['onError']): () => void {
    const watcher = { onChange, onError }
    this.#watchers.add(watcher)
    return () => void this.#watchers.delete(watcher)
  }

  /** Reports the state that was read, if it is new. */
  receive(state: LockState): void {
    if (this.#known === undefined) this.#known = JSON.stringify(state)
    else if (JSON.stringify(state) !== this.#known) this.tell(state)
  }

  tell(state: LockState): void {
    this.#known = JSON.stringify(state)
    for (const { onChange, onError } of this.#watchers) {
      try {
        onChange(state)
      } catch (error) {
        onError(error)
      }
    }
  }

  /** Tells of a failure once, until `recovered`. `problem` tells it from others. */
  fail(error: unknown, problem: string): void {
    if (problem === this.#lastProblem) return
    this.#lastProblem = problem
    for (const { onError } of this.#watchers) onError(error)
  }

  recovered(): void {
    this.#lastProblem = undefined
  }
}
