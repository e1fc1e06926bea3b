// What is known of the statements of one shape, whatever library sends them.

import { StatementKind, type StatementFacts } from './statement-kind.ts'
import { UsualCaller } from './usual-caller.ts'

/** Statements of one shape. */
export class KnownStatement {
  /** They may come from places of different depths. */
  readonly caller: UsualCaller
  #kind: StatementKind | null = null

  /** `frames` of the stack are searched for the place. */
  constructor(frames: number) {
    this.caller = new UsualCaller(frames, false)
  }

  /** The kind that these facts make: that of the last time where the text is the very same and the rest is equal. */
  kindOf(facts: StatementFacts): StatementKind {
    if (this.#kind === null || !areSame(this.#kind.facts, facts)) this.#kind = new StatementKind(facts)
    return this.#kind
  }
}

function areSame(one: StatementFacts, other: StatementFacts): boolean {
  const { system, library, namespace, text, key } = one
  const isSameText = text === other.text && key === other.key
  return isSameText && system === other.system && library === other.library && namespace === other.namespace
}
