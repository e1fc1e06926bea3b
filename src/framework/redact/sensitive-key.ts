// Decides by its name whether a key holds a secret, and remembers it, because the same few names come again and again.

import {
  harmlessFirstWords,
  harmlessKeyParts,
  harmlessLastWords,
  sensitiveKeyBeginnings,
  sensitiveKeyEndings,
  sensitiveKeyParts,
  sensitiveKeys,
  sensitiveLastWords,
  sensitiveTogether,
} from './rules.ts'

/** Names as they are compared: lower case, with `-`, `.` and space turned into `_`. */
export function normalizeName(name: string): string {
  return name.toLowerCase().replace(/[-. ]/g, '_')
}

/** Keeps a verdict and gives it back. Names come from outside, so the memory is emptied when it is full. */
export function remember<Verdict>(verdicts: Map<string, Verdict>, name: string, verdict: Verdict): Verdict {
  if (verdicts.size >= maxVerdicts) verdicts.clear()
  if (name.length <= maxNameLength) verdicts.set(name, verdict)
  return verdict
}

const maxVerdicts = 2000
/** For a longer name only the end counts. */
const maxNameLength = 200

/** Sensitive or not, or only beside the key named. */
type Verdict = boolean | string

const hasNone = (): boolean => false

export class SensitiveKeys {
  readonly #whole: ReadonlySet<string>
  readonly #together: ReadonlyMap<string, string>
  readonly #verdicts = new Map<string, Verdict>()

  /** `added`: further keys, in any spelling. */
  constructor(added: readonly string[] = []) {
    this.#whole = new Set([...sensitiveKeys, ...added].map(compact))
    this.#together = new Map(sensitiveTogether)
  }

  /** Whether the value of this key is masked. `hasSibling` tells whether another key is beside it. */
  matches(key: string, hasSibling: (key: string) => boolean = hasNone): boolean {
    const verdict = this.#verdicts.get(key) ?? remember(this.#verdicts, key, this.#judge(key))
    return typeof verdict === 'boolean' ? verdict : hasSibling(verdict)
  }

  // `user[password]`, `user.password` and `session[id]` are judged as one name and by each of their parts.
  #judge(key: string): Verdict {
    const name = key.slice(-maxNameLength)
    const named = name.split(/[[\].]/).filter((part) => part !== '')
    const isSensitive = this.#isListed(name) || named.some((part) => this.#isListed(part) || isSensitiveByWords(part))
    return isSensitive || (this.#together.get(normalizeName(key.slice(0, 20))) ?? false)
  }

  #isListed(part: string): boolean {
    const name = compact(part)
    if (this.#whole.has(name) || endings.some((ending) => name.endsWith(ending))) return true
    return beginnings.some((beginning) => name.startsWith(beginning))
  }
}

function isSensitiveByWords(part: string): boolean {
  const words = wordsOf(part)
  const last = words.at(-1) ?? ''
  const beforeLast = words.at(-2) ?? ''
  const harmlessBefore = sensitiveLastWords.get(last)
  if (harmlessFirstWords.has(words[0] ?? '') || harmlessBefore?.has(beforeLast) === true) return false
  if (harmlessBefore !== undefined && beforeLast !== '') return true
  const name = compact(part).replace(harmlessKeyParts, '')
  return !harmlessLastWords.has(last) && parts.some((sensitive) => name.includes(sensitive))
}

// `accessToken`, `ACCESS_TOKEN` and `access-token` are two words.
function wordsOf(name: string): string[] {
  const separated = name.replace(/([a-z\d])([A-Z])|([A-Z])(?=[A-Z][a-z])/g, '$1$3_$2')
  return separated
    .toLowerCase()
    .split(/[^a-z\d]+/)
    .filter((word) => word !== '')
}

// `api_key`, `apiKey` and `apikey` are one name.
function compact(name: string): string {
  return normalizeName(name).replace(/[_[\]]/g, '')
}

const parts: readonly string[] = sensitiveKeyParts.map(compact)
const endings: readonly string[] = sensitiveKeyEndings.map(compact)
const beginnings: readonly string[] = sensitiveKeyBeginnings.map(compact)
