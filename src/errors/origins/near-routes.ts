// The routes that nearly matched a request, and the constants that their requirements come from.

import { relative, resolve } from 'node:path'
import type { Suggestion } from '../../framework/routing/suggest-routes.ts'
import { isCall, lineOf, nameOfKey, type CallNode, type Node } from './syntax.ts'
import type { Step, Trail } from './trail.ts'

/** Notes the definition of each near route, and the requirement that the request did not meet. */
export function lookAtNearRoutes(trail: Trail, near: readonly Suggestion[], step: Omit<Step, 'tree' | 'node'>): void {
  const { lookup } = trail.options
  for (const [index, { definedAt, pattern, kind, reason }] of near.slice(0, 2).entries()) {
    const place = /^(.+):(\d+)$/.exec(definedAt ?? '')
    // The place is relative to the working directory.
    const { files } = lookup.sources
    const tree = place === null ? null : lookup.sources.tree(relative(files.root, resolve(place[1] ?? '')))
    if (tree === null) continue
    lookup.trees.add(tree)
    const line = Number(place?.[2])
    const call = tree.nodesOnLine(line).find((node): node is CallNode => isCall(node) && node.arguments.length > 1)
    const score = (kind === 'typo' || kind === 'prefix' ? 0.6 : 0.88) * 0.8 ** index
    trail.suspect({ tree }, line, score, `defines ${pattern}: ${lowerFirst(reason)}`)
    if (call === undefined) continue
    const usedAt = `${tree.file.path}:${line}`
    trail.define({ ...step, usedAt, tree, node: call, name: pattern }, reason, tree, call, [line])
    if (kind !== 'requirement') continue
    for (const [name, value] of requirementsOf(call)) {
      if (!reason.includes(`"${name}"`)) continue
      for (const found of lookup.find({ tree, node: value })) {
        if (found.node.type !== 'StringLiteral') continue
        const why = `requires ${found.node.value.slice(0, 80)} for ${name}`
        trail.suspect(found, found.node, 0.95, why)
        const declared = found.tree.parentOf(found.node) ?? found.node
        trail.define({ ...step, usedAt, tree, node: call, name }, 'Is the requirement', found.tree, declared, [
          lineOf(found.node),
        ])
      }
    }
  }
}

/** Of the options of a route: `{ requirements: { code: codePattern } }`. */
function requirementsOf(call: CallNode): [name: string, value: Node][] {
  const options = call.arguments.flatMap((one) => (one.type === 'ObjectExpression' ? one.properties : []))
  return options.flatMap((one) => {
    const isIt = one.type === 'ObjectProperty' && nameOfKey(one.key) === 'requirements'
    if (!isIt || one.value.type !== 'ObjectExpression') return []
    return one.value.properties.flatMap((part): [string, Node][] =>
      part.type === 'ObjectProperty' ? [[nameOfKey(part.key) ?? '', part.value]] : [],
    )
  })
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1)
}
