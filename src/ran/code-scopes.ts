// What the syntax of a script says of its functions: which there are, and which variables a place in them can see.

import type * as t from '@babel/types'
import { readTree, type SourceTree } from '../errors/source/source-tree.ts'
import { isInside, nameOfFunction, statementIn } from '../origins/functions.ts'
import type { SeenPlace } from '../http/recording/recording.ts'
import { covers, isFunction, patternNames, visit, type FunctionNode, type Node } from '../errors/source/syntax.ts'

/** One function of a script. Places are offsets in its text. */
export interface CodeFunction {
  readonly name: string
  readonly start: number
  readonly end: number
  readonly isGenerator: boolean
  /** Names of variables that may be seen in it, `this` included. */
  readonly names: readonly string[]
  readonly node: FunctionNode
}

export interface CodeVariable {
  readonly name: string
  /** Where it is declared, which tells variables of one name apart; -1 for `this`. */
  readonly declaredAt: number
  /** What declares it, from and to; 0 for what the function has when it is called. */
  readonly from: number
  readonly to: number
}

/** A function whose lines are noted. */
export interface TracedFunction {
  readonly index: number
  readonly scriptId: string
  readonly code: CodeFunction
  readonly scopes: CodeScopes
  readonly head: SeenPlace
  readonly endLine: number
  readonly lineOf: (offset: number) => number
}

export interface CodePlace {
  readonly of: TracedFunction
  /** Among the places of its function. */
  readonly index: number
  readonly offset: number
  readonly line: number
  /** `null` where only the line is known. */
  readonly column: number | null
  /** Whether a statement is passed at it. */
  readonly isPassed: boolean
  /** `entry` is passed first and once, after what `parameter` says of default values; `start` first, and again where it is in a loop. */
  readonly kind: 'parameter' | 'entry' | 'start' | 'return' | 'throw' | 'other'
  /** What a generator may stop in: where the variables that it assigns are declared. */
  readonly yields: ReadonlySet<number> | undefined
  readonly through: ReturnType<CodeScopes['throughAt']>
  readonly variables: readonly CodeVariable[]
  /** Names of other things that its statement uses, which are read after the variables. */
  readonly others: readonly string[]
}

export class CodeScopes {
  readonly functions: readonly CodeFunction[]
  readonly tree: SourceTree
  readonly #waits: (readonly [from: number, to: number])[] = []

  private constructor(tree: SourceTree) {
    this.tree = tree
    const functions: CodeFunction[] = []
    visit(tree.program, (node) => {
      if (isFunction(node)) functions.push(codeFunction(node, tree))
      const isWait = node.type === 'AwaitExpression' || node.type === 'YieldExpression'
      if (isWait || (node.type === 'ForOfStatement' && node.await)) {
        // A loop waits for its next element where it declares it.
        this.#waits.push([node.start ?? 0, (isWait ? node : node.right).end ?? 0])
      }
      return true
    })
    this.functions = functions
  }

  /** `undefined` for what cannot be parsed. */
  static of(path: string, text: string): CodeScopes | undefined {
    const tree = readTree({ path, lines: text.split('\n'), excerpts: new Map(), changedSince: null })
    return tree === null ? undefined : new CodeScopes(tree)
  }

  offsetOf(line: number, column: number): number {
    return this.tree.offsetOf(line, column)
  }

  /** Whether a promise that a function makes at a place is what it waits for, or made just before that one. */
  waitsAt({ node }: CodeFunction, line: number, column: number): boolean {
    const offset = this.offsetOf(line, column)
    return node.async && this.#waits.some(([from, to]) => from <= offset && offset < to)
  }

  lineAt(offset: number): number {
    return this.tree.lineAt(offset)
  }

  /** The innermost function around a place. */
  functionAt(offset: number): CodeFunction | undefined {
    return this.functions.findLast(({ start, end }) => start <= offset && offset < end)
  }

  /** The function that V8 says began at `start` and ended at `end`. V8 begins some after their modifiers. */
  functionFrom(start: number, end: number): CodeFunction | undefined {
    return this.functions.findLast((one) => one.end === end && one.start <= start)
  }

  /** The variables that a place in a function can see, without those of it that are declared further on: V8 shows their last values. */
  variablesAt({ node, names }: CodeFunction, offset: number, isReturn: boolean): readonly CodeVariable[] {
    // Where a function returns V8 shows its outermost block at most.
    const isFlat = !node.async && node.generator !== true && node.params.every(({ type }) => type === 'Identifier')
    const from = isReturn ? (isFlat ? node.body : node) : innermost(node, offset)
    return names.flatMap((name) => {
      if (name === 'this') return { name, declaredAt: -1, from: 0, to: 0 }
      const binding = this.tree.bindingOf(name, from)
      if (binding === undefined || !seenKinds.has(binding.kind)) return []
      const declaredAt = binding.node.start ?? 0
      const isGiven = binding.kind === 'parameter' || !isInside(node, binding.scope)
      if (isGiven) return { name, declaredAt, from: 0, to: 0 }
      const declaration = this.tree.around(binding.node, isDeclarator) ?? binding.node
      const to = declaration.end ?? 0
      return binding.kind === 'other' || to <= offset ? { name, declaredAt, from: declaration.start ?? 0, to } : []
    })
  }

  /** Functions and imports that a statement names: what they are is not shown. */
  othersAt({ names }: CodeFunction, statement: Node): readonly string[] {
    const said = this.tree.textOf(statement)
    return names.filter(
      (name) => otherKinds.has(this.tree.bindingOf(name, statement)?.kind ?? '') && said.includes(name),
    )
  }

  /** Whether a place is what a loop declares: it runs after what the loop goes through. */
  isOfLoop(statement: Node, offset: number): boolean {
    const loop = this.#loopOf(statement)
    return loop !== undefined && offset < (loop.left.end ?? 0)
  }

  /** What goes through the generator that a place of it makes, alone and for the last time: a loop, or a list of variables. `isMade`: at this place. */
  throughAt(statement: Node, offset: number): { readonly by: Node; readonly isMade: boolean } | undefined {
    const loop = this.#loopOf(statement)
    if (loop !== undefined) {
      const isThrough = loop.type === 'ForOfStatement' && !named.test(loop.right.type)
      return isThrough ? { by: loop, isMade: offset >= (loop.right.start ?? 0) } : undefined
    }
    const made = statement.type === 'VariableDeclaration' ? statement.declarations : []
    const by = made.find(
      ({ id, init, end }) => id.type === 'ArrayPattern' && !named.test(init?.type ?? '') && offset < (end ?? 0),
    )
    return by && { by, isMade: true }
  }

  #loopOf(statement: Node): t.ForOfStatement | t.ForInStatement | undefined {
    const loop = statement.type === 'VariableDeclaration' ? this.tree.parentOf(statement) : statement
    return loop?.type === 'ForOfStatement' || loop?.type === 'ForInStatement' ? loop : undefined
  }

  repeatsAt({ node }: CodeFunction, offset: number): boolean {
    let repeats = false
    visit(node, (inner) => {
      const isAround = covers(inner, offset)
      // What a loop begins with runs once.
      const once = inner.type === 'ForStatement' ? inner.init : null
      const isOnce = once != null && covers(once, offset)
      repeats ||= isAround && loop.test(inner.type) && !isOnce
      return isAround
    })
    return repeats
  }

  /** What a generator may stop in: the variables that the statement at a place assigns. `undefined` where it cannot stop. */
  yieldsAt(code: CodeFunction, offset: number): ReadonlySet<number> | undefined {
    if (!code.isGenerator) return undefined
    const statement = statementIn(code.node, offset)
    const assigned = new Set<number>()
    let yields = false
    visit(statement, (inner) => {
      yields ||= inner.type === 'YieldExpression'
      const target =
        inner.type === 'AssignmentExpression'
          ? inner.left
          : inner.type === 'UpdateExpression'
            ? inner.argument
            : inner.type === 'VariableDeclarator'
              ? inner.id
              : undefined
      for (const name of target === undefined ? [] : patternNames(target)) {
        assigned.add(this.tree.bindingOf(name, inner)?.node.start ?? -1)
      }
      return inner === statement || !isFunction(inner)
    })
    return yields ? assigned : undefined
  }
}

const seenKinds: ReadonlySet<string> = new Set(['parameter', 'variable', 'element', 'other'])
const otherKinds: ReadonlySet<string> = new Set(['import', 'function'])

function isDeclarator(node: Node): node is t.VariableDeclarator {
  return node.type === 'VariableDeclarator'
}

const named = /Identifier|Member/

const loop = /^(?:For(?:Of|In)?|(?:Do)?While)Statement$/

function codeFunction(node: FunctionNode, tree: SourceTree): CodeFunction {
  const names = new Set<string>()
  visit(node, (inner, around) => {
    if (inner.type === 'ThisExpression') names.add('this')
    if (inner.type === 'Identifier' && !isKey(inner, around)) names.add(inner.name)
    return inner === node || !isFunction(inner)
  })
  names.delete('undefined')
  return {
    name: nameOfFunction(tree, node) ?? 'anonymous',
    start: node.start ?? 0,
    end: node.end ?? 0,
    isGenerator: node.generator === true,
    names: [...names],
    node,
  }
}

/** `b` in `a.b` and in `{ b: 1 }`. */
function isKey(node: Node, around: Node | undefined): boolean {
  if (around === undefined) return false
  if (around.type === 'MemberExpression' || around.type === 'OptionalMemberExpression') {
    return around.property === node && !around.computed
  }
  return around.type === 'ObjectProperty' && around.key === node && !around.computed && !around.shorthand
}

function innermost(root: Node, offset: number): Node {
  let found = root
  visit(root, (node) => {
    const isAround = covers(node, offset)
    if (isAround) found = node
    return isAround
  })
  return found
}
