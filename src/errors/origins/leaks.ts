// What was taken and never given back, when the error says that nothing is left of it.

import { lastName } from './fault.ts'
import { visitOwn } from './functions.ts'
import type { SourceTree } from './source-tree.ts'
import { isCall, isFunction, isMember, lineOf, type CallNode, type FunctionNode, type Node } from './syntax.ts'
import type { Step, Trail } from './trail.ts'

const exhausted =
  /\bpool\b|acquir|exhaust|too many (?:clients|connections)|no (?:free|idle|more) \w+|\b(?:free|available) within\b|(?:connections?|slots?|locks?) (?:is|are|was|were|became|becomes) (?:free|available|left)|\bis full\b/i
const taking = /^(?:acquire|connect|checkout|lease|borrow|getConnection|reserve|lock|take)\w*$/i
const giving = /^(?:release|end|close|destroy|free|unlock|giveBack|return|dispose)\w*$/i

/** Looks in every file near the failure for what is taken without being given back on each way out. */
export function lookForLeaks(trail: Trail, step: Step): void {
  const { fault, hasTime, lookup } = trail.options
  if (!exhausted.test(fault.message)) return
  for (const tree of lookup.withImported()) {
    if (!hasTime()) return
    for (const call of tree.calls) {
      const parent = tree.parentOf(call)
      const holder = parent?.type === 'AwaitExpression' ? tree.parentOf(parent) : parent
      const owner = tree.around(call, isFunction)
      if (owner !== undefined && holder?.type === 'VariableDeclarator' && taking.test(lastName(call.callee) ?? ''))
        lookAtTaken(trail, step, { tree, call, owner })
    }
  }
}

interface Taken {
  readonly tree: SourceTree
  readonly call: CallNode
  readonly owner: FunctionNode
}

function lookAtTaken(trail: Trail, step: Step, { tree, call, owner }: Taken): void {
  const name = lastName(call.callee) ?? ''
  const start = call.start ?? 0
  const given: Node[] = []
  const exits: Node[] = []
  visitOwn(owner, (node) => {
    if ((node.start ?? 0) <= start) return
    if (isCall(node) && giving.test(lastName(node.callee) ?? '')) given.push(node)
    if (node.type === 'ReturnStatement' || node.type === 'ThrowStatement') exits.push(node)
  })
  const [release] = given
  const note = (node: Node, score: number, why: string): void => {
    trail.suspect({ tree }, node, score, why)
    trail.define({ ...step, name }, 'Takes one', tree, owner, [lineOf(call), lineOf(node)])
  }
  if (release === undefined) {
    // Who returns what was taken leaves it to others.
    if (!exits.some((exit) => exit.type === 'ReturnStatement' && /^return \w+;?$/.test(tree.textOf(exit))))
      note(call, 0.93, `takes by \`${name}()\` what it does not give back`)
    return
  }
  noteTakenTwice(trail, step, { tree, call, owner }, release)
  const isAlways = tree.around(release, (one): one is Node => one.type === 'BlockStatement' && isFinalizer(tree, one))
  if (isAlways !== undefined) return
  const early = exits.find((exit) => (exit.start ?? 0) < (release.start ?? 0))
  const word = lastName(isCall(release) ? release.callee : release) ?? 'release'
  if (early !== undefined) note(early, 0.95, `leaves without \`${word}()\``)
  else note(release, 0.75, `is not in a finally: an error before it skips \`${word}()\``)
}

/** A function that is called before the release, and takes another one from the same place. */
function noteTakenTwice(trail: Trail, step: Step, { tree, call, owner }: Taken, release: Node): void {
  const { lookup } = trail.options
  const name = lastName(call.callee) ?? ''
  const sourceOf = (where: SourceTree, { callee }: CallNode): Node | undefined =>
    lookup.functionsOf({ tree: where, node: callee })[0]?.node ??
    (isMember(callee) ? lookup.find({ tree: where, node: callee.object })[0]?.node : undefined)
  const source = sourceOf(tree, call)
  if (source === undefined) return
  visitOwn(owner, (node) => {
    const isHeld = (node.start ?? 0) > (call.end ?? 0) && (node.start ?? 0) < (release.start ?? 0)
    if (!isCall(node) || !isHeld) return
    for (const called of lookup.functionsOf({ tree, node: node.callee })) {
      visitOwn(called.node, (inner) => {
        if (!isCall(inner) || lastName(inner.callee) !== name) return
        if (sourceOf(called.tree, inner) !== source) return
        const word = `\`${lastName(node.callee) ?? ''}()\``
        trail.suspect(called, inner, 0.985, `takes another one by \`${name}()\` while the caller of ${word} holds one`)
        trail.suspect({ tree }, node, 0.98, `calls ${word}, which takes another one, while it holds one`)
        trail.define({ ...step, name }, 'Takes another one', called.tree, called.node, [lineOf(inner)])
      })
    }
  })
}

function isFinalizer(tree: SourceTree, node: Node): boolean {
  const parent = tree.parentOf(node)
  return parent?.type === 'TryStatement' && parent.finalizer === node
}
