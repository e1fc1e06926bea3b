// What lines of a request did with values that is hardly meant, each told the first time: as they ran, when something ran again, and at the end.

import { posix } from 'node:path'
import { bare, isFunction, isMember, patternNames, type Node } from '../errors/source/syntax.ts'
import type { SeenCall } from '../http/recording/recording.ts'
import type { Found } from '../observe/profile.ts'
import { statementIn } from '../origins/functions.ts'
import type { Odd } from '../origins/odd-rules.ts'
import { leftBehind, oddValuesAt, triedAgain, type KnownNodes } from '../origins/odd-values.ts'
import type { CodePlace, TracedFunction } from './code-scopes.ts'

/** Lines whose odd values are told. */
const maxOdd = 10

type Variables = ReadonlyMap<string, unknown>

export class OddNotes {
  readonly found: Found[] = []
  /** Functions whose lines are noted. */
  readonly traced: Set<Node> = new Set()
  readonly #textOf: (name: string, value: unknown) => string
  readonly #timeMs: () => number
  readonly #told = new Map<CodePlace, { readonly line: number; readonly text: string }>()
  readonly #nodes: KnownNodes = new WeakMap()
  /** Offsets of the places of each call, in the order in which they were passed last. */
  readonly #passed = new WeakMap<object, Set<number>>()
  readonly #made = new Map<CodePlace, { readonly call: object; readonly odd: Odd; value: unknown }>()
  /** What the request set variables to that all requests share. */
  readonly #shared = new Map<string, { readonly value: unknown; readonly place: CodePlace; readonly set: Node }>()

  /** `textOf` masks by the name; `timeMs` is since the request began. */
  constructor(textOf: (name: string, value: unknown) => string, timeMs: () => number) {
    this.#textOf = textOf
    this.#timeMs = timeMs
  }

  /** Before the code of a place runs, with all that it names. */
  look(call: object, last: CodePlace | undefined, place: CodePlace, variables: Variables): void {
    const { of, offset, kind } = place
    if (kind === 'parameter') return
    const isOver = kind === 'return'
    const statement = statementIn(of.code.node, isOver ? offset - 1 : offset)
    this.#lookForShared(last, place, statement, variables)
    for (const [at, one] of this.#made)
      if (one.call === call && last === at) one.value = variables.get(one.odd.lost?.name ?? '')
    const passed = this.#passed.get(call) ?? new Set<number>()
    const since = [...passed].slice([...passed].indexOf(offset) + 1)
    const isAgain = passed.delete(offset)
    this.#passed.set(call, passed.add(offset))
    if (!place.isPassed || this.#isTold(place)) return
    const run = { tree: of.scopes.tree, statement, isOver, variables, textOf: this.#textOf }
    for (const odd of oddValuesAt(run, this.#nodes)) {
      if (odd.lost === undefined) this.#tell(place, odd)
      else if (!this.#made.has(place)) this.#made.set(place, { call, odd, value: undefined })
    }
    const again = isAgain ? triedAgain(of.scopes.tree, statement, since) : undefined
    if (again !== undefined) this.#tell(place, again)
  }

  /** What a call made in its last statement, and did not wait for. */
  lookForLeft(last: CodePlace, waiting: readonly { readonly of: TracedFunction }[]): void {
    if (waiting.length === 0 || this.#isTold(last)) return
    const { scopes, code } = last.of
    const statement = statementIn(code.node, last.offset)
    const left = waiting.map((one) => one.of.code)
    const text = leftBehind(scopes.tree, code.node, statement, left)
    if (text !== undefined) this.#tell(last, { text, at: statement })
  }

  /** When the request has ended. */
  end(): void {
    for (const [place, { odd, value }] of this.#made)
      if (odd.lost?.isSo(value) === true && !this.#isTold(place)) this.#tell(place, odd)
  }

  toldOf(of: TracedFunction): SeenCall['odd'] {
    return [...this.#told].flatMap(([at, told]) => (at.of === of ? [{ ...told, seenAt: at.line }] : []))
  }

  #isTold(place: CodePlace): boolean {
    return this.#told.has(place) || this.#told.size >= maxOdd
  }

  #tell(place: CodePlace, { text, at }: Odd): void {
    const line = place.of.lineOf(at.start ?? 0)
    this.#told.set(place, { line, text })
    const parts = [{ text: place.of.code.name, place: `${place.of.head.file}:${line}`, token: null }]
    this.found.push({ kind: 'odd_value', text, parts, timeMs: this.#timeMs() })
  }

  #lookForShared(last: CodePlace | undefined, place: CodePlace, statement: Node, variables: Variables): void {
    const { of, line } = place
    const { tree } = of.scopes
    const set = last && bare(statementIn(of.code.node, last.offset))
    for (const [name, value] of variables) {
      const key = sharedKey(of, name, statement)
      if (key === undefined || typeof value === 'number') continue
      const isSet = set?.type === 'AssignmentExpression' && set.operator === '=' && tree.textOf(set.left) === name
      if (last !== undefined && isSet) this.#shared.set(key, { value, place: last, set })
      const known = this.#shared.get(key)
      if (known === undefined || Object.is(known.value, value) || this.#isTold(known.place)) continue
      // Who else may have set it would have been noted.
      const home = known.place.of.scopes.tree
      const isSure = home.assignments.every((one) => {
        const isOther = isMember(one.left) || !patternNames(one.left).includes(key.slice(key.indexOf(':') + 1))
        const isNoted = one.left.type === 'Identifier' && home.parentOf(one)?.type === 'ExpressionStatement'
        return isOther || (isNoted && this.traced.has(home.around(one, isFunction) ?? one))
      })
      if (!isSure) continue
      const [own, other] = [known.value, value].map((each) => this.#textOf(name, each))
      const text = `\`${name}\` is shared by all requests: ${of.head.file}:${line} found ${other} where this one had set ${own}`
      this.#tell(known.place, { text, at: known.set })
    }
  }
}

/** Of a variable of a module, by the file that declares it; an import has the same key. */
function sharedKey({ scopes: { tree }, head: { file } }: TracedFunction, name: string, at: Node): string | undefined {
  const { kind, scope, source } = tree.bindingOf(name, at) ?? {}
  const isOwn = kind === 'variable' && scope === tree.program
  const home = source ? posix.join(posix.dirname(file), source.from) : file
  const isKnown = source ? source.from.startsWith('.') : isOwn
  return isKnown ? `${home.replace(/\.[cm]?[jt]sx?$/, '')}:${source?.name ?? name}` : undefined
}
