// The data file that a value was read from, and where its text could not be parsed. The text is neither read nor shown.

import { statSync } from 'node:fs'
import { posix } from 'node:path'
import { performance, wallMs } from '../../framework/timing/builtins.ts'
import { formatAge } from '../../framework/html/components.ts'
import { lastName } from './fault.ts'
import { returnsOf } from './functions.ts'
import type { Place } from './project-sources.ts'
import { isCall, visit, type Node } from './syntax.ts'
import type { Step, Trail } from './trail.ts'

/** Names the file that `JSON.parse` got its text from, where its path is written in the source. `read`: the line that reads it. */
export function lookAtDataFile(trail: Trail, step: Step, read: Node, text: Node): void {
  const { message } = trail.options.fault
  const at = /\(line (\d+) column (\d+)\)/.exec(message)
  for (const path of pathsOf(trail, { tree: step.tree, node: text }, 0)) {
    if (!/\bJSON\b/.test(message)) {
      noteData(trail, step, read, path)
      continue
    }
    if (!isThere(trail, path)) continue
    const why = at === null ? 'is not valid JSON' : `is not valid JSON: column ${at[2] ?? ''}`
    trail.suspect({ tree: { file: { path } } }, Number(at?.[1] ?? 1), 0.99, why)
  }
}

/** Says of a value that it comes from a file, and when that was written. */
export function noteData(trail: Trail, step: Step, read: Node, path: string): void {
  const key = step.path.find(({ name }) => name !== '*')
  if (!isThere(trail, path)) return
  trail.options.lookup.isOfNow = true
  const { mtimeMs } = statSync(`${trail.options.lookup.sources.files.root}/${path}`)
  const before = mtimeMs < performance.timeOrigin ? ', before this process began' : ''
  const what = key === undefined ? 'reads' : `reads \`${key.name}\` of`
  const why = `${what} ${path}, which was written ${formatAge(Math.max(0, wallMs() - mtimeMs))} ago${before}`
  trail.suspect(
    step,
    read,
    step.isValue && key !== undefined && step.path.at(-1)?.name !== '*' ? 0.72 : 0.45,
    why,
    step,
  )
}

function isThere({ options }: Trail, path: string): boolean {
  if (path.startsWith('..')) return false
  return options.lookup.sources.siblings(posix.dirname(path)).includes(posix.basename(path))
}

/** Files that a text was read from, relative to the root. */
function pathsOf(trail: Trail, place: Place, depth: number): string[] {
  const { lookup } = trail.options
  if (depth > 4) return []
  return lookup.find(place).flatMap(({ tree, node }) => {
    if (!isCall(node)) return []
    const [first] = node.arguments
    const name = lastName(node.callee)
    if (name === 'readFile' || name === 'readFileSync')
      return first === undefined ? [] : writtenPath(trail, tree, first)
    return lookup
      .functionsOf({ tree, node: node.callee })
      .flatMap((made) =>
        returnsOf(made.node).flatMap((value) => pathsOf(trail, { tree: made.tree, node: value }, depth + 1)),
      )
  })
}

/** `data/x.json` of `'data/x.json'`, `new URL('./x.json', import.meta.url)` or `join(import.meta.dirname, 'x.json')`. */
function writtenPath(trail: Trail, from: Place['tree'], given: Node): string[] {
  return trail.options.lookup.find({ tree: from, node: given }).map(({ tree, node }) => {
    const parts: string[] = []
    let isBeside = false
    visit(node, (inner) => {
      if (inner.type === 'StringLiteral') parts.push(inner.value)
      if (inner.type === 'TemplateElement') parts.push(inner.value.raw)
      if (inner.type === 'MetaProperty' || (inner.type === 'Identifier' && inner.name === '__dirname')) isBeside = true
      return true
    })
    return posix.join(isBeside ? posix.dirname(tree.file.path) : '.', ...parts)
  })
}
