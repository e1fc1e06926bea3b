// Finds among many hints the few that may know an error, by the marks they name, so that the others need not be asked.

import type { FlattenedError } from './flattened-error.ts'
import type { HintRule } from './hints/hint.ts'

/** The rules of one list. Rules without marks are always among those found. */
export class HintIndex {
  readonly #rules: readonly HintRule[]
  /** Rules without marks, and their indexes. */
  readonly #asked: HintRule[] = []
  readonly #always: number[] = []
  readonly #byCode = new Map<string, number[]>()
  readonly #byClass = new Map<string, number[]>()
  /** Texts by their first character; those that begin with none of ASCII's stand together. */
  readonly #byText: (MarkedText[] | undefined)[] = Array.from({ length: 129 }, () => undefined)

  /** The list must not change afterwards. */
  constructor(rules: readonly HintRule[]) {
    this.#rules = [...rules]
    for (const [index, rule] of rules.entries()) {
      const { asked } = rule
      if (asked === undefined) this.#always.push(index)
      for (const code of asked?.codes ?? []) put(this.#byCode, code, index)
      for (const name of asked?.classes ?? []) put(this.#byClass, name, index)
      for (const text of asked?.texts ?? []) this.#addText(text, index)
      if (asked === undefined) this.#asked.push(rule)
    }
  }

  #addText(text: string, rule: number): void {
    const first = Math.min(text.charCodeAt(0), 128)
    const known = (this.#byText[first] ??= [])
    known.push({ text, second: text.charCodeAt(1), rule })
  }

  /** What is to be asked about an error, in the order of the list, each once. */
  rulesFor({ code, className, message }: FlattenedError): readonly HintRule[] {
    const found = [...this.#always]
    if (code !== null) found.push(...(this.#byCode.get(code) ?? []))
    found.push(...(this.#byClass.get(className) ?? []))
    this.#findTexts(message, found)
    if (found.length === this.#always.length) return this.#asked
    found.sort(ascending)
    const rules: HintRule[] = []
    for (const [place, index] of found.entries()) {
      const rule = this.#rules[index]
      if (rule !== undefined && found[place - 1] !== index) rules.push(rule)
    }
    return rules
  }

  /** Adds the rules of texts that the message holds. It is walked once, however many texts there are. */
  #findTexts(message: string, found: number[]): void {
    for (let index = 0; index < message.length; index += 1) {
      const texts = this.#byText[Math.min(message.charCodeAt(index), 128)]
      if (texts === undefined) continue
      const second = message.charCodeAt(index + 1)
      for (let at = 0; at < texts.length; at += 1) {
        const marked = texts[at]
        if (marked === undefined || (marked.second !== second && marked.text.length > 1)) continue
        if (message.startsWith(marked.text, index)) found.push(marked.rule)
      }
    }
  }
}

interface MarkedText {
  /** Not empty. */
  readonly text: string
  /** Its second character: most texts are told by it. */
  readonly second: number
  readonly rule: number
}

function ascending(one: number, other: number): number {
  return one - other
}

function put(rules: Map<string, number[]>, key: string, index: number): void {
  const known = rules.get(key)
  if (known === undefined) rules.set(key, [index])
  else known.push(index)
}
