// What a function returns, and where it forgets to.

import type * as t from '@babel/types'
import { lastName } from './fault.ts'
import { callAround, nameOfFunction, returnStatements, visitOwn } from './functions.ts'
import { lookIntoFunction } from './smells.ts'
import type { SourceTree } from '../errors/source/source-tree.ts'
import { bare, isCall, isFunction, lineOf, type FunctionNode, type Node } from '../errors/source/syntax.ts'
import type { Key, Step, Trail } from './trail.ts'
import { codeWord } from './words.ts'

/** What a function returns is the value. Of a handler, whose response nobody asks about, `isAsked` is false. */
export function returned(
  trail: Trail,
  step: Step,
  { tree, node }: { readonly tree: SourceTree; readonly node: FunctionNode },
  path: readonly Key[],
  isAsked = true,
): void {
  const { lookup, fault } = trail.options
  lookup.trees.add(tree)
  const name = nameFor(tree, node)
  const returns = returnStatements(node)
  const isArrow = node.body.type !== 'BlockStatement'
  const values = isArrow ? [node.body] : returns.flatMap(({ argument }) => (argument ? [argument] : []))
  const marked = isArrow ? [lineOf(node.body)] : returns.map(lineOf)
  // What a handler gives back may be asked by nobody.
  const isNeeded = isAsked || /\breturned nothing\b/.test(fault.message)
  const endings = isArrow || node.generator || !isNeeded ? [] : endingsOf(node)
  const isBlank = values.length === 0
  const isRefuted = (one: Node): boolean => trail.options.evidence?.neverRan(tree, one) === true
  trail.define(step, returnsNote(marked, node), tree, node, marked)
  lookIntoFunction(trail, step, { tree, node })
  for (const value of values) {
    // What a value only has a part in is told of where it is made, not where it is passed on.
    if (isAsked && !isRefuted(value) && (step.isValue || isMade(value)) && step.weight > 0.1)
      trail.suspect({ tree }, value, isMade(value) ? 0.62 : 0.4, `is what ${name} returns`, step)
    trail.next(step, value, {
      tree,
      path,
      isAwaited: step.isAwaited || node.async,
      usedAt: `${tree.file.path}:${lineOf(value)}`,
      name: codeWord(tree, value),
      isUnasked: !isAsked,
      isOneOf: step.isOneOf === true || values.length > 1,
    })
  }
  const isGone = fault.kind !== 'other'
  for (const statement of returns) {
    if (!statement.argument && isNeeded && !isRefuted(statement))
      trail.suspect({ tree }, statement, isGone ? 0.85 : 0.6, `returns nothing from ${name}`, step)
  }
  for (const ending of endings.filter((one) => !isRefuted(one))) {
    const isLost = ending.type === 'ExpressionStatement'
    const score = isBlank ? (isLost ? 0.95 : 0.9) : isLost ? 0.88 : 0.72
    const why = isLost ? `does not return its value: ${name} gives undefined` : `lets ${name} end without a return`
    trail.suspect({ tree }, ending, isGone ? score : score * 0.75, why, step)
  }
  visitOwn(node, (inner) => {
    if (inner.type === 'YieldExpression') trail.next(step, inner.argument ?? inner, { tree, path: path.slice(1) })
  })
}

/** `` `findOrder` ``, or what a function without a name is there for. */
function nameFor(tree: SourceTree, node: FunctionNode): string {
  const name = nameOfFunction(tree, node)
  if (name !== null) return `\`${name}\``
  const call = callAround(tree, node)
  const [first] = call?.arguments ?? []
  if (call === undefined) return 'the inner function'
  if (first?.type === 'StringLiteral' && first.value.startsWith('/'))
    return `the handler of ${first.value.slice(0, 80)}`
  return `the callback of ${lastName(call.callee) ?? 'the call'}()`
}

/** Whether a value is worked out where it is returned, not only passed on. */
function isMade(node: Node): boolean {
  const inner = bare(node)
  // `rows.map((row) => …)` passes its rows on.
  if (isCall(inner) && inner.arguments.some(isFunction)) return false
  return !['Identifier', 'MemberExpression', 'AwaitExpression', 'ObjectExpression'].includes(inner.type)
}

function returnsNote(marked: readonly number[], node: FunctionNode): string {
  if (marked.length === 0) return endingsOf(node).length === 0 ? 'Never returns' : 'Returns nothing'
  return marked.length === 1 ? `Returns in line ${marked[0]}` : `Returns in lines ${marked.slice(0, 6).join(', ')}`
}

/** Statements after which a function ends without having returned. */
function endingsOf({ body }: FunctionNode): Node[] {
  if (body.type !== 'BlockStatement') return []
  return endings(body, 0).slice(0, 6)
}

function endings(node: t.Statement, depth: number): Node[] {
  if (depth > 30 || /^(?:Return|Throw|Continue)Statement$/.test(node.type)) return []
  switch (node.type) {
    case 'BlockStatement': {
      const last = node.body.at(-1)
      return last === undefined ? [node] : endings(last, depth + 1)
    }
    case 'IfStatement':
      return [...endings(node.consequent, depth + 1), ...(node.alternate ? endings(node.alternate, depth + 1) : [node])]
    case 'TryStatement':
      if (node.finalizer && endings(node.finalizer, depth + 1).length === 0) return []
      return [...endings(node.block, depth + 1), ...(node.handler ? endings(node.handler.body, depth + 1) : [])]
    case 'SwitchStatement': {
      const found = node.cases.flatMap(({ consequent }, index) => {
        const last = consequent.at(-1)
        if (last === undefined) return []
        if (last.type === 'BreakStatement') return [consequent.at(-2) ?? last]
        return index === node.cases.length - 1 ? endings(last, depth + 1) : []
      })
      return node.cases.some(({ test }) => !test) ? found : [...found, node]
    }
    case 'WhileStatement':
      return node.test.type === 'BooleanLiteral' && node.test.value ? [] : [node]
    default:
      return [node]
  }
}
