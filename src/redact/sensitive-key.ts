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

/** Tells sensitive keys from others. */
export class SensitiveKeys {
  readonly #whole: ReadonlySet<string>
  readonly #together: ReadonlyMap<string, string>
  readonly #verdicts = new Map<string, boolean>()

  /** `added` are further keys, in any spelling. */
  constructor(added: readonly string[] = []) {
    this.#whole = new Set([...sensitiveKeys, ...added.map(normalizeName)].map(compact))
    this.#together = new Map(sensitiveTogether)
  }

  /** Whether the value of this key is masked. `hasSibling` says whether another key stands beside it. */
  matches(key: string, hasSibling: (key: string) => boolean = () => false): boolean {
    const known = this.#verdicts.get(key)
    const verdict = known ?? this.#judge(key)
    if (known === undefined && key.length <= maxNameLength) this.#remember(key, verdict)
    if (verdict) return true
    const beside = this.#together.get(key.length <= 20 ? normalizeName(key) : key)
    return beside !== undefined && hasSibling(beside)
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

  #remember(key: string, verdict: boolean): void {
    if (this.#verdicts.size >= maxVerdicts) this.#verdicts.clear()
    this.#verdicts.set(key, verdict)
  }
}

// `api_key`, `apiKey` and `apikey` are one name.
function compact(name: string): string {
  return name.replace(/[_[\]]/g, '')
}

const endings: readonly string[] = sensitiveKeyEndings.map(compact)
const beginnings: readonly string[] = sensitiveKeyBeginnings.map(compact)
