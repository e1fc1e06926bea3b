// Any value as one short line of text, in the manner of a console: `404`, `[]`, `"text"`, `{ a: 1 }`. Bounded in depth,
// width and length; calls nothing of the value: getters, `toJSON`, `toString` and Proxy traps stay untouched.

import { types } from 'node:util'
import { mapEntries, mapSize, setItems, setSize } from './builtin-parts.ts'
import { describeAtom, describeBigInt, describeFunction } from './describe-atom.ts'
import type { ErrorRedactor } from './flattened-error.ts'
import { constructorName, cutText, ownValue } from './read-once.ts'

/** Bounds and masking. */
export interface DescribeOptions {
  /** Masks secret keys and what looks like a secret. Default: nothing is masked. */
  readonly redactor?: Pick<ErrorRedactor, 'text' | 'value'>
  /** Characters of the whole text at most. Default 4096. */
  readonly maxChars?: number
  /** Levels of nesting shown. Default 6. */
  readonly maxDepth?: number
  /** Keys or items shown of one object. Default 100. */
  readonly maxKeys?: number
}

/** The value as text. Never throws. */
export function describeValue(value: unknown, options: DescribeOptions = {}): string {
  return new Description(options).of(value)
}

/** Which of these keys hold secrets, by the redactor's rules. */
export function secretKeys(keys: readonly string[], redactor: Pick<ErrorRedactor, 'value'>): ReadonlySet<string> {
  const probe: Record<string, string> = Object.create(null) as Record<string, string>
  for (const key of keys) probe[key] = probeText
  const masked = redactor.value(probe)
  if (typeof masked !== 'object' || masked === null) return new Set(keys)
  return new Set(keys.filter((key) => ownValue(masked, key)?.value !== probeText))
}

/** What stands for a masked value. */
export const mask = '******'

const probeText = 'x'

class Description {
  readonly #redactor: DescribeOptions['redactor']
  readonly #maxDepth: number
  readonly #maxKeys: number
  readonly #path: object[] = []
  #charsLeft: number
  #isCut = false

  constructor(options: DescribeOptions) {
    this.#redactor = options.redactor
    this.#maxDepth = options.maxDepth ?? 6
    this.#maxKeys = options.maxKeys ?? 100
    this.#charsLeft = options.maxChars ?? 4096
  }

  of(value: unknown): string {
    const text = this.#value(value)
    return this.#isCut ? `${text} … (cut)` : text
  }

  #value(value: unknown): string {
    switch (typeof value) {
      case 'string':
        return this.#string(value)
      case 'number':
        return this.#take(Object.is(value, -0) ? '-0' : String(value))
      case 'bigint':
        return this.#take(describeBigInt(value))
      case 'symbol':
        return this.#take(cutText(String(value), 200))
      case 'function':
        return this.#take(describeFunction(value))
      case 'object':
        return value === null ? this.#take('null') : this.#object(value)
      default:
        return this.#take(String(value))
    }
  }

  #string(value: string): string {
    const text = value.length > 4096 ? cutText(value, 4096) : value
    return this.#take(JSON.stringify(this.#redactor === undefined ? text : this.#redactor.text(text)))
  }

  #object(value: object): string {
    if (types.isProxy(value)) return this.#take('[Proxy]')
    if (this.#path.includes(value)) return this.#take('[circular]')
    try {
      const atom = describeAtom(value)
      return atom === undefined ? this.#nested(value) : this.#take(this.#redactor?.text(atom) ?? atom)
    } catch {
      return this.#take('[cannot be read]')
    }
  }

  #nested(value: object): string {
    if (this.#path.length >= this.#maxDepth) return this.#take(Array.isArray(value) ? '[…]' : `${prefix(value)}{…}`)
    this.#path.push(value)
    try {
      if (Array.isArray(value)) return this.#items('[', value, value.length, ']')
      if (types.isMap(value)) return this.#entries(value)
      if (types.isSet(value))
        return this.#items(`Set(${setSize(value)}) {`, setItems(value, this.#maxKeys), setSize(value), '}')
      return this.#properties(value)
    } finally {
      this.#path.pop()
    }
  }

  #items(open: string, items: readonly unknown[], size: number, close: string): string {
    const parts: string[] = []
    const shown = Math.min(items.length, this.#maxKeys)
    for (let index = 0; index < shown && !this.#isCut; index += 1) {
      const item = Object.getOwnPropertyDescriptor(items, index)
      parts.push(
        item === undefined ? this.#take('(empty)') : 'value' in item ? this.#value(item.value) : this.#take('[getter]'),
      )
    }
    return wrap(open, parts, size, close)
  }

  #entries(map: Map<unknown, unknown>): string {
    const parts: string[] = []
    const shown = mapEntries(map, this.#maxKeys)
    const names = shown.map(([key]) => (typeof key === 'string' && key.length <= 200 ? key : ''))
    const secrets = this.#redactor === undefined ? noSecrets : secretKeys(names, this.#redactor)
    for (const [index, [key, value]] of shown.entries()) {
      if (this.#isCut) break
      const isSecret = secrets.has(names[index] ?? '') && names[index] !== ''
      parts.push(`${this.#value(key)} => ${isSecret ? this.#take(mask) : this.#value(value)}`)
    }
    const size = mapSize(map)
    return wrap(`Map(${size}) {`, parts, size, '}')
  }

  #properties(value: object): string {
    const keys = Object.keys(value)
    const shown = keys.slice(0, this.#maxKeys)
    const secrets = this.#redactor === undefined ? noSecrets : secretKeys(shown, this.#redactor)
    const parts: string[] = []
    for (const key of shown) {
      if (this.#isCut) break
      const property = Object.getOwnPropertyDescriptor(value, key)
      if (property === undefined) continue
      const name = this.#take(/^[A-Za-z_$][\w$]{0,200}$/.test(key) ? key : JSON.stringify(cutText(key, 200)))
      const text = secrets.has(key)
        ? this.#take(mask)
        : 'value' in property
          ? this.#value(property.value)
          : this.#take('[getter]')
      parts.push(`${name}: ${text}`)
    }
    return wrap(`${prefix(value)}{`, parts, keys.length, '}')
  }

  #take(text: string): string {
    if (text.length > this.#charsLeft) {
      this.#isCut = true
      const rest = text.slice(0, Math.max(0, this.#charsLeft))
      this.#charsLeft = 0
      return rest
    }
    // What stands between two values counts too.
    this.#charsLeft -= text.length + 2
    return text
  }
}

const noSecrets: ReadonlySet<string> = new Set()

function wrap(open: string, parts: readonly string[], size: number, close: string): string {
  if (size === 0) return open.endsWith('{') ? `${open}}` : open + close
  const missing = size - parts.length
  const inner = [...parts, ...(missing > 0 ? [`… ${missing} more`] : [])].join(', ')
  return open.endsWith('{') ? `${open} ${inner} ${close}` : `${open}${inner}${close}`
}

function prefix(value: object): string {
  if (Object.getPrototypeOf(value) === null) return '[null prototype] '
  const name = constructorName(value)
  return name === '' || name === 'Object' ? '' : `${name} `
}
