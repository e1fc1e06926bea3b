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

  /** A bit for each pair of characters with which some text begins. */
  readonly #pairs = new Int32Array(Math.ceil((pairRow * pairRow) / 32))

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
    if (text.length > 1) this.#addPair(first, text.charCodeAt(1))
    else for (let second = 0; second < pairRow; second += 1) this.#addPair(first, second)
  }

  #addPair(first: number, second: number): void {
    const pair = pairOf(first, second)
    this.#pairs[pair >> 5] = (this.#pairs[pair >> 5] ?? 0) | (1 << (pair & 31))
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
    let last = -1
    for (const index of found) {
      const rule = this.#rules[index]
      if (rule !== undefined && index !== last) rules.push(rule)
      last = index
    }
    return rules
  }

  /** Adds the rules of texts that the message holds. It is walked once, however many texts there are. */
  #findTexts(message: string, found: number[]): void {
    let second = message.charCodeAt(0)
    for (let index = 0; index < message.length; index += 1) {
      const first = second
      second = index + 1 < message.length ? message.charCodeAt(index + 1) : 0
      const pair = pairOf(first, second)
      if (((this.#pairs[pair >> 5] ?? 0) & (1 << (pair & 31))) === 0) continue
      const texts = this.#byText[Math.min(first, 128)] ?? []
      for (let at = 0; at < texts.length; at += 1) {
        const marked = texts[at]
        if (marked === undefined || (marked.second !== second && marked.text.length > 1)) continue
        if (message.startsWith(marked.text, index)) found.push(marked.rule)
      }
    }
  }
}

/** Characters that are told apart at a glance: ASCII's, and one for all others. */
const pairRow = 129

function pairOf(first: number, second: number): number {
  return (first < 128 ? first : 128) * pairRow + (second < 128 ? second : 128)
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
