// The languages of the highlighter as this folder uses them: the rules of one joined to one expression, which is tried at one
// place at a time.

import type { ShjLanguageData, ShjMatcher, ShjRule } from '@speed-highlight/core/tokenize'
import { languages } from './late-packages.ts'
import { once } from './once.ts'

/** What a rule has matched. */
export interface RuleMatch {
  /** Never empty. */
  readonly text: string
  /** Kind of the whole; `undefined` for plain. */
  readonly type: string | undefined
  /** What takes the text further apart; `undefined` where nothing does. */
  readonly sub: ShjLanguageData | undefined
}

/** The rules of one language. */
export class JoinedRules {
  readonly #expression: RegExp
  readonly #rules: readonly JoinedRule[]
  /** Kinds of words, by place. */
  readonly #words = new Map<string, (string | undefined)[]>()

  constructor(rules: readonly ShjRule[]) {
    let groups = 0
    const sources: string[] = []
    const joined: JoinedRule[] = []
    for (const rule of rules) {
      const [type, match] = rule.expand === undefined ? [rule.type, rule.match] : (shared[rule.expand] ?? [])
      if (!(match instanceof RegExp)) throw new TypeError('A rule of a language must be a regular expression')
      const body = withGroupsAfter(match.source, groups)
      groups += body.groups + 1
      sources.push(`(?${match.multiline ? 'm' : ''}:${body.source})()`)
      const sub = subLanguage(rule)
      joined.push({ group: groups, type, sub, parts: sub === undefined ? undefined : partsOf(sub) })
    }
    // The earliest rule wins, as alternatives of an expression are tried anyway.
    this.#expression = new RegExp(sources.join('|'), 'y')
    this.#rules = joined
  }

  /** What the rules find at just this place; `undefined` for nothing. Throws where a text is too much for an expression. */
  matchAt(code: string, index: number): RuleMatch | undefined {
    this.#expression.lastIndex = index
    const match = this.#expression.exec(code)
    if (match === null || match[0] === '') return undefined
    const [text] = match
    const rule = this.#rules.find(({ group }) => match[group] !== undefined)
    const isWhole = rule?.parts?.test(text) === false
    return { text, type: rule?.type, sub: isWhole ? undefined : rule?.sub }
  }

  /** Kind of a word by what stands beside it, empty for plain. The same words come again: each is looked at once, with a bound. */
  kindOf(word: string, place: WordPlace): string {
    let kinds = this.#words.get(word)
    if (kinds === undefined) {
      if (this.#words.size >= maxWords) this.#words.clear()
      this.#words.set(word, (kinds = unknownKinds.slice()))
    }
    return (kinds[place] ??= this.#judge(word, place))
  }

  #judge(word: string, place: WordPlace): string {
    const [before, behind] = neighbours[place]
    const match = this.matchAt(`${before}${word}${behind}`, before === ':' ? 0 : before.length)
    const wanted = before === ':' ? `:${word}` : word
    return match?.text === wanted ? (match.type ?? '') : ''
  }
}

/** What of its neighbours decides about a word. */
export type WordPlace = 0 | 1 | 2 | 3 | 4 | 5

/** Alone, before a colon, before a call; the same behind a dot but for the colon, where the dot is of no account; behind a colon. */
export const wordPlaces = { alone: 0, named: 1, called: 2, member: 3, calledMember: 4, typed: 5 } as const

const neighbours: Readonly<Record<WordPlace, readonly [before: string, behind: string]>> = {
  0: ['', ''],
  1: ['', ':'],
  2: ['', '('],
  3: ['a.', ''],
  4: ['a.', '('],
  5: [':', ''],
}

const maxWords = 2000

/** Of a word that was not looked at yet, by place. */
const unknownKinds: readonly (string | undefined)[] = Object.keys(neighbours).map(() => undefined)

interface JoinedRule {
  /** The empty group at the end of the rule's alternative: it is set when the rule has matched. */
  readonly group: number
  readonly type: string | undefined
  readonly sub: ShjLanguageData | undefined
  /** Tells whether `sub` finds anything in a text; `undefined` where that is not known before. */
  readonly parts: RegExp | undefined
}

// What the library shares among its languages by name.
const shared: Readonly<Record<string, readonly [type: string, match: RegExp]>> = {
  num: ['num', /(\.e?|\b)\d(e-|[\d.oxa-fA-F_])*(\.|\b)/],
  str: ['str', /(["'])(\\[^]|(?!\1)[^\r\n\\])*\1?/],
  strDouble: ['str', /"((?!")[^\r\n\\]|\\[^])*"?/],
}

const javascript = once(() => new JoinedRules(rulesOf('js')))
const typescript = once(() => new JoinedRules(rulesOf('ts')))
const typescriptExtensions: ReadonlySet<string> = new Set(['ts', 'mts', 'cts', 'tsx', 'vue', 'svelte', 'astro'])

/** The rules for files of an extension (`ts`); JavaScript's where it has none of its own. */
export function rulesFor(extension: string): JoinedRules {
  return typescriptExtensions.has(extension) ? typescript() : javascript()
}

/** The next piece of code in a template in backticks, `${…}`, perhaps without its end; `null` behind the last. */
export function embeddedAfter(template: string, start: number): ReturnType<ShjMatcher['exec']> {
  const embedded = embeddedCode()
  if (embedded === undefined) return null
  embedded.lastIndex = start
  return embedded.exec(template)
}

/** How the highlighter itself finds them: by counting braces, which no expression can. */
const embeddedCode: () => ShjMatcher | undefined = once(
  () =>
    rulesOf('js')
      .flatMap((rule): readonly ShjRule[] => (rule.expand === undefined && Array.isArray(rule.sub) ? rule.sub : []))
      .find(({ match }) => match !== undefined && !(match instanceof RegExp))?.match,
)

/** The rules of a language that is nothing but rules. */
function rulesOf(name: string): readonly ShjRule[] {
  const rules = languages()[name]
  if (!Array.isArray(rules)) throw new TypeError(`The language "${name}" must be a list of rules`)
  return rules
}

/** An expression's text for a place behind `before` groups of others; groups that it does not refer to are not kept. */
function withGroupsAfter(source: string, before: number): { readonly source: string; readonly groups: number } {
  const isReferring = /\\[1-9]/.test(source)
  let groups = 0
  const moved = source.replace(
    /\\([1-9])|\\.|\[(?:\\.|[^\]\\])*\]|\((?!\?)/g,
    (part: string, reference: string | undefined) => {
      if (reference !== undefined) return `(?:\\${Number(reference) + before})`
      if (part !== '(') return part
      if (!isReferring) return '(?:'
      groups += 1
      return part
    },
  )
  return { source: moved, groups }
}

function subLanguage(rule: ShjRule): ShjLanguageData | undefined {
  if (rule.expand !== undefined || rule.sub === undefined) return undefined
  if (typeof rule.sub === 'string') return languages()[rule.sub]
  return typeof rule.sub === 'function' ? undefined : (rule as ShjLanguageData)
}

/** An expression that matches where one of a language's rules does, if all of them are plain expressions. */
function partsOf(language: ShjLanguageData): RegExp | undefined {
  const rules = Array.isArray(language) ? language : (language as { readonly sub?: unknown }).sub
  if (!Array.isArray(rules)) return undefined
  const sources: string[] = []
  for (const { match } of rules as readonly ShjRule[]) {
    if (!(match instanceof RegExp) || /\\[1-9]/.test(match.source)) return undefined
    sources.push(`(?${match.multiline ? 'm' : ''}:${match.source})`)
  }
  return new RegExp(sources.join('|'))
}
