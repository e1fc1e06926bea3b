// Writes the tree as JavaScript. The code finds a route by path, method and static host, and leaves to the plain twin what
// needs more than that: conditions, schemes, host patterns, encoded values, and paths with the wrong slash at their end.

import { at, literal, textTest } from './code-text.ts'
import type { Place } from './code-text.ts'
import type { MatchResult } from './match-result.ts'
import { answeredMethods } from './route-entry.ts'
import type { RouteEntry } from './route-entry.ts'
import type { ParamEdge, TreeEnd, TreeNode, TreeTail } from './route-tree.ts'
import { branchesOf, hasRivals } from './tree-branches.ts'
import type { Branch } from './tree-branches.ts'

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

interface Way {
  readonly place: Place
  /** Start and end of each parameter so far. */
  readonly spans: readonly (readonly [start: string, end: string])[]
  /** The lowest order among the branches that are still to be tried after this one. */
  readonly pending: number
}

/** What the functions of one table share while they look for a route. */
interface SearchState {
  /** Order of the best match that had to wait for a branch that goes before it. */
  best: number
  found: MatchResult | undefined
  /** Whether a route takes the path, but not the method. */
  seen: boolean
}

/** A part of the generated code: path, its length, method, host, scheme, place, then start and end of each parameter. */
type GeneratedPart = (...args: readonly unknown[]) => MatchResult | undefined | Ask

/** A function holds a subtree with up to this many ends in one piece; of a larger one only the way to functions of its parts. */
const maxWeight = 64
/** Parts of a large subtree that are not worth a function of their own. */
const maxTinyWeight = 4

/**
 * Makes the function for a tree; large subtrees are made when a request first gets to them.
 * Throws where the environment forbids to make code (`EvalError`).
 */
export function generateMatcher(root: TreeNode): GeneratedFind {
  const state: SearchState = { best: Infinity, found: undefined, seen: false }
  const rivals = hasRivals(root, Infinity)
  const find = new MatcherCode(state, rivals).make(root, { variable: '', offset: 0 }, 0, Infinity)
  return (path, method, host, scheme) => {
    state.seen = false
    if (rivals) {
      state.best = Infinity
      state.found = undefined
    }
    const result = find(path, path.length, method, host, scheme)
    if (result !== undefined) return result
    if (rivals && state.found !== undefined) return state.found
    return state.seen ? ask : undefined
  }
}

/** Writes the functions of one table. */
class MatcherCode {
  readonly #state: SearchState
  readonly #hasRivals: boolean
  readonly #params: Map<string, unknown> = new Map()
  #values: unknown[] = []
  #variables = 0
  /** Whether the function at work holds all of its subtree. */
  #isWhole = true

  constructor(state: SearchState, hasRivals: boolean) {
    this.#state = state
    this.#hasRivals = hasRivals
  }

  /** The function for a subtree. */
  make(node: TreeNode, place: Place, spanCount: number, pending: number): GeneratedPart {
    this.#values = []
    this.#variables = 0
    this.#isWhole = node.weight <= maxWeight
    const spans = Array.from({ length: spanCount }, (_, index) => [`a${index}`, `b${index}`] as const)
    const body = this.#node(node, { place, spans, pending })
    const args = ['p', 'n', 'm', 'h', 's', 'i', ...spans.flat()].join(', ')
    // The source holds names and texts of routes as JSON strings and numbers only, and nothing of a request.
    // eslint-disable-next-line no-implied-eval, typescript/no-implied-eval -- this is what the file is for
    const factory = new Function('v', 'b', 'ask', `'use strict'\nreturn function find(${args}) {\n${body}\n}`)
    return (factory as (...given: readonly unknown[]) => GeneratedPart)(this.#values, this.#state, ask)
  }

  /** Tries what ends here and each branch, the one with the lowest order first. */
  #node(node: TreeNode, way: Way): string {
    const branches = branchesOf(node)
    return branches
      .map((branch, index) => {
        const pending = Math.min(way.pending, branches[index + 1]?.order ?? Infinity)
        return this.#ifBetter(index > 0 ? branch.order : -1, this.#branch(branch, { ...way, pending }))
      })
      .join('\n')
  }

  #branch({ nodes, ends, edge, tail }: Branch, way: Way): string {
    if (edge !== undefined) return this.#param(edge, way)
    if (tail !== undefined) return this.#tail(tail, way)
    return ends.length > 0 ? this.#ends(ends, way) : this.#children(nodes, way)
  }

  /** Passes over what could only find routes behind the one that is found already. */
  #ifBetter(order: number, code: string): string {
    return this.#hasRivals && order >= 0 ? `if (b.best > ${order}) {\n${code}\n}` : code
  }

  /** A subtree, in place or as a call of a function that is made at the first call. */
  #subtree(node: TreeNode, way: Way, isAlone: boolean): string {
    if (this.#isWhole || node.weight <= maxTinyWeight || isAlone) return this.#node(node, way)
    const values = this.#values
    const index = values.length
    const spanCount = way.spans.length
    values.push((...args: readonly unknown[]) => {
      const part = this.make(node, { variable: 'i', offset: 0 }, spanCount, way.pending)
      values[index] = part
      return part(...args)
    })
    const args = ['p', 'n', 'm', 'h', 's', at(way.place), ...way.spans.flat()].join(', ')
    return `{ const r = v[${index}](${args}); if (r !== undefined) return r }`
  }

  #children(children: readonly TreeNode[], way: Way): string {
    const place = at(way.place)
    const isAlone = children.length === 1
    const cases = children.map((child) => {
      const next = { ...way.place, offset: way.place.offset + child.text.length }
      const body = this.#ifBetter(child.minOrder, this.#subtree(child, { ...way, place: next }, isAlone))
      const test = textTest(child.text, way.place)
      return `case ${child.text.charCodeAt(0)}:\n${test === '' ? body : `if (${test}) {\n${body}\n}`}\nbreak`
    })
    return `if (n > ${place}) switch (p.charCodeAt(${place})) {\n${cases.join('\n')}\n}`
  }

  #param({ stops, expression, node }: ParamEdge, way: Way): string {
    const start = at(way.place)
    const end = this.#variable()
    const body = this.#subtree(
      node,
      {
        ...way,
        place: { variable: end, offset: 0 },
        spans: [...way.spans, [start, end]],
      },
      false,
    )
    const test = expression === null ? '' : ` && ${this.#value(expression)}.test(p.slice(${start}, ${end}))`
    const codes = [...stops, '%'].map((stop) => `c !== ${stop.charCodeAt(0)}`).join(' && ')
    const loop = `while (${end} < n && (c = p.charCodeAt(${end}), ${codes})) ${end}++`
    return `{\nlet ${end} = ${start}, c = 0\n${loop}\nif (c === 37) return ask\nif (${end} > ${start}${test}) {\n${body}\n}\n}`
  }

  #tail({ entry, names, expression }: TreeTail, way: Way): string {
    const start = at(way.place)
    if (expression !== null) {
      const value = this.#value(expression)
      const test = `${value}.lastIndex = ${start}\nif (${value}.test(p)) return ask`
      return entry.maxTailLength === Infinity ? test : `if (n - (${start}) <= ${entry.maxTailLength}) {\n${test}\n}`
    }
    const code = this.#entry(entry, names, { ...way, spans: [...way.spans, [start, 'n']] })
    return `if (n > ${start}) {\nif (p.includes('%', ${start})) return ask\n${code}\nb.seen = true\n}`
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
      if (!this.#hasRivals && isAlwaysTaken(entry)) return lines.join('\n')
    }
    const isPlain = ends.every(({ entry }) => entry.route.schemes.length === 0 && entry.route.host === '')
    const nothingFound = this.#hasRivals ? 'if (b.found === undefined) ' : ''
    // Nothing else is left to try: the answer to any other method is known.
    if (isPlain && way.pending === Infinity) {
      lines.push(`${nothingFound}return b.seen ? ask : ${this.#value(methodNotAllowed(ends))}`)
    } else lines.push('b.seen = true')
    return lines.join('\n')
  }

  /** Takes the request if host, scheme and method fit. */
  #entry(entry: RouteEntry, names: readonly string[], way: Way): string {
    const { route, hostName, hostPattern, methods } = entry
    let code = 'return ask'
    if (route.condition === null && hostPattern === null) {
      const tests = [...(methods ?? [])].map((method) => `m === ${literal(method)}`)
      const take = this.#take(entry, names, way)
      code = methods === null ? take : `if (${tests.join(' || ')}) { ${take} }`
      // Another scheme counts before another method.
      const others = route.schemes.map((scheme) => `s !== ${literal(scheme)}`)
      if (others.length > 0) code = `if (${others.join(' && ')}) return ask\n${code}`
    }
    return hostName === null ? code : `if (h === ${literal(hostName)}) {\n${code}\n}`
  }

  /** A match is final when no branch that is still to be tried goes before it. */
  #take(entry: RouteEntry, names: readonly string[], way: Way): string {
    const { order } = entry
    const result = this.#result(entry, names, way)
    if (!this.#hasRivals) return `return ${result}`
    if (way.pending > order) return `if (b.best > ${order}) return ${result}`
    return `if (b.best > ${order}) { b.best = ${order}; b.found = ${result} }`
  }

  #result(entry: RouteEntry, names: readonly string[], { spans }: Way): string {
    const { route } = entry
    const defaults = Object.entries(route.defaults).filter(([name]) => !names.includes(name))
    const paramsClass = this.#paramsClass([...names, ...defaults.map(([name]) => name)])
    const given = [
      ...spans.map(([start, end]) => `p.slice(${start}, ${end})`),
      ...defaults.map(([, value]) => literal(value)),
    ]
    return `{ kind: 'match', route: ${this.#value(route)}, params: new ${paramsClass}(${given.join(', ')}) }`
  }

  /** One constructor for each list of names gives parameters a stable shape without a prototype's properties. */
  #paramsClass(names: readonly string[]): string {
    const key = names.join('\0')
    let paramsClass = this.#params.get(key)
    if (paramsClass === undefined) {
      const args = names.map((_, index) => `x${index}`)
      const sets = names.map((own, index) => `this[${literal(own)}] = x${index}`)
      // eslint-disable-next-line no-implied-eval, typescript/no-implied-eval -- names of parameters, as JSON strings
      const factory = new Function(`return function Params(${args.join(', ')}) { ${sets.join('; ')} }`)
      const made = (factory as () => { prototype: unknown })()
      made.prototype = noProperties
      paramsClass = made
      this.#params.set(key, made)
    }
    return this.#value(paramsClass)
  }

  #variable(): string {
    this.#variables += 1
    return `e${this.#variables}`
  }

  #value(value: unknown): string {
    this.#values.push(value)
    return `v[${this.#values.length - 1}]`
  }
}

const noProperties: object = Object.freeze(Object.create(null) as object)

function isAlwaysTaken({ methods, hostName, hostPattern, route }: RouteEntry): boolean {
  const isFree = hostName === null && hostPattern === null && route.condition === null
  return methods === null && isFree && route.schemes.length === 0
}

function methodNotAllowed(ends: readonly TreeEnd[]): MatchResult {
  const allow = new Set(ends.flatMap(({ entry }) => answeredMethods(entry.route)))
  return Object.freeze({ kind: 'method_not_allowed', allow: Object.freeze([...allow]) })
}
