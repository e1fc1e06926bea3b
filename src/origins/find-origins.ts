// Where the values of a failed line come from, and which lines to change: the search over the frames of an error.

import type { ErrorChain, FlattenedError, Frame, ErrorRedactor } from '../errors/flattened-error.ts'
import type { Suggestion } from '../routing/suggest-routes.ts'
import type { Route } from '../routing/route.ts'
import type { SeenCall } from '../http/recording/recording.ts'
import type { Work } from '../errors/error-view.ts'
import { sourceRange } from '../errors/source-excerpt.ts'
import { failedLine, type ChangeCandidate, type OriginSource, type ValueOrigin } from '../errors/value-origin.ts'
import { Evidence, type Moment } from './evidence.ts'
import { callAt, faultOf, nodesAt, usesAt, valuesIn, lastName } from './fault.ts'
import { noteClosedCircle } from './changes.ts'
import { lookFarAway, noteEarlierResponse, noteKeptInPlugin, noteUnsetField, sentTwice } from './far-faults.ts'
import { callbackAt, Following } from './follow.ts'
import { callAround, isClass, nameOfFunction, returnsOf, visitOwn } from './functions.ts'
import { findRoute, lookIntoHandler, lookAtNearRoutes, noteRouteInFront } from './handler-search.ts'
import { Lookup, type CallPlace } from './lookup.ts'
import { lookAtModules } from './module-faults.ts'
import { lookForAddress } from './outside.ts'
import type { ProjectSources } from './project-sources.ts'
import { noteFailedWork, noteLostCaller } from './recorded.ts'
import { lookIntoFunction, type FunctionPlace } from './smells.ts'
import type { SourceTree } from '../errors/source/source-tree.ts'
import { covers, isCall, isFunction, isMember, lineOf, patternNames, visit } from '../errors/source/syntax.ts'
import type { CallNode, FunctionNode, Node } from '../errors/source/syntax.ts'
import { blank, type Definition, type Suspect, type Step, type Trail, type TrailOptions } from './trail.ts'
import { wholeWord } from './words.ts'
import { quote } from '../routing/regex-syntax.ts'

interface OriginOptions extends Pick<TrailOptions, 'env' | 'hasTime' | 'work' | 'request'> {
  readonly sources: ProjectSources
  readonly redactor: Pick<ErrorRedactor, 'text'>
  /** Whether files may still be read that no frame is in. */
  readonly hasTimeToRead: () => boolean
  /** Default: nothing was noted. */
  readonly seen?: readonly SeenCall[] | undefined
  /** Those that nearly matched the request. */
  readonly nearRoutes: () => readonly Suggestion[]
  readonly route: Pick<Route, 'name' | 'path' | 'definedAt'> | undefined
}

export interface Origins {
  readonly origins: readonly ValueOrigin[]
  readonly candidates: readonly ChangeCandidate[]
  /** Those of the chain with the variables of their frames; `undefined` where none were noted. */
  readonly errors?: readonly FlattenedError[] | undefined
  /** What was read for it; it holds as long as that does. `null`: only now. */
  readonly trees: readonly SourceTree[] | null
}

/** Errors of the router: the lines to change are those of near routes. */
const misses: ReadonlySet<string> = new Set(['ResourceNotFoundError', 'MethodNotAllowedError'])
/** Those of a miss in another framework: without frames, because no code threw them. */
const bareMisses: ReadonlySet<string> = new Set(['NotFoundHttpError', 'MethodNotAllowedHttpError'])
const maxOrigins = 12
const maxLines = 150
const maxCandidates = 6
/** Beside a place that is proved, others need a score of at least this. */
const leastBesideProof = 0.4
const leastScore = 0.1
export const maxFrames = 8

/** Of the innermost error with frames of the application's own. */
export function findOrigins(chain: ErrorChain, options: OriginOptions): Origins {
  const errors = [...chain.errors, ...(chain.errors.at(-1)?.members[0]?.errors ?? [])]
  const error = errors.findLast(({ frames }) => frames.some(isOwn))
  const root = errors.at(-1)
  if (root === undefined) return { origins: [], candidates: [], trees: [] }
  const isMiss = misses.has(root.className) || (root.frames.length === 0 && bareMisses.has(root.className))
  const near = isMiss ? options.nearRoutes() : []
  const isEndless = root.message.startsWith('Maximum call stack size')
  const { sources, hasTime, hasTimeToRead, route } = options
  const lookup = new Lookup(sources, hasTimeToRead)
  let places: FramePlace[] = []
  // The frames of a miss and of a handler that returned nothing are those of the kernel.
  if (!isMiss && root.className !== 'HandlerResultError') {
    if (error !== undefined) places = placesOf(error, sources)
    else if (!isEndless) places = placesOfWork(options.work, sources, root)
  }
  const [first] = places
  noteCallers(places, lookup)
  const fault = { ...faultOf(root), ...(error === root || first === undefined ? {} : { kind: 'other' as const }) }
  const said = first === undefined ? [] : valuesIn(first.tree, first.frame, fault)
  const failedAt = first === undefined ? '' : `${first.frame.file}:${first.frame.line}`
  const { request } = options
  const defined = findRoute(lookup, route, request?.method ?? 'GET')
  // Callers that no frame shows are where the route is, or what that imports.
  if (defined !== null) lookup.trees.add(defined.tree)
  const evidence = options.seen === undefined ? undefined : new Evidence(options.seen, lookup)
  const trail = new Following({
    hasTime,
    evidence,
    env: options.env,
    work: options.work,
    lookup,
    // Words of a path are in many lines.
    fault: isMiss
      ? { ...fault, tokens: [], subject: near[0]?.kind === 'doubled-slash' ? '//' : '' }
      : { ...fault, tokens: [...said, ...fault.tokens] },
    failedAt,
    route: route?.path ?? null,
    request,
  })
  if (isMiss) {
    lookAtNearRoutes(trail, near)
    trail.follow([])
  }
  noteLostCaller(trail, places.at(-1))
  noteFailedWork(trail)
  for (const [index, { tree, frame, node }] of places.entries()) {
    // No value is at fault where a function never stops calling itself.
    const isAgain =
      places.findIndex((one) => one.frame.line === frame.line && one.node === node && one.tree === tree) < index
    if (isEndless && (isAgain || isRepeated(error?.frames ?? [], frame)))
      trail.suspect({ tree }, frame.line, 0.9, 'calls itself again and again')
    const isTwice = sentTwice.test(fault.message)
    if (isTwice) noteEarlierResponse(trail, { tree, frame, node })
    const uses = isEndless || isTwice ? [] : usesAt(tree, frame, fault, index === 0)
    if (index === 0 && fault.kind === 'nothing') {
      noteUnsetField(trail, places, uses)
      noteKeptInPlugin(trail, uses)
    }
    trail.follow(uses, 0.93 ** index)
    const step = { ...blank, tree, node: tree.program, depth: index }
    // A callback is part of the functions around it.
    for (let owner = node; owner !== undefined; owner = tree.around(owner, isFunction))
      lookIntoFunction(trail, step, { tree, node: owner }, owner === node ? frame.line : undefined)
  }
  if (first === undefined && defined !== null && defined.line > 0) {
    const usedAt = `${defined.tree.file.path}:${defined.line}`
    lookIntoHandler(trail, defined.tree, defined.line, { ...blank, usedAt, name: route?.name ?? '' })
    trail.follow([])
  }
  const start = first?.tree ?? defined?.tree
  if (start !== undefined) {
    const step = { ...blank, tree: start, node: start.program, usedAt: failedAt }
    const trees = places.map(({ tree }) => tree)
    lookAtModules(trail, trees, step)
    lookForAddress(trail, step)
    noteClosedCircle(trail)
    lookForLeaks(trail, step)
  }
  if (defined !== null) noteRouteInFront(trail, defined)
  lookFarAway(trail, first === undefined ? [] : usesAt(first.tree, first.frame, fault, true))
  if (first !== undefined) trail.suspect(first, first.frame.line, 0.3, first.why ?? failedLine)
  if (trail.suspects.length === 0) lookForWords(trail)
  const moments = new Map(chain.errors.flatMap((one) => [...(evidence?.momentsOf(placesOf(one, sources)) ?? [])]))
  const moment = first && moments.get(first.frame)
  const given = moment && evidence?.firstGiven(moment, usesAt(first.tree, first.frame, fault, true), fault)
  for (const { file, odd } of options.seen ?? [])
    for (const { line, seenAt, text } of odd) {
      const isOnWay = places.some(({ frame }) => frame.file === file && frame.line === seenAt)
      trail.suspect({ tree: { file: { path: file } } }, line, isOnWay ? 0.96 : 0.88, `seen: ${text}`)
    }
  const candidates = rank(trail.suspects, given)
  return {
    errors: evidence && chain.errors.map((one) => withVariables(one, moments, evidence)),
    trees: lookup.isOfNow ? null : [...lookup.trees],
    origins: shownOrigins(trail.definitions, candidates, options),
    candidates: candidates.map(({ file, line, why }) => ({ file, line, why: options.redactor.text(why) })),
  }
}

function withVariables(error: FlattenedError, moments: ReadonlyMap<Frame, Moment>, evidence: Evidence): FlattenedError {
  const frames = error.frames.map((frame) => {
    const moment = moments.get(frame)
    const variables = moment === undefined ? [] : evidence.variablesOf(moment)
    return variables.length === 0 ? frame : { ...frame, variables }
  })
  return { ...error, frames }
}

interface FramePlace {
  readonly frame: Frame
  readonly tree: SourceTree
  /** What it called: the frame before it in the trace. */
  readonly called?: Frame | undefined
  /** What is said of the line. Default: that it failed. */
  readonly why?: string
  /** Whether a library called it, or the engine. Default false. */
  readonly isOfLibrary?: boolean
  readonly node: FunctionNode | undefined
}

/** Whether a frame is one of those that follow again and again. */
function isRepeated(frames: readonly Frame[], frame: Frame): boolean {
  const end = frames.findIndex(({ repeats }) => repeats !== undefined)
  const index = frames.indexOf(frame)
  return index <= end && index > end - (frames[end]?.repeats?.frames ?? 0)
}

export function isOwn({ origin, line }: Frame): boolean {
  return origin === 'own' && line > 0
}

/** An error without own frames: the call that was under way, the last one that failed, or the only response whose body was read. */
function placesOfWork(work: readonly Work[], sources: ProjectSources, { frames }: FlattenedError): FramePlace[] {
  const isOfBody = frames.some(({ file }) => file.startsWith('node:internal/deps/undici'))
  const asked = isOfBody ? work.filter(({ category }) => category === 'http') : []
  const call =
    work.findLast(({ durationMs, isFailed, callSite }) => callSite !== null && (durationMs === null || isFailed)) ??
    (asked.length === 1 ? asked[0] : undefined)
  const site = /^(.+):(\d+)$/.exec(call?.callSite ?? '')
  const tree = site === null ? null : sources.tree(site[1] ?? '')
  if (tree === null) return []
  const line = Number(site?.[2])
  const nodes = tree.nodesOnLine(line)
  const sent = nodes.find((one) => isCall(one) && lineOf(one) === line)
  const column = (sent?.loc?.start.column ?? tree.file.lines[line - 1]?.search(/\S/) ?? 0) + 1
  const node = nodes.findLast(isFunction)
  const isOver = typeof call?.durationMs === 'number'
  return [
    {
      frame: { functionName: null, file: tree.file.path, line, column, origin: 'own', isAsync: true, excerpt: null },
      tree,
      node,
      why: `sends ${!isOver ? 'what was under way' : call?.isFailed ? 'what failed' : 'the request whose response was read'}`,
    },
  ]
}

const resuming = /^(?:process\.processTicksAndRejections|Promise\.\w+)$/
/** Between two timers that are due. */
const resumingBetween = /^(?:runNextTicks|listOnTimeout|process\.process(?:Timers|Immediate)|Promise\.\w+)$/

function placesOf({ frames: all }: FlattenedError, sources: ProjectSources): FramePlace[] {
  // What goes on with a function that had waited did not call it.
  const names = all.some(({ functionName }) => functionName === 'runNextTicks') ? resumingBetween : resuming
  const frames = all.filter(({ file, functionName }) => !names.test(functionName ?? file))
  return frames
    .filter(isOwn)
    .slice(0, maxFrames)
    .flatMap((frame) => {
      const tree = sources.tree(frame.file)
      if (tree === null) return []
      const offset = tree.offsetOf(frame.line, frame.column)
      const inside = tree.nodesOnLine(frame.line).filter((node) => covers(node, offset))
      const index = frames.indexOf(frame)
      const isOfLibrary = (frames[index + 1]?.origin ?? 'own') !== 'own'
      return [{ frame, tree, called: frames[index - 1], isOfLibrary, node: inside.findLast(isFunction) }]
    })
}

/** Each frame was called by the next one, or given to what that called. */
function noteCallers(places: readonly FramePlace[], lookup: Lookup): void {
  for (const [index, { node, tree, frame, isOfLibrary }] of places.entries()) {
    lookup.trees.add(tree)
    // A library may call a callback: the next frame need not have.
    if (node === undefined || lookup.callers.has(node) || callAround(tree, node) !== undefined) continue
    if (isOfLibrary === true) lookup.callers.set(node, null)
    const caller = places[index + 1]
    if (caller === undefined) continue
    const { line, column, isAsync } = caller.frame
    const name = nameOfFunction(tree, node) ?? undefined
    const offset = caller.tree.offsetOf(line, column)
    const call = callAt(nodesAt(caller.tree, line, offset), offset, name)
    if (call === undefined) continue
    const isCalled = caller.called === frame && mayCall(lookup, { tree: caller.tree, call }, { tree, node }, isAsync)
    // What is given to a call may have to be searched for in further files.
    if (isCalled || callbackAt(caller.tree, call, node, lookup) >= 0)
      lookup.callers.set(node, { tree: caller.tree, call })
  }
}

/** Whether the call that a frame is at is the one that led into the function of the frame before it. */
function mayCall(lookup: Lookup, { tree, call }: CallPlace, called: FunctionPlace, isAsync: boolean): boolean {
  const isIt = (node: Node): boolean =>
    node === called.node || (isClass(node) && called.tree.around(called.node, isClass) === node)
  const found = lookup.find({ tree, node: call.callee })
  const made = found.flatMap((one) => (isCall(one.node) ? lookup.functionsOf({ ...one, node: one.node.callee }) : []))
  if (found.some(({ node }) => isIt(node)) || made.some(({ node }) => returnsOf(node).some(isIt))) return true
  if (found.some(({ node }) => isFunction(node) || isClass(node))) return false
  // An `await` waits for what it may not have called itself; `call()` and `bind()` give a function other arguments than their own.
  const names = [call, ...found.map(({ node }) => node)].map((node) => (isCall(node) ? lastName(node.callee) : null))
  return isAsync
    ? names[0] === nameOfFunction(called.tree, called.node)
    : !names.some((name) => borrowing.test(name ?? ''))
}

const borrowing = /^(?:call|apply|bind)$/

/** One suspect a line, what was seen first, then the best. */
function rank(suspects: readonly Suspect[], seen: ChangeCandidate | undefined): ChangeCandidate[] {
  const best = new Map<string, Suspect>()
  for (const suspect of suspects) {
    const key = `${suspect.file}:${suspect.line}`
    const known = best.get(key)
    if (known === undefined || suspect.score > known.score) best.set(key, suspect)
  }
  const ranked = [...best.values()].sort((one, other) => other.score - one.score).slice(0, maxCandidates)
  const least = (ranked[0]?.score ?? 0) < 0.9 ? leastScore : leastBesideProof
  const others = ranked.filter(({ score }) => score >= least)
  if (seen === undefined) return others
  const twin = others.find(({ file, line }) => file === seen.file && line === seen.line)
  // What was odd there says more, but for what a part of the value was.
  const isOdd = twin?.why.startsWith('seen: ') === true && !seen.why.includes('; ')
  // A response that failed is why its data is not there.
  const failed = others.filter(({ why }) => /^got [45]\d\d /.test(why))
  return [...new Set([...failed, isOdd ? twin : seen, ...others.filter((one) => one !== twin)])]
}

/** The definitions with the lines that matter, those of the candidates first among equals; all of them bounded. */
function shownOrigins(
  definitions: readonly Definition[],
  candidates: readonly ChangeCandidate[],
  options: OriginOptions,
): ValueOrigin[] {
  const linesIn = ({ tree, node }: Definition): readonly number[] =>
    candidates.flatMap(({ file, line }) =>
      file === tree.file.path && line >= lineOf(node) && line <= endOf(node) ? [line] : [],
    )
  const isNamed = (one: Definition): boolean => linesIn(one).length > 0
  const inOrder = [...definitions.filter(isNamed), ...definitions.filter((one) => !isNamed(one))]
  // An array that the line itself writes comes from nowhere else.
  const chosen = new Set(inOrder.filter(({ name }) => name !== '[…]').slice(0, maxOrigins))
  let left = maxLines
  return definitions
    .filter((one) => chosen.has(one))
    .map((one) => {
      const { usedAt, name, note, tree, node, marked } = one
      const source = sourceOf(tree, node, [...marked, ...linesIn(one)], marked, left, options)
      for (const { lines } of source?.parts ?? []) left -= lines.length
      return { usedAt, name: options.redactor.text(name), note: options.redactor.text(note), source }
    })
}

function endOf(node: Node): number {
  return node.loc?.end.line ?? lineOf(node)
}

const wholeLines = 12

/** A short definition as a whole; of a long one its head and the lines around those that matter. */
function sourceOf(
  tree: SourceTree,
  node: Node,
  wanted: readonly number[],
  marked: readonly number[],
  left: number,
  { redactor }: OriginOptions,
): OriginSource | null {
  const first = lineOf(node)
  const last = endOf(node)
  const ranges: { from: number; to: number }[] = []
  const isShort = last - first < wholeLines
  const spans = isShort
    ? [{ from: first, to: last }]
    : [first, ...wanted]
        .toSorted((one, other) => one - other)
        .map((line) => ({ from: Math.max(first, line - 1), to: Math.min(last, line + 1) }))
  for (const span of spans) {
    const previous = ranges.at(-1)
    if (previous !== undefined && span.from <= previous.to + 1) previous.to = Math.max(previous.to, span.to)
    else ranges.push({ ...span })
  }
  const parts = []
  let lines = left
  for (const { from, to } of ranges) {
    if (lines <= 0) break
    const part = sourceRange(tree.file, from, Math.min(to, from + lines - 1), (text) => redactor.text(text))
    lines -= part.lines.length
    parts.push(part)
  }
  return parts.length === 0 ? null : { file: tree.file.path, line: first, parts, marked: [...new Set(marked)] }
}

/** Texts that the message names, in every file near the route: where nothing else is known. */
function lookForWords(trail: Trail): void {
  const { lookup, fault } = trail.options
  const { tokens } = fault
  if (tokens.length === 0) return
  // Others may be written with escapes.
  const arePlain = tokens.every((token) => /^[\w\s./:@-]+$/.test(token))
  const wanted = arePlain ? new RegExp(tokens.map(quote).join('|')) : undefined
  for (const tree of lookup.withImported(wanted))
    visit(tree.program, (node) => {
      if (node.type === 'StringLiteral' && tokens.includes(node.value))
        trail.suspect({ tree }, node, 0.5, `contains the \`${node.value}\` from the message`)
      return node.type !== 'ImportDeclaration'
    })
}

const exhausted =
  /\bpool\b|acquir|exhaust|too many (?:clients|connections)|no (?:free|idle|more) \w+|\b(?:free|available) within\b|trying to connect|(?:connections?|slots?|locks?) (?:is|are|was|were|became|becomes) (?:free|available|left)|\bis full\b/i
const taking = /\b(?:acquire|connect|checkout|lease|borrow|getConnection|reserve|lock|take)/i
const giving = /^(?:release|end|close|destroy|free|unlock|giveBack|return|dispose)\w*$/i

/** Looks in every file near the failure for what is taken without being given back on each way out. */
function lookForLeaks(trail: Trail, step: Step): void {
  const { fault, hasTime, lookup } = trail.options
  if (!exhausted.test(fault.message)) return
  for (const tree of lookup.withImported(taking)) {
    if (!hasTime()) return
    for (const call of tree.calls) {
      const parent = tree.parentOf(call)
      const holder = parent?.type === 'AwaitExpression' ? tree.parentOf(parent) : parent
      const owner = tree.around(call, isFunction)
      if (owner !== undefined && holder?.type === 'VariableDeclarator' && taking.test(lastName(call.callee) ?? ''))
        lookAtTaken(trail, step, { tree, call, owner, taken: holder.id })
    }
  }
}

interface Taken {
  readonly tree: SourceTree
  readonly call: CallNode
  readonly owner: FunctionNode
  /** What it is called from then on. */
  readonly taken: Node
}

function lookAtTaken(trail: Trail, step: Step, { tree, call, owner, taken }: Taken): void {
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
  noteTakenTwice(trail, step, { tree, call, owner, taken }, release)
  const isAlways = tree.around(release, (one): one is Node => {
    const tried = tree.parentOf(one)
    return tried?.type === 'TryStatement' && tried.finalizer === one
  })
  if (isAlways !== undefined) return
  // Who names it there may give it back.
  const isNamed = wholeWord(...patternNames(taken))
  const early = exits.find((exit) => (exit.start ?? 0) < (release.start ?? 0) && !isNamed.test(tree.textOf(exit)))
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
