// JSON as it may stand in a script element, and texts that are written there again and again.

/**
 * A value as JSON in which `<`, `>`, `&` and U+2028/9 are written as escapes, so that nothing in it can end the element. Throws a
 * TypeError for what JSON cannot say (a BigInt, a cycle).
 */
export function toScriptJson(value: unknown): string {
  const json = JSON.stringify(value) ?? 'null'
  let escaped = ''
  let done = 0
  // A global expression goes on where it stopped, and begins anew when it has found the last.
  while (special.test(json)) {
    const at = special.lastIndex - 1
    escaped += `${json.slice(done, at)}\\u${json.charCodeAt(at).toString(16).padStart(4, '0')}`
    done = at + 1
  }
  return done === 0 ? json : escaped + json.slice(done)
}

const special = /[<>&\u2028\u2029]/g

/** The text as the inside of a JSON string, without its quotes. */
export function insideOfJson(text: string): string {
  return toScriptJson(text).slice(1, -1)
}

/** A text that comes again, as the trace of a fault that is looked for: what it is in JSON is found out once. */
export class KeptText {
  readonly #text: string
  #json: string | undefined

  constructor(text: string) {
    this.#text = text
  }

  /** Characters of the text. */
  get length(): number {
    return this.#text.length
  }

  /** The text. */
  toString(): string {
    return this.#text
  }

  /** The text as the inside of a JSON string. */
  toJsonInside(): string {
    if (this.#json !== undefined) return this.#json
    const json = insideOfJson(this.#text)
    if (json.length <= longestKept) this.#json = json
    return json
  }
}

const longestKept = 30_000
