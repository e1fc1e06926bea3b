// Loaded before the tests on a Node that has no `using` yet: our sources and tests mean the same there, in the same lines.
// Plain JavaScript: it is loaded by every test file.

import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { fileURLToPath } from 'node:url'
import { isMainThread } from 'node:worker_threads'
import { parse } from '@babel/parser'

const root = new URL('..', import.meta.url).href

registerHooks({
  load(url, context, nextLoad) {
    if (!url.startsWith(root) || !url.endsWith('.ts') || url.includes('/node_modules/')) return nextLoad(url, context)
    const text = readFileSync(fileURLToPath(url), 'utf8')
    if (!/\busing \w/.test(text)) return nextLoad(url, context)
    return { format: 'module-typescript', source: lowered(text), shortCircuit: true }
  },
})

/** Each `using` becomes a `const`, and what follows it in its block is tried, so that it is disposed of at the end. */
function lowered(text) {
  const options = { sourceType: 'module', plugins: ['typescript', 'explicitResourceManagement'] }
  const edits = []
  visit(parse(text, options).program, edits)
  // From the end, so that places before stay right. At one place, what is edited later comes first: the last resource ends first.
  edits.sort((one, other) => other.at - one.at)
  return edits.reduce((result, { at, to, by }) => result.slice(0, at) + by + result.slice(to), text)
}

function visit(node, edits) {
  if (Array.isArray(node)) {
    for (const part of node) visit(part, edits)
    return
  }
  if (typeof node?.type !== 'string') return
  if (node.type === 'BlockStatement') for (const statement of node.body) lower(statement, node.end - 1, edits)
  for (const [key, part] of Object.entries(node)) if (key !== 'loc' && typeof part === 'object') visit(part, edits)
}

function lower(statement, blockEnd, edits) {
  if (statement.type !== 'VariableDeclaration' || !statement.kind.endsWith('using')) return
  const isAsync = statement.kind === 'await using'
  const add = (at, to, by) => edits.push({ at, to, by })
  const names = statement.declarations.map(({ id }) => id.name)
  add(statement.start, statement.declarations[0].start, 'const ')
  add(statement.end, statement.end, '; try {')
  const dispose = (name) =>
    isAsync
      ? `await (${name}[Symbol.asyncDispose] ?? ${name}[Symbol.dispose]).call(${name})`
      : `${name}[Symbol.dispose]()`
  add(blockEnd, blockEnd, `} finally { ${names.toReversed().map(dispose).join('; ')} }`)
}

// This test runner does not wait for a test of which nothing holds the process open.
if (isMainThread && process.env.NODE_TEST_CONTEXT !== undefined && process.argv[1]?.endsWith('.test.ts')) {
  const { afterEach, beforeEach } = await import('node:test')
  const running = []
  beforeEach(() => void running.push(setInterval(() => {}, 1000)))
  afterEach(() => clearInterval(running.pop()))
}
