// What was seen while a request ran: the variables of each frame of its error, and the line that first gave the value that failed.

import type { SeenCall, SeenNote } from '../http/recording/recording.ts'
import type { Frame } from '../errors/flattened-error.ts'
import type { ChangeCandidate } from '../errors/value-origin.ts'
import { lastName, leavesOf, type Fault, type Use } from './fault.ts'
import { isInside, nodesIn, statementIn } from './functions.ts'
import type { Lookup } from './lookup.ts'
import type { SourceTree } from '../errors/source/source-tree.ts'
import { bare, isCall, isFunction, isMember, lineOf, nameOfKey, propertyOf, visit } from '../errors/source/syntax.ts'
import type { CallNode, FunctionNode, Node } from '../errors/source/syntax.ts'
import { codeWord } from './words.ts'

/** A call as it was when a note was taken. */
export interface Moment {
  readonly call: SeenCall
  readonly note: SeenNote
}

interface Scene {
  readonly tree: SourceTree
  readonly owner: FunctionNode
}

/** An expression of a call, which gave `text` before the note `until`; or its property under `path` did. */
interface Question {
  readonly call: SeenCall
  readonly node: Node
  readonly path: readonly string[]
  readonly text: string
  readonly until: number
}

type Found = ChangeCandidate | undefined

const maxSteps = 50
const maxVariables = 12
/** Values that say that something is missing. */
const missing: readonly string[] = ['undefined', 'null', 'NaN', '""', '[]']

const falsy: ReadonlySet<string> = new Set(['undefined', 'null', 'NaN', '""', '0', 'false'])

export class Evidence {
  readonly #calls: readonly SeenCall[]
  readonly #lookup: Lookup
  readonly #scenes = new Map<string, Scene | undefined>()
  readonly #statements = new Map<string, Node>()
  #steps = 0

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

  /** The line that first gave what failed; nothing where that is not certain. */
  firstGiven({ call, note }: Moment, uses: readonly Use[], fault: Fault): Found {
    const statement = this.#statementOf({ call, note })
    const isMade = (node: Node): node is CallNode =>
      node.type === 'NewExpression' && lastName(node.callee)?.endsWith('Error') === true
    const isThrown =
      statement !== undefined && (statement.type === 'ThrowStatement' || nodesIn(statement, isMade).length > 0)
    const values = isThrown ? missing : valuesAt(fault)
    const parts = isThrown || fault.kind !== 'other' || statement === undefined ? [] : nodesIn(statement, isNamed)
    for (const given of [...uses.map(({ node }) => bare(node)), ...parts]) {
      // An empty list is one.
      const node = isMember(given) && propertyOf(given) === 'length' ? given.object : given
      const text = fault.kind === 'nothing' && isOfCall(node) ? values[0] : textOf(node, call, note.at)
      if (text === undefined || !values.includes(text)) continue
      const found = this.#follow({ call, node, path: [], text, until: Infinity }, undefined)
      if (found !== undefined) return found
    }
    return undefined
  }

  /** Whether the calls of the function around a node were noted, and never ran it. */
  neverRan(tree: SourceTree, node: Node): boolean {
    const owner = tree.around(node, isFunction)
    const calls = this.#callsOf(owner)
    const statement = owner && statementIn(owner, node.start ?? 0)
    const isIt = (call: SeenCall): boolean => call.notes.some((note) => this.#statementOf({ call, note }) === statement)
    return calls.length > 0 && calls.every((call) => call.isWhole && call.column !== null && !isIt(call))
  }

  /** Whether the name that a node is given to was noted, and never had this value. */
  neverGave(tree: SourceTree, node: Node, text: string): boolean {
    const parent = tree.parentOf(node)
    const name = parent?.type === 'VariableDeclarator' && parent.id.type === 'Identifier' ? parent.id.name : ''
    const calls = this.#callsOf(tree.around(node, isFunction))
    const given = calls.flatMap(({ notes }) => notes.flatMap(({ changed }) => changed.get(name) ?? []))
    return calls.every(({ isWhole }) => isWhole) && given.length > 0 && !given.includes(text)
  }

  /** Whether a variable was seen wherever its line ran, and never was this. */
  neverWas(tree: SourceTree, node: Node, text: string): boolean {
    const owner = tree.around(node, isFunction)
    const statement = owner && statementIn(owner, node.start ?? 0)
    const texts = this.#callsOf(owner).flatMap((call) => {
      const notes = call.notes.filter((note) => this.#statementOf({ call, note }) === statement)
      return call.isWhole ? notes.map(({ at }) => textOf(node, call, at)) : [undefined]
    })
    return texts.length > 0 && texts.every((one) => one !== undefined && one !== text)
  }

  #callsOf(owner: FunctionNode | undefined): readonly SeenCall[] {
    return this.#calls.filter((call) => owner !== undefined && this.#sceneOf(call)?.owner === owner)
  }

  /** `best`: what was found so far. */
  #follow(question: Question, best: Found): Found {
    const { call, path, text, until } = question
    const node = bare(question.node)
    const scene = this.#sceneOf(call)
    this.#steps += 1
    if (this.#steps > maxSteps || !call.isWhole || scene === undefined) return best
    const next = (inner: Node, keys = path, found = best): Found =>
      this.#follow({ ...question, node: inner, path: keys }, found)
    const isIt = (part: Node): boolean => textOf(part, call, until - 1) === text
    switch (node.type) {
      case 'Identifier':
        return this.#variable(question, scene, node.name, best)
      case 'MemberExpression':
      case 'OptionalMemberExpression': {
        const key = propertyOf(node)
        return key === null ? best : next(node.object, [key, ...path])
      }
      case 'AwaitExpression':
        return next(node.argument)
      case 'CallExpression':
      case 'OptionalCallExpression':
        return this.#called(question, scene, node, best)
      case 'LogicalExpression': {
        const isNullish = text === 'undefined' || text === 'null'
        if (node.operator === '??' ? isNullish : node.operator === '||' && text !== '[]') return next(node.right)
        return isIt(node.left) && (node.operator !== '&&' || text !== '[]') ? next(node.left) : best
      }
      case 'ConditionalExpression': {
        const test = textOf(node.test, call, until - 1)
        return test === undefined ? best : next(falsy.has(test) ? node.alternate : node.consequent)
      }
      case 'ObjectExpression': {
        const property = node.properties.find((one) => one.type === 'ObjectProperty' && nameOfKey(one.key) === path[0])
        if (property?.type !== 'ObjectProperty') return best
        const [name, ...keys] = path
        const here = this.#said(question, property.value, `\`${name}\` was first \`${text}\` here`)
        return next(property.value, keys, keys.length === 0 ? here : best)
      }
      default: {
        if (node.type === 'AssignmentExpression' && node.operator === '=') return next(node.right)
        // What is not a number because a part of it was not.
        const part = path.length === 0 && text === 'NaN' ? leavesOf(node, 1).find(isIt) : undefined
        return part === undefined ? best : next(part)
      }
    }
  }

  #variable(question: Question, { tree, owner }: Scene, name: string, best: Found): Found {
    const { call, path, text } = question
    const { notes } = call
    const binding = tree.bindingOf(name, bare(question.node))
    const isIt = ({ changed }: SeenNote): boolean => {
      const member = memberText(changed.get(name), path)
      return member?.text === text && member.isThere
    }
    const changes = notes.filter(({ at, changed }) => at < question.until && changed.has(name))
    const index = changes.findLastIndex((note) => !isIt(note)) + 1
    const first = changes[index]
    // What others share they may have changed meanwhile.
    if (first === undefined || binding === undefined || binding.scope === tree.program) return best
    const previous = notes[notes.indexOf(first) - 1]
    if (previous === undefined) {
      const { parent } = call
      const above = parent && this.#sceneOf(parent)
      if (parent === undefined || above === undefined) return best
      if (binding.value === owner) return this.#argument({ ...question, call: parent }, call, binding, best)
      // A variable of a function around this one.
      const isOuter = above.tree === tree && isInside(above.owner, binding.node)
      return isOuter ? this.#follow({ ...question, call: parent, until: first.at }, best) : best
    }
    const statement = this.#statementOf({ call, note: previous })
    const [giver, other] = statement === undefined ? [] : giversOf(statement, name, path)
    const asked = { ...question, until: first.at }
    if (giver === undefined) {
      // A function inside this one changed it.
      const inner = this.#calls.findLast(
        ({ parent, notes: [, ...later] }) =>
          parent === call && later.some(({ at, changed }) => at > previous.at && at < first.at && changed.has(name)),
      )
      const below = inner && this.#sceneOf(inner)
      return inner !== undefined && below !== undefined && isInside(owner, below.owner)
        ? this.#variable({ ...asked, call: inner }, below, name, best)
        : best
    }
    if (other !== undefined || tree.bindingOf(name, giver.node) !== binding) return best
    const again = changes.slice(0, index).some(isIt) ? 'again' : 'first'
    const what = `\`${[name, ...path].join('.')}\` was ${again} \`${text}\` here`
    return this.#follow({ ...asked, node: giver.value, path: giver.path }, this.#said(asked, giver.value, what, name))
  }

  /** What a call was given. `asked.call`: the one that called it. */
  #argument(asked: Question, call: SeenCall, binding: Binding, best: Found): Found {
    const until = call.notes[0]?.at ?? 0
    const statement = this.#statementOf({ call: asked.call, note: noteBefore(asked.call, until) })
    const [made, other] =
      statement === undefined ? [] : nodesIn(statement, isCall).filter(({ callee }) => lastName(callee) === call.name)
    const given = made?.arguments.slice(0, binding.index + 1) ?? []
    const isPlain = binding.fallback === null && !given.some(({ type }) => type === 'SpreadElement')
    if (made === undefined || other !== undefined || !isPlain) return best
    const node = given[binding.index]
    const question = { ...asked, node: node ?? made, path: [...binding.path, ...asked.path], until }
    const what = node === undefined ? `without \`${binding.name}\`` : `with \`${asked.text}\` as \`${binding.name}\``
    const here = this.#said(question, question.node, `calls \`${call.name}()\` ${what}`)
    const found = question.path.length > 0 ? best : here
    return node === undefined ? found : this.#follow(question, found)
  }

  /** What an own function returned. */
  #called(question: Question, { tree }: Scene, node: CallNode, best: Found): Found {
    const { call, path, text } = question
    const from = noteBefore(call, question.until)?.at ?? 0
    const [called, other] = this.#calls.filter(({ parent, name, notes: [first] }) => {
      const isThen = first !== undefined && first.at > from && first.at < question.until
      return parent === call && name === lastName(node.callee) && isThen
    })
    // Of a function that was not noted nothing can be said.
    if (called === undefined && this.#lookup.functionsOf({ tree, node: node.callee }).length > 0) return undefined
    if (called === undefined || other !== undefined || called.end !== 'returned') return best
    const last = called.notes.at(-1)
    const until = last?.at ?? 0
    const ending = this.#statementOf({ call: called, note: last })
    const before = this.#statementOf({ call: called, note: noteBefore(called, until) })
    const isAlone = ending?.type === 'ReturnStatement' && ending !== before
    const statement = isAlone ? ending : before
    if (statement === undefined || !called.isWhole) return undefined
    const isBody = !/Statement$|Declaration$/.test(statement.type)
    const value = statement.type === 'ReturnStatement' ? statement.argument : isBody ? statement : null
    const asked = { ...question, call: called, node: value ?? statement, until: isAlone ? until + 1 : until }
    const what = value ? `gave \`${text}\` here` : 'ended here without a value'
    const found = path.length > 0 ? best : this.#said(asked, asked.node, `\`${codeWord(tree, node)}\` ${what}`)
    return value ? this.#follow(asked, found) : found
  }

  /** With those parts of the value that are missing, but for the one of this name. */
  #said({ call, until }: Question, node: Node, what: string, name = ''): Found {
    const tree = this.#sceneOf(call)?.tree
    if (tree === undefined) return undefined
    const parts = leavesOf(node, 1).flatMap((leaf) => {
      const text = textOf(leaf, call, noteBefore(call, until)?.at ?? 0) ?? ''
      const word = codeWord(tree, leaf)
      return missing.includes(text) && word !== name && word !== '…' ? [`\`${word}\` was \`${text}\``] : []
    })
    const why = `seen: ${[what, ...parts.slice(0, 2)].join('; ')}`
    return { file: tree.file.path, line: lineOf(node), why }
  }

  #statementOf({ call, note }: { readonly call: SeenCall; readonly note: SeenNote | undefined }): Node | undefined {
    const scene = this.#sceneOf(call)
    if (scene === undefined || note === undefined) return undefined
    const { tree, owner } = scene
    const key = `${keyOf(call)}:${note.line}:${note.column}`
    const first = (tree.file.lines[note.line - 1]?.search(/\S/) ?? 0) + 1
    const offset = tree.offsetOf(note.line, note.column ?? first)
    // V8 returns behind the last character of a statement, and may not stop before it.
    const ended = statementIn(owner, offset - 1)
    const isEnd = ended.type === 'ReturnStatement' && ended.end === offset
    const statement = this.#statements.get(key) ?? (isEnd ? ended : statementIn(owner, offset))
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

const isNamed = (node: Node): node is Node => node.type === 'Identifier' || isMember(node)

type Binding = NonNullable<ReturnType<SourceTree['bindingOf']>>

/** `load().lines`, `await load()` */
function isOfCall(node: Node): boolean {
  const inner = bare(node)
  if (isMember(inner)) return isOfCall(inner.object)
  return inner.type === 'AwaitExpression' ? isOfCall(inner.argument) : isCall(inner)
}

function callersOf({ call: { parent }, note }: Moment): Moment[] {
  const found: Moment[] = []
  for (let call = parent; call !== undefined; call = call.parent) {
    const last = noteBefore(call, note.at)
    if (last !== undefined) found.push({ call, note: last })
  }
  return found
}

/** Whether one statement runs because another one failed. */
function handles(tree: SourceTree, handling: Node, failed: Node): boolean {
  let inner = handling
  for (let node = tree.parentOf(inner); node !== undefined; inner = node, node = tree.parentOf(node))
    if (node.type === 'TryStatement' && inner !== node.block && isInside(node.block, failed)) return true
  return false
}

function keyOf({ file, line, column, endLine }: SeenCall): string {
  return `${file}:${line}:${column}:${endLine}`
}

function noteBefore({ notes }: SeenCall, before: number): SeenNote | undefined {
  return notes.findLast(({ at }) => at < before)
}

/** Of what the message of an error says. */
function valuesAt({ kind, message }: Fault): readonly string[] {
  const said = /\b(?:of|is) (undefined|null)\b/.exec(message)?.[1]
  if (kind === 'nothing') return said === undefined ? [] : [said]
  if (kind === 'not-callable' || kind === 'not-iterable') return ['undefined', 'null']
  if (/\bnot[- ]null\b|\bnull value\b|cannot be null/i.test(message)) return ['undefined', 'null']
  return ['NaN', ...(/\bundefined\b/.test(message) ? ['undefined'] : [])]
}

/** What a variable, or a property of one, was at a note. */
function textOf(given: Node, call: SeenCall, at: number, path: readonly string[] = []): string | undefined {
  const node = bare(given)
  const key = isMember(node) ? propertyOf(node) : null
  if (isMember(node)) return key === null ? undefined : textOf(node.object, call, at, [key, ...path])
  const isNamed = node.type === 'Identifier' && noteBefore(call, at + 1)?.names.includes(node.name)
  return isNamed === true ? memberText(textNamed(node.name, call, at), path)?.text : undefined
}

function textNamed(name: string, { notes }: SeenCall, at: number): string | undefined {
  return notes.findLast((one) => one.at <= at && one.changed.has(name))?.changed.get(name)
}

const tokens = /"(?:[^"\\]|\\.)*"|[[\]{},]|[^"[\]{},]+/g

/** A property in the text of an object, `{ price: NaN, tags: [] }`. What a plain object lacks is `undefined`, and not there. */
function memberText(
  text: string | undefined,
  [key, ...rest]: readonly string[],
): { readonly text: string; readonly isThere: boolean } | undefined {
  if (text === undefined || key === undefined) return text === undefined ? undefined : { text, isThere: true }
  if (!/^[\w$ ]*\{.*\}$/s.test(text)) return undefined
  let [depth, field] = [0, '']
  for (const [token] of `${text.slice(text.indexOf('{') + 1, -1)},`.matchAll(tokens)) {
    if (token !== ',' || depth > 0) field += token
    else {
      const [, name, value] = /^\s*"?(.*?)"?: (.*?)\s*$/s.exec(field) ?? []
      if (name === key) return memberText(value, rest)
      field = ''
    }
    depth += token === '{' || token === '[' ? 1 : token === '}' || token === ']' ? -1 : 0
  }
  const isAll = text.startsWith('{') && !/…|\[left out\]/.test(text)
  return isAll && rest.length === 0 && !(key in Object.prototype) ? { text: 'undefined', isThere: false } : undefined
}

/** Where a statement gives a variable, or a property of it, its value. */
interface Giver {
  readonly node: Node
  readonly value: Node
  /** Of the value. */
  readonly path: readonly string[]
}

function giversOf(statement: Node, name: string, path: readonly string[]): readonly Giver[] {
  const givers: Giver[] = []
  const give = (left: Node, value: Node, node: Node): void => {
    const [key, ...rest] = path
    if (left.type === 'Identifier' && left.name === name) givers.push({ node, value, path })
    if (isMember(left) && key !== undefined && propertyOf(left) === key && lastName(left.object) === name)
      givers.push({ node, value, path: rest })
    for (const part of left.type === 'ObjectPattern' ? left.properties : []) {
      const isIt = part.type === 'ObjectProperty' && part.value.type === 'Identifier' && part.value.name === name
      if (isIt) givers.push({ node, value, path: [nameOfKey(part.key) ?? '*', ...path] })
    }
  }
  visit(statement, (node) => {
    if (node.type === 'VariableDeclarator' && node.init) give(node.id, node.init, node)
    if (node.type === 'AssignmentExpression') give(node.left, node.operator === '=' ? node.right : node, node)
    const isOther = node.type.endsWith('Statement') && node.type !== 'ExpressionStatement'
    return node === statement || !(isFunction(node) || isOther)
  })
  return givers
}
