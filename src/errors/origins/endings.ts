// Where a function can end without a return.

import type * as t from '@babel/types'
import type { FunctionNode, Node } from './syntax.ts'

/** Statements after which a function ends without having returned. */
export function endingsOf({ body }: FunctionNode): Node[] {
  if (body.type !== 'BlockStatement') return []
  return endings(body, 0).slice(0, 6)
}

function endings(node: t.Statement, depth: number): Node[] {
  if (depth > 30) return []
  switch (node.type) {
    case 'ReturnStatement':
    case 'ThrowStatement':
    case 'ContinueStatement':
      return []
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
