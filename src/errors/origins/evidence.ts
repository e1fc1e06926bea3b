// What was seen while a request ran: the variables of each frame of its error.

import type { SeenCall, SeenNote } from '../../framework/recording/seen-code.ts'
import type { Frame } from '../flattened-error.ts'
import { statementIn } from './functions.ts'
import type { Lookup } from './lookup.ts'
import type { SourceTree } from './source-tree.ts'
import { isFunction, visit, type FunctionNode, type Node } from './syntax.ts'

/** A call as it was when a note was taken. */
export interface Moment {
  readonly call: SeenCall
  readonly note: SeenNote
}

interface Scene {
  readonly tree: SourceTree
  readonly owner: FunctionNode
}

const maxVariables = 12

export class Evidence {
  readonly #calls: readonly SeenCall[]
  readonly #lookup: Lookup
  readonly #scenes = new Map<string, Scene | undefined>()
  readonly #statements = new Map<string, Node>()

  /** `calls`: all of the request, in the order in which they began. */
  constructor(calls: readonly SeenCall[], lookup: Lookup) {
    this.#calls = calls
    this.#lookup = lookup
  }

  /** Where each frame of an error was when it passed. `places`: the innermost first. */
  momentsOf(
    places: readonly { readonly frame: Frame; readonly tree: SourceTree; readonly node: FunctionNode | undefined }[],
  ): ReadonlyMap<Frame, Moment> {
    const moments = new Map<Frame, Moment>()
    let inner: Moment | undefined
    for (const { frame, tree, node } of places) {
      const statement = node && statementIn(node, tree.offsetOf(frame.line, frame.column))
      if (statement === undefined) continue
      const found = inner === undefined ? this.#failed(tree, statement) : callersOf(inner)
      const one = found.find((moment) => moment.call.isWhole && this.#statementOf(moment) === statement)
      if (one === undefined) continue
      moments.set(frame, one)
      inner = one
    }
    return moments
  }

  /** Variables of functions as they were when the line of a frame began. */
  variablesOf({ call, note }: Moment): readonly (readonly [name: string, text: string])[] {
    const scene = this.#sceneOf(call)
    const all = note.names.flatMap((name) => {
      const text = textNamed(name, call, note.at) ?? '[Function]'
      const isShared = scene?.tree.bindingOf(name, scene.owner.body)?.scope === scene?.tree.program
      return isShared || /^\[(?:Function|class)\b/.test(text) ? [] : [[name, text] as const]
    })
    return all.slice(0, maxVariables)
  }

  /** The call that failed in a statement, if only one can have. */
  #failed(tree: SourceTree, statement: Node): readonly Moment[] {
    const found = this.#calls.flatMap((call) => {
      const index = call.notes.findLastIndex((note) => this.#statementOf({ call, note }) === statement)
      const note = call.notes[index]
      const isLast = call.notes.slice(index + 1).every((later) => {
        const handling = this.#statementOf({ call, note: later })
        return handling !== undefined && handles(tree, handling, statement)
      })
      return note !== undefined && isLast && call.end !== 'returned' ? [{ call, note }] : []
    })
    // Of calls of which each called the next it is the last.
    const last = found.filter(({ call }) => !found.some((other) => other.call.parent === call))
    return last.length > 1 ? [] : last
  }

  #statementOf({ call, note }: Moment): Node | undefined {
    const scene = this.#sceneOf(call)
    if (scene === undefined) return undefined
    const { tree, owner } = scene
    const key = `${keyOf(call)}:${note.line}:${note.column}`
    const first = (tree.file.lines[note.line - 1]?.search(/\S/) ?? 0) + 1
    const statement = this.#statements.get(key) ?? statementIn(owner, tree.offsetOf(note.line, note.column ?? first))
    this.#statements.set(key, statement)
    return statement
  }

  /** `undefined` where the file is not what runs, or two functions may be meant. */
  #sceneOf(call: SeenCall): Scene | undefined {
    const { file, line, column, endLine } = call
    const key = keyOf(call)
    if (this.#scenes.has(key)) return this.#scenes.get(key)
    const tree = this.#lookup.sources.tree(file)
    const owners: FunctionNode[] = []
    if (tree?.file.changedSince === null)
      visit(tree.program, (node) => {
        const start = node.loc?.start
        const isHere = start?.line === line && (column === null || start.column === column - 1)
        if (isFunction(node) && isHere && node.loc?.end.line === endLine) owners.push(node)
        return true
      })
    const [owner] = owners
    const scene = tree === null || owner === undefined || owners.length > 1 ? undefined : { tree, owner }
    this.#scenes.set(key, scene)
    return scene
  }
}

function callersOf({ call: { parent }, note }: Moment): Moment[] {
  const found: Moment[] = []
  for (let call = parent; call !== undefined; call = call.parent) {
    const last = call.notes.findLast(({ at }) => at < note.at)
    if (last !== undefined) found.push({ call, note: last })
  }
  return found
}

/** Whether one statement runs because another one failed. */
function handles(tree: SourceTree, handling: Node, failed: Node): boolean {
  let inner = handling
  for (let node = tree.parentOf(inner); node !== undefined; inner = node, node = tree.parentOf(node))
    if (node.type === 'TryStatement' && inner !== node.block && isAround(node.block, failed)) return true
  return false
}

function isAround(owner: Node, node: Node): boolean {
  return (owner.start ?? 0) <= (node.start ?? 0) && (node.end ?? 0) <= (owner.end ?? 0)
}

/** Of its function. */
function keyOf({ file, line, column, endLine }: SeenCall): string {
  return `${file}:${line}:${column}:${endLine}`
}

function textNamed(name: string, { notes }: SeenCall, at: number): string | undefined {
  return notes.findLast((one) => one.at <= at && one.changed.has(name))?.changed.get(name)
}
