// Decides by its name whether a key holds a secret. Verdicts are remembered, because the same few names come again and again.

import { sensitiveKeyBeginnings, sensitiveKeyEndings, sensitiveKeys, sensitiveTogether } from './rules.ts'

/** Names as they are compared: lower case, with `-`, `.` and space turned into `_`. */
export function normalizeName(name: string): string {
  return name.toLowerCase().replace(/[-. ]/g, '_')
}

/** Verdicts kept at most; names come from outside, so the memory is emptied when it is full. */
const maxVerdicts = 2000
/** Of a longer name only the end is looked at. */
const maxNameLength = 200

/** Sensitive, not so, or so beside the key named. */
type Verdict = boolean | string

const hasNone = (): boolean => false

/** Tells sensitive keys from others. */
export class SensitiveKeys {
  readonly #whole: ReadonlySet<string>
  readonly #together: ReadonlyMap<string, string>
  readonly #verdicts = new Map<string, Verdict>()

  /** `added` are further keys, in any spelling. */
  constructor(added: readonly string[] = []) {
    this.#whole = new Set([...sensitiveKeys, ...added.map(normalizeName)].map(compact))
    this.#together = new Map(sensitiveTogether)
  }

  /** Whether the value of this key is masked. `hasSibling` says whether another key stands beside it. */
  matches(key: string, hasSibling: (key: string) => boolean = hasNone): boolean {
    const known = this.#verdicts.get(key)
    const verdict = known ?? this.#remember(key)
    return typeof verdict === 'boolean' ? verdict : hasSibling(verdict)
  }

  #remember(key: string): Verdict {
    const verdict: Verdict = this.#judge(key) || (this.#together.get(normalizeName(key.slice(0, 20))) ?? false)
    if (key.length > maxNameLength) return verdict
    if (this.#verdicts.size >= maxVerdicts) this.#verdicts.clear()
    this.#verdicts.set(key, verdict)
    return verdict
  }

  // `user[password]`, `user.password` and `session[id]` are judged as one name and by each of their parts.
  #judge(key: string): boolean {
    const name = key.slice(-maxNameLength)
    if (this.#judgeCompact(compact(normalizeName(name)))) return true
    if (!name.includes('[') && !name.includes('.')) return false
    return name.split(/[[\].]/).some((part) => part !== '' && this.#judgeCompact(compact(normalizeName(part))))
  }

  #judgeCompact(name: string): boolean {
    if (this.#whole.has(name)) return true
    return endings.some((ending) => name.endsWith(ending)) || beginnings.some((beginning) => name.startsWith(beginning))
  }
}

// `api_key`, `apiKey` and `apikey` are one name.
function compact(name: string): string {
  return name.replace(/[_[\]]/g, '')
}

const endings: readonly string[] = sensitiveKeyEndings.map(compact)
const beginnings: readonly string[] = sensitiveKeyBeginnings.map(compact)
