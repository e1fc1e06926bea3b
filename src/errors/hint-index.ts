// Finds among many hints the few that may know an error, by the marks they name, so that the others need not be asked.

import type { FlattenedError } from './flattened-error.ts'
import type { HintRule } from './hints/hint.ts'

/** The rules of one list. Rules without marks are always among those found. */
export class HintIndex {
  readonly #rules: readonly HintRule[]
  /** Rules without marks, and their indexes. */
  readonly #asked: HintRule[] = []
  readonly #always: number[] = []
  /** Tells whether a message holds one of the texts at all. */
  readonly #anyText: RegExp
  readonly #byCode = new Map<string, number[]>()
  readonly #byClass = new Map<string, number[]>()
  readonly #byText: (readonly [text: string, rule: number])[] = []

  /** The list must not change afterwards. */
  constructor(rules: readonly HintRule[]) {
    this.#rules = [...rules]
    for (const [index, rule] of rules.entries()) {
      const { asked } = rule
      if (asked === undefined) this.#always.push(index)
      for (const code of asked?.codes ?? []) put(this.#byCode, code, index)
      for (const name of asked?.classes ?? []) put(this.#byClass, name, index)
      for (const text of asked?.texts ?? []) this.#byText.push([text, index])
      if (asked === undefined) this.#asked.push(rule)
    }
    const texts = this.#byText.map(([text]) => text.replace(/[.*+?^${}()|[\]\\/]/g, String.raw`\$&`))
    this.#anyText = texts.length === 0 ? /(?!)/ : new RegExp(texts.join('|'))
  }

  /** What is to be asked about an error, in the order of the list, each once. */
  rulesFor({ code, className, message }: FlattenedError): readonly HintRule[] {
    const found = [...this.#always]
    if (code !== null) found.push(...(this.#byCode.get(code) ?? []))
    found.push(...(this.#byClass.get(className) ?? []))
    if (this.#anyText.test(message)) {
      for (const [text, index] of this.#byText) if (message.includes(text)) found.push(index)
    }
    if (found.length === this.#always.length) return this.#asked
    if (found.length > 1) found.sort((one, other) => one - other)
    const rules: HintRule[] = []
    for (const [place, index] of found.entries()) {
      const rule = this.#rules[index]
      if (rule !== undefined && found[place - 1] !== index) rules.push(rule)
    }
    return rules
  }
}

function put(rules: Map<string, number[]>, key: string, index: number): void {
  const known = rules.get(key)
  if (known === undefined) rules.set(key, [index])
  else known.push(index)
}
