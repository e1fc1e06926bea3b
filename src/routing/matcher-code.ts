// Writes the tree as JavaScript. The code finds a route by path, method and static host, and leaves to the plain twin what
// needs more than that: conditions, schemes, host patterns, and paths with the wrong slash at their end.

import type { MatchResult } from './match-result.ts'
import type { RouteEntry } from './route-entry.ts'
import type { ParamEdge, TreeEnd, TreeNode, TreeTail } from './route-tree.ts'
import { answeredMethods } from './route-entry.ts'

/** What the code answers: a match, a 405, `undefined` for a path that no route takes, or `ask` when only the twin can tell. */
export type GeneratedFind = (
  path: string,
  method: string,
  host: string,
  scheme: string,
) => MatchResult | undefined | Ask

/** Says that the plain twin must be asked. */
export interface Ask {
  readonly kind: 'ask'
}

/** The one `Ask`. */
export const ask: Ask = Object.freeze({ kind: 'ask' })

/** A position in the path: a number known now, or a variable plus a number. */
interface Place {
  readonly variable: string
  readonly offset: number
}

interface Way {
  readonly place: Place
  /** Start and end of each parameter so far. */
  readonly spans: readonly (readonly [start: string, end: string])[]
  /** The lowest order among the branches that are still to be tried after this one. */
  readonly pending: number
}

/** Subtrees with more ends than this get a function of their own, so that each one stays small enough to be optimized. */
const maxInlineWeight = 24

/** Longer texts are compared by `startsWith`. */
const maxComparedChars = 16

/** Source and constants of one table. */
export class MatcherCode {
  /** What the source refers to as `v[index]`. */
  readonly values: unknown[] = []
  #functions: string[] = []
  #params = new Map<string, string>()
  #variables = 0
  /** Whether a match may have to wait for a branch that goes before it. */
  #hasRivals = false

  /** The body of a function of `v` and `ask` that returns a `GeneratedFind`. */
  write(root: TreeNode): string {
    const way = { place: { variable: '', offset: 0 }, spans: [], pending: Infinity }
    let body = this.#node(root, way)
    // Rivals are known once all is written; what comes before the first one must know of it too.
    if (this.#hasRivals) {
      this.#clear()
      body = this.#node(root, way)
    }
    return `'use strict'
let best = 1 / 0, found, seen = false
const none = Object.freeze(Object.create(null))
${[...this.#params.values()].join('\n')}
${this.#functions.join('\n')}
return function find(p, m, h, s) {
const n = p.length
seen = false
${this.#hasRivals ? 'best = 1 / 0\nfound = undefined' : ''}
${body}
${this.#hasRivals ? 'if (found !== undefined) return found' : ''}
return seen ? ask : undefined
}`
  }

  #clear(): void {
    this.values.length = 0
    this.#functions = []
    this.#params = new Map()
    this.#variables = 0
  }

  /** Tries what ends here and each branch, the one with the lowest order first. */
  #node(node: TreeNode, way: Way): string {
    const branches: { readonly order: number; readonly write: (pending: number) => string }[] = []
    const [firstEnd] = node.ends
    if (firstEnd !== undefined) {
      branches.push({ order: firstEnd.entry.order, write: (pending) => this.#ends(node.ends, { ...way, pending }) })
    }
    const children = [...node.children.values()]
    if (children.length > 0) {
      const order = Math.min(...children.map((child) => child.minOrder))
      branches.push({ order, write: (pending) => this.#children(children, { ...way, pending }) })
    }
    for (const edge of node.params) {
      branches.push({ order: edge.node.minOrder, write: (pending) => this.#param(edge, { ...way, pending }) })
    }
    for (const tail of node.tails) {
      branches.push({ order: tail.entry.order, write: (pending) => this.#tail(tail, { ...way, pending }) })
    }
    branches.sort((one, other) => one.order - other.order)
    return branches
      .map(({ order, write }, index) => {
        const later = branches[index + 1]?.order ?? Infinity
        const code = write(Math.min(way.pending, later))
        return this.#hasRivals && index > 0 ? `if (best > ${order}) {\n${code}\n}` : code
      })
      .join('\n')
  }

  /** A subtree, in place or as a call. */
  #subtree(node: TreeNode, way: Way): string {
    if (node.weight <= maxInlineWeight) return this.#node(node, way)
    const start = `e${this.#variables}`
    this.#variables += 1
    const spans = way.spans.map((_, index) => [`a${index}`, `b${index}`] as const)
    const body = this.#node(node, { ...way, spans, place: { variable: start, offset: 0 } })
    const name = `f${this.#functions.length}`
    const names = [start, ...spans.flat()]
    this.#functions.push(`function ${name}(p, n, m, h, s, ${names.join(', ')}) {\n${body}\nreturn undefined\n}`)
    const values = [at(way.place), ...way.spans.flat()]
    return `{ const r = ${name}(p, n, m, h, s, ${values.join(', ')}); if (r !== undefined) return r }`
  }

  #children(children: readonly TreeNode[], way: Way): string {
    const place = at(way.place)
    const cases = children.map((child) => {
      const { length } = child.text
      const body = this.#subtree(child, { ...way, place: { ...way.place, offset: way.place.offset + length } })
      const guarded = this.#hasRivals ? `if (best > ${child.minOrder}) {\n${body}\n}` : body
      return { code: child.text.charCodeAt(0), test: textTest(child.text, way.place), body: guarded }
    })
    const [only] = cases
    if (cases.length === 1 && only !== undefined) {
      return `if (n > ${place} && p.charCodeAt(${place}) === ${only.code}${and(only.test)}) {\n${only.body}\n}`
    }
    const written = cases.map(({ code, test, body }) => {
      return `case ${code}:\n${test === '' ? body : `if (${test}) {\n${body}\n}`}\nbreak`
    })
    return `if (n > ${place}) switch (p.charCodeAt(${place})) {\n${written.join('\n')}\n}`
  }

  #param({ stops, expression, node }: ParamEdge, way: Way): string {
    const start = at(way.place)
    const end = `e${this.#variables}`
    this.#variables += 1
    const codes = [...stops].map((stop) => stop.charCodeAt(0))
    const body = this.#subtree(node, {
      ...way,
      place: { variable: end, offset: 0 },
      spans: [...way.spans, [start, end]],
    })
    const test = expression === null ? '' : ` && ${this.#value(expression)}.test(p.slice(${start}, ${end}))`
    const stop =
      codes.length === 1 ? `p.charCodeAt(${end}) !== ${codes[0]}` : codes.map((code) => `c !== ${code}`).join(' && ')
    const loop =
      codes.length === 1
        ? `while (${end} < n && ${stop}) ${end}++`
        : `for (let c; ${end} < n && (c = p.charCodeAt(${end}), ${stop}); ) ${end}++`
    return `{\nlet ${end} = ${start}\n${loop}\nif (${end} > ${start}${test}) {\n${body}\n}\n}`
  }

  #tail({ entry, names, expression }: TreeTail, way: Way): string {
    const start = at(way.place)
    if (expression !== null) {
      const value = this.#value(expression)
      return `${value}.lastIndex = ${start}\nif (${value}.test(p)) return ask`
    }
    return `if (n > ${start}) {\n${this.#entry(entry, names, { ...way, spans: [...way.spans, [start, 'n']] })}\nseen = true\n}`
  }

  /** Routes whose path ends at this place, or one slash later. */
  #ends(ends: readonly TreeEnd[], way: Way): string {
    const place = at(way.place)
    const isRoot = way.place.variable === '' && way.place.offset === 1
    const bare = this.#endsForm(ends, way, (entry) => isRoot || !entry.hasTrailingSlash)
    const slashed = this.#endsForm(ends, way, (entry) => entry.hasTrailingSlash)
    return `if (n === ${place}) {\n${bare}\n} else if (n === ${place} + 1 && p.charCodeAt(${place}) === 47) {\n${slashed}\n}`
  }

  #endsForm(ends: readonly TreeEnd[], way: Way, isOwnForm: (entry: RouteEntry) => boolean): string {
    const lines: string[] = []
    for (const { entry, names } of ends) {
      if (!isOwnForm(entry)) return [...lines, 'return ask'].join('\n')
      lines.push(this.#entry(entry, names, way))
      if (isAlwaysTaken(entry) && way.pending > entry.order) return lines.join('\n')
    }
    const isPlain = ends.every(({ entry }) => entry.route.schemes.length === 0 && entry.route.host === '')
    const rivalless = this.#hasRivals ? 'if (found === undefined) ' : ''
    // Nothing else is left to try: the answer to any other method is known.
    if (isPlain && way.pending === Infinity)
      lines.push(`${rivalless}return seen ? ask : ${this.#value(methodNotAllowed(ends))}`)
    else lines.push('seen = true')
    return lines.join('\n')
  }

  /** Takes the request if host, scheme and method fit. */
  #entry(entry: RouteEntry, names: readonly string[], way: Way): string {
    const { route, hostName, hostPattern, methods } = entry
    let code = 'return ask'
    if (route.condition === null && hostPattern === null) {
      code = this.#take(entry, names, way)
      if (methods !== null)
        code = `if (${[...methods].map((method) => `m === ${literal(method)}`).join(' || ')}) { ${code} }`
      // Another scheme counts before another method.
      const others = route.schemes.map((scheme) => `s !== ${literal(scheme)}`)
      if (others.length > 0) code = `if (${others.join(' && ')}) return ask\n${code}`
    }
    return hostName === null ? code : `if (h === ${literal(hostName)}) {\n${code}\n}`
  }

  /** A match is final when no branch that is still to be tried goes before it. */
  #take(entry: RouteEntry, names: readonly string[], way: Way): string {
    const result = this.#result(entry, names, way)
    if (way.pending > entry.order)
      return this.#hasRivals ? `if (best > ${entry.order}) return ${result}` : `return ${result}`
    this.#hasRivals = true
    return `if (best > ${entry.order}) { best = ${entry.order}; found = ${result} }`
  }

  #result(entry: RouteEntry, names: readonly string[], { spans }: Way): string {
    const defaults = Object.entries(entry.route.defaults).filter(([name]) => !names.includes(name))
    const all = [...names, ...defaults.map(([name]) => name)]
    const values = [
      ...spans.map(([start, end]) => `p.slice(${start}, ${end})`),
      ...defaults.map(([, value]) => literal(value)),
    ]
    return `{ kind: 'match', route: ${this.#value(entry.route)}, params: new ${this.#paramsClass(all)}(${values.join(', ')}) }`
  }

  /** One constructor for each set of names gives parameters a stable shape without a prototype's properties. */
  #paramsClass(names: readonly string[]): string {
    const key = JSON.stringify(names)
    const known = this.#params.get(key)
    const name = known === undefined ? `P${this.#params.size}` : (/P\d+/.exec(known)?.[0] ?? '')
    if (known === undefined) {
      const args = names.map((_, index) => `x${index}`)
      const sets = names.map((own, index) => `this[${JSON.stringify(own)}] = x${index}`)
      this.#params.set(key, `function ${name}(${args.join(', ')}) { ${sets.join('; ')} }\n${name}.prototype = none`)
    }
    return name
  }

  #value(value: unknown): string {
    this.values.push(value)
    return `v[${this.values.length - 1}]`
  }
}

function isAlwaysTaken({ methods, hostName, route }: RouteEntry): boolean {
  return methods === null && hostName === null && route.schemes.length === 0
}

function methodNotAllowed(ends: readonly TreeEnd[]): MatchResult {
  const allow = new Set(ends.flatMap(({ entry }) => answeredMethods(entry.route)))
  return Object.freeze({ kind: 'method_not_allowed', allow: Object.freeze([...allow]) })
}

function at({ variable, offset }: Place): string {
  if (variable === '') return String(offset)
  return offset === 0 ? variable : `${variable} + ${offset}`
}

/** The test for all but the first character, which the branch has looked at. */
function textTest(text: string, place: Place): string {
  if (text.length === 1) return ''
  const start = place.offset
  if (text.length > maxComparedChars) return `p.startsWith(${JSON.stringify(text)}, ${at(place)})`
  const tests = [`n >= ${at({ ...place, offset: start + text.length })}`]
  for (let index = 1; index < text.length; index += 1) {
    tests.push(`p.charCodeAt(${at({ ...place, offset: start + index })}) === ${text.charCodeAt(index)}`)
  }
  return tests.join(' && ')
}

function and(test: string): string {
  return test === '' ? '' : ` && ${test}`
}

function literal(value: unknown): string {
  return JSON.stringify(value) ?? 'undefined'
}
