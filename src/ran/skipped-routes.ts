// Which calls that add routes did not run while an application was started, and what they stand behind.

import type { Profiler } from 'node:inspector'
import { isFunction, isMember, visit, type Node } from '../errors/source/syntax.ts'
import type { Redactor } from '../base/redact/redactor.ts'
import { empty, place, text, wideTable, type Blocks, type Inline } from '../observe/blocks/blocks.ts'
import { OwnInspector, type OwnScript } from './own-script.ts'

interface SourcePiece {
  /** On one line. */
  readonly text: string
  /** `app/routes.ts:12`. */
  readonly place: string
}

/** `behind` is a condition, a statement that left, or the head of a function that nobody called. */
export interface SkippedRoute {
  readonly call: SourcePiece
  readonly behind: SourcePiece
}

/** To be called before the application is loaded: V8 counts blocks only of what it compiles afterwards. Gives what ends it. `projectRoot` is absolute. */
export function watchRoutes(projectRoot: string): () => readonly SkippedRoute[] {
  const inspector = new OwnInspector(projectRoot)
  inspector.post('Profiler.enable')
  inspector.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true })
  return () => {
    const { result } = inspector.post('Profiler.takePreciseCoverage')
    inspector.post('Debugger.enable')
    const found = result.flatMap(({ functions, ...parsed }) => {
      const script = inspector.read(parsed)
      return script === undefined ? [] : skippedIn(script, functions)
    })
    inspector.close()
    return found
  }
}

function skippedIn(script: OwnScript, functions: readonly Profiler.FunctionCoverage[]): readonly SkippedRoute[] {
  const { tree } = script.scopes
  const ranges = functions.flatMap((one) => one.ranges)
  const hasRun = (node: Node): boolean => {
    const at = node.start ?? 0
    const around = ranges.filter(({ startOffset, endOffset }) => startOffset <= at && at < endOffset)
    const length = Math.min(...around.map(({ startOffset, endOffset }) => endOffset - startOffset))
    return around.find(({ startOffset, endOffset }) => endOffset - startOffset === length)?.count !== 0
  }
  const pieceOf = (from: number, to: number): SourcePiece => {
    const { file, line } = script.placeOf(from)
    return { text: tree.text.slice(from, to).replaceAll(/\s+/g, ' ').trim().slice(0, 200), place: `${file}:${line}` }
  }
  const found: SkippedRoute[] = []
  visit(tree.program, (call) => {
    const called = call.type === 'CallExpression' && isMember(call.callee) ? call.callee.property : call
    if (called === call || !adds.test(tree.text.slice(called.start ?? 0, call.end ?? 0)) || hasRun(called)) return true
    let skipped: Node = call
    let around = tree.parentOf(call)
    while (around !== undefined && !hasRun(around)) [skipped, around] = [around, tree.parentOf(around)]
    // What handlers call is another thing.
    const router = tree.text.slice(call.start ?? 0, called.start ?? 0)
    if (isFunction(skipped) && !/app|fastify|group|rout|server/i.test(router)) return true
    const body: readonly Node[] = around?.type === 'BlockStatement' || around?.type === 'Program' ? around.body : []
    // What left, else what is in front of it in the statement around it.
    const left = isFunction(skipped) ? undefined : body.slice(0, body.indexOf(skipped)).findLast(hasRun)
    const [first, end] = isFunction(skipped)
      ? [skipped, skipped.body.start]
      : [left ?? around, left?.end ?? skipped.start]
    found.push({ call: pieceOf(called.start ?? 0, call.end ?? 0), behind: pieceOf(first?.start ?? 0, end ?? 0) })
    return true
  })
  return found
}

/** A call that adds a route by its path, or a part of a table, in any framework. */
const adds =
  /^(?:(?:add|all|any|delete|get|group|head|options|patch|post|put|route)\((?:[^,()]*,\s*|\s*\{[^{}]*?\b(?:path|url):\s*)?\s*['"`]\/|(?:merge|mount|register|use)\([^)])/

/** Of the names in a condition only those of the environment still have the value that they had. */
export function skippedBlocks(routes: readonly SkippedRoute[], redactor: Redactor, env: NodeJS.ProcessEnv): Blocks {
  if (routes.length === 0) return [empty('Every call that adds routes ran when the application was started.')]
  const rows = routes.map(({ call, behind }) => {
    const names = new Set([...behind.text.matchAll(/process\.env(?:\.|\[['"])(\w+)/g)].map(([, name = '']) => name))
    const valueOf = (name: string): Inline =>
      env[name] === undefined ? 'not set' : { code: redactor.property(env, name, 200) }
    const values = [...names].flatMap((name): Inline[] => [{ code: name }, valueOf(name)])
    const pieces = ({ text: code, place: at }: SourcePiece): readonly Inline[] => [
      { code: redactor.text(code) },
      place(at),
    ]
    return { cells: [pieces(call), pieces(behind), values] }
  })
  return [
    text('Calls of your code that look as if they add routes, and did not run when the application was started.'),
    wideTable('Calls that did not run', 'call', ['Call', 'Stands behind', 'Environment'], rows),
  ]
}
