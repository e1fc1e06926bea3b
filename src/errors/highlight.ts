// Colours source: the rules of the highlighter's languages, tried as one expression instead of one after the other, which
// takes a quarter of the time. What a rule takes further apart (comments, templates, patterns) is left to the highlighter.

import js from '@speed-highlight/core/languages/js.js'
import jsdoc from '@speed-highlight/core/languages/jsdoc.js'
import regex from '@speed-highlight/core/languages/regex.js'
import todo from '@speed-highlight/core/languages/todo.js'
import ts from '@speed-highlight/core/languages/ts.js'
import { tokenizeWith, type ShjLanguageData, type ShjRule } from '@speed-highlight/core/tokenize'
import type { SourceToken } from './flattened-error.ts'

/** Source as tokens, line by line. Never throws: what cannot be highlighted stays plain. */
export function highlight(lines: readonly string[], extension: string): SourceToken[][] {
  const result = new TokenLines()
  const code = lines.map(cutLine).join('\n')
  const { expression, rules } = typescriptExtensions.has(extension) ? typescript : javascript
  let done = 0
  expression.lastIndex = 0
  for (let match = nextMatch(expression, code); match !== null; match = nextMatch(expression, code)) {
    const [text] = match
    const rule = ruleOf(match, rules)
    if (match.index > done) result.add(code.slice(done, match.index), undefined)
    done = match.index + text.length
    if (rule?.sub === undefined) result.add(text, rule?.type)
    else tokenizeWith(text, rule.sub, result.add, { languages })
  }
  if (done < code.length) result.add(code.slice(done), undefined)
  return result.lines
}

/** The next match that is not empty; `null` behind the last one, and where a text is too much for the expression. */
function nextMatch(expression: RegExp, code: string): RegExpExecArray | null {
  try {
    for (let match = expression.exec(code); match !== null; match = expression.exec(code)) {
      if (match[0] !== '') return match
      expression.lastIndex += 1
    }
  } catch {
    // The rest stays plain.
  }
  return null
}

function ruleOf(match: RegExpExecArray, rules: readonly JoinedRule[]): JoinedRule | undefined {
  for (const rule of rules) if (match[rule.group] !== undefined) return rule
  return undefined
}

const maxLineChars = 400

/** Tokens as they come, parted at line breaks; neighbours of one kind are one token. */
class TokenLines {
  readonly lines: [string, string][][] = [[]]
  #last: [string, string][] = this.lines[0] ?? []

  readonly add = (text: string, kind: string | undefined): void => {
    let start = 0
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
      this.#put(text.slice(start, end), kind ?? '')
      this.lines.push((this.#last = []))
      start = end + 1
    }
    this.#put(start === 0 ? text : text.slice(start), kind ?? '')
  }

  #put(text: string, kind: string): void {
    if (text === '') return
    const previous = this.#last.at(-1)
    if (previous !== undefined && previous[0] === kind) previous[1] += text
    else this.#last.push([kind, text])
  }
}

/** A language whose rules are one expression. */
interface JoinedLanguage {
  readonly expression: RegExp
  readonly rules: readonly JoinedRule[]
}

interface JoinedRule {
  /** The empty group at the end of the rule's alternative: it is set when the rule has matched. */
  readonly group: number
  readonly type: string | undefined
  /** What takes the match further apart. */
  readonly sub: ShjLanguageData | undefined
}

// The library's declarations know its language modules only by the shape of their values.
const languages: Record<string, ShjLanguageData> = {
  js: js as ShjLanguageData,
  ts: ts as ShjLanguageData,
  jsdoc: jsdoc as ShjLanguageData,
  regex: regex as ShjLanguageData,
  todo: todo as ShjLanguageData,
}

// What the library shares among its languages by name.
const shared: Readonly<Record<string, readonly [type: string, match: RegExp]>> = {
  num: ['num', /(\.e?|\b)\d(e-|[\d.oxa-fA-F_])*(\.|\b)/],
  str: ['str', /(["'])(\\[^]|(?!\1)[^\r\n\\])*\1?/],
  strDouble: ['str', /"((?!")[^\r\n\\]|\\[^])*"?/],
}

const javascript = joinRules(js as readonly ShjRule[])
const typescript = joinRules(ts as readonly ShjRule[])
const typescriptExtensions: ReadonlySet<string> = new Set(['ts', 'mts', 'cts', 'tsx', 'vue', 'svelte', 'astro'])

/** The leftmost match wins, among those the earliest rule: as alternatives of an expression are tried anyway. */
function joinRules(rules: readonly ShjRule[]): JoinedLanguage {
  let groups = 0
  const sources: string[] = []
  const joined: JoinedRule[] = []
  for (const rule of rules) {
    const [type, match] = rule.expand === undefined ? [rule.type, rule.match] : (shared[rule.expand] ?? [])
    if (!(match instanceof RegExp)) throw new TypeError('A rule of a language must be a regular expression')
    const body = withGroupsAfter(match.source, groups)
    groups += body.groups + 1
    sources.push(`(?${match.multiline ? 'm' : ''}:${body.source})()`)
    joined.push({ group: groups, type, sub: subLanguage(rule) })
  }
  return { expression: new RegExp(sources.join('|'), 'g'), rules: joined }
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
  if (typeof rule.sub === 'string') return languages[rule.sub]
  return typeof rule.sub === 'function' ? undefined : (rule as ShjLanguageData)
}

function cutLine(line: string): string {
  return line.length > maxLineChars ? `${line.slice(0, maxLineChars)}…` : line
}
