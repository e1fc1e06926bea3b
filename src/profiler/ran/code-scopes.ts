// What the syntax of a script says of its functions: which there are, and which variables a place in them can see.

import type * as t from '@babel/types'
import { readTree } from '../../errors/origins/parse-source.ts'
import type { SourceTree } from '../../errors/origins/source-tree.ts'
import { isFunction, nameOfKey, visit, type FunctionNode, type Node } from '../../errors/origins/syntax.ts'

/** One function of a script. Places are offsets in its text. */
export interface CodeFunction {
  readonly name: string
  readonly start: number
  readonly end: number
  /** Whether it can stop in the middle and go on later. */
  readonly isResumable: boolean
  /** Names of variables that may be seen in it, `this` included. */
  readonly names: readonly string[]
  readonly node: FunctionNode
}

export class CodeScopes {
  readonly functions: readonly CodeFunction[]
  readonly #tree: SourceTree

  private constructor(tree: SourceTree) {
    this.#tree = tree
    const functions: CodeFunction[] = []
    visit(tree.program, (node, parent) => {
      if (isFunction(node)) functions.push(codeFunction(node, parent))
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
    return this.#tree.offsetOf(line, column)
  }

  lineAt(offset: number): number {
    return this.#tree.lineAt(offset)
  }

  /** The innermost function around a place. */
  functionAt(offset: number): CodeFunction | undefined {
    return this.functions.findLast(({ start, end }) => start <= offset && offset < end)
  }

  /** The function that V8 says began at `start` and ended at `end`. V8 begins some after their modifiers. */
  functionFrom(start: number, end: number): CodeFunction | undefined {
    const ending = this.functions.filter((one) => one.end === end && one.start <= start)
    return ending.toSorted((one, other) => other.start - one.start)[0]
  }

  /** The variables that a place in a function can see, without those of a loop that are declared further on: V8 shows their last values. */
  namesAt({ node, names }: CodeFunction, offset: number): readonly string[] {
    const from = innermost(node, offset)
    return names.filter((name) => {
      if (name === 'this') return true
      const binding = this.#tree.bindingOf(name, from)
      if (binding === undefined || !seenKinds.has(binding.kind)) return false
      const declarator = this.#tree.around(binding.node, isDeclarator)
      const isHere = binding.kind === 'parameter' || binding.kind === 'other'
      return isHere || ((declarator ?? binding.node).end ?? 0) <= offset
    })
  }

  /** Whether a statement is what a loop declares: it runs after what the loop goes through. */
  isOfLoop(statement: Node): boolean {
    return statement.type === 'VariableDeclaration' && loops.has(this.#tree.parentOf(statement)?.type ?? '')
  }

  /** Whether a place is in a loop of the function. */
  repeatsAt({ node }: CodeFunction, offset: number): boolean {
    let repeats = false
    visit(node, (inner) => {
      const isAround = (inner.start ?? 0) <= offset && offset < (inner.end ?? 0)
      // What a loop begins with runs once.
      const once = inner.type === 'ForStatement' ? inner.init : null
      const isOnce = once != null && (once.start ?? 0) <= offset && offset < (once.end ?? 0)
      repeats ||= isAround && loops.has(inner.type) && !isOnce
      return isAround
    })
    return repeats
  }

  /** Whether the function may stop and go on at this place. */
  mayWait({ node }: CodeFunction, offset: number): boolean {
    const line = this.#tree.lineAt(offset)
    let waits = false
    visit(node, (inner) => {
      if (inner !== node && isFunction(inner)) return false
      const [first, last] = [this.#tree.lineAt(inner.start ?? 0), this.#tree.lineAt(inner.end ?? 0)]
      if (first > line || last < line) return inner.type === 'BlockStatement'
      const isWaiting = inner.type === 'AwaitExpression' || inner.type === 'YieldExpression'
      waits ||= isWaiting || (inner.type === 'ForOfStatement' && inner.await)
      return true
    })
    return waits
  }
}

const seenKinds: ReadonlySet<string> = new Set(['parameter', 'variable', 'element', 'other'])

function isDeclarator(node: Node): node is t.VariableDeclarator {
  return node.type === 'VariableDeclarator'
}

const loops: ReadonlySet<string> = new Set([
  'ForStatement',
  'ForOfStatement',
  'ForInStatement',
  'WhileStatement',
  'DoWhileStatement',
])

function codeFunction(node: FunctionNode, parent: Node | undefined): CodeFunction {
  const names = new Set<string>()
  visit(node, (inner, around) => {
    if (inner.type === 'ThisExpression') names.add('this')
    if (inner.type === 'Identifier' && !isKey(inner, around)) names.add(inner.name)
    return inner === node || !isFunction(inner)
  })
  names.delete('undefined')
  return {
    name: nameOf(node, parent),
    start: node.start ?? 0,
    end: node.end ?? 0,
    isResumable: node.async || node.generator === true,
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

function nameOf(node: FunctionNode, parent: Node | undefined): string {
  if ('id' in node && node.id) return node.id.name
  if ('key' in node) return node.kind === 'constructor' ? 'constructor' : (nameOfKey(node.key) ?? 'computed')
  if (parent?.type === 'VariableDeclarator' && parent.id.type === 'Identifier') return parent.id.name
  if (parent?.type === 'ObjectProperty' || parent?.type === 'ClassProperty') return nameOfKey(parent.key) ?? 'anonymous'
  if (parent?.type === 'AssignmentExpression' && parent.left.type === 'Identifier') return parent.left.name
  return 'anonymous'
}

function innermost(root: Node, offset: number): Node {
  let found = root
  visit(root, (node) => {
    const isAround = (node.start ?? 0) <= offset && offset < (node.end ?? 0)
    if (isAround) found = node
    return isAround
  })
  return found
}
