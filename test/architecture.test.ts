// Holds the house to its plan: who may import whom, how long a file may be, and what each public entry exports.

import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize, relative } from 'node:path'
import { describe, it } from 'node:test'
import { entryFiles } from '../scripts/reference/public-api.ts'

/** Each part of src/ imports from parts before it; parts in one row do not know each other. */
const layers: readonly (readonly string[])[] = [
  ['framework/html', 'framework/log', 'framework/options', 'framework/timing'],
  ['framework/http'],
  ['framework/redact'],
  ['framework/config'],
  ['framework/routing', 'framework/recording'],
  ['framework/kernel'],
  ['framework/node', 'errors'],
  ['profiler'],
  ['plugins'],
  ['stores'],
  ['app'],
  ['integrations'],
  ['cli'],
]

/** What others may import against that order, with who may: interfaces, and what only types are taken from. */
const ports: ReadonlyMap<string, readonly string[]> = new Map([
  ['src/app/commands.ts', ['profiler']],
  ['src/app/plugin.ts', ['profiler', 'plugins']],
  ['src/stores/engine.ts', ['profiler']],
  ['src/stores/evict.ts', ['profiler']],
  ['src/stores/engine-options.ts', ['profiler']],
])

const files = globSync('src/**/*.ts').sort()

describe('the parts of src/', () => {
  it('are all in the list of layers', () => {
    const parts = new Set(files.filter((file) => file.split('/').length > 2).map(partOf))
    assert.deepEqual([...parts].sort(), layers.flat().sort())
  })

  it('import from their own part, from one before it, or from a port', () => {
    const wrong: string[] = []
    for (const file of files) {
      if (file.split('/').length === 2) continue
      for (const target of importsOf(file)) {
        const own = partOf(file)
        if (target.split('/').length === 2) wrong.push(`${file} imports the public entry ${target}`)
        else if (own === partOf(target) || ports.get(target)?.includes(own) === true) continue
        else if (layerOf(partOf(target)) >= layerOf(own)) wrong.push(`${file} imports ${target}`)
      }
    }
    assert.deepEqual(wrong, [])
  })

  it('import in no circles, types and import() included', () => {
    assert.deepEqual(circles(new Map(files.map((file) => [file, importsOf(file)]))), [])
  })

  it('keep markup out of the profiler but for its pages', () => {
    const headless = files.filter((file) => /^src\/profiler\/(?!web\/|[^/]*$)/.test(file)).flatMap(importsOf)
    assert.deepEqual(
      headless.filter((target) => /^src\/(?:framework\/html\/html\.ts|errors\/page\/)/.test(target)),
      [],
    )
  })
})

describe('the files of the repository', () => {
  it('are at most 500 lines long', () => {
    const long = globSync(['src/**/*.ts', 'app/**/*.ts'])
      .map((file) => ({ file, lines: readFileSync(file, 'utf8').split('\n').length - 1 }))
      .filter(({ lines }) => lines > 500)
    assert.deepEqual(long, [])
  })

  it('have no function of more than 80 lines, but for those left', () => {
    const long = globSync(['src/**/*.ts', 'app/**/*.ts']).flatMap((file) =>
      functionsOf(readFileSync(file, 'utf8'))
        .filter(({ lines }) => lines > 80)
        .map(({ name }) => `${file}: ${name}`),
    )
    assert.deepEqual(long.sort(), [
      'src/app/create-app.ts: createApp',
      'src/cli/commands/profiles.ts: registerProfiles',
      'src/errors/origins/call-values.ts: ofUnknown',
      'src/errors/origins/find-origins.ts: findOrigins',
      'src/framework/node/request-listener.ts: makeListeners',
      'src/framework/routing/program.ts: runProgram',
      'src/profiler/browser/report-browser.ts: reportBrowser',
      'src/profiler/start-profiler.ts: startProfiler',
    ])
  })

  it('hold constants only at their top level', () => {
    const changing = files.filter((file) => /^(?:export )?(?:let|var) /m.test(readFileSync(file, 'utf8')))
    assert.deepEqual(changing, [])
  })

  it('change no container that is at their top level, but for what is allowed by name', () => {
    const allowed = [
      // The plan of a template literal, by its frozen strings: planning on each use makes rendering eight times slower.
      'src/framework/html/html.ts: plans',
      // The builtins are of the process, and so is when they were looked at: each look costs as much as the rest of a recorded request.
      'src/framework/timing/builtins.ts: found',
    ]
    const changed = files.flatMap((file) =>
      changedContainers(readFileSync(file, 'utf8')).map((name) => `${file}: ${name}`),
    )
    assert.deepEqual(changed, allowed)
  })

  it('use no private member of Node', () => {
    const isPrivate =
      /_storeHeader|\b_header\b|_implicitHeader|\b_handle\b|process\.binding|Reflect\.(?:get|has|set)\([^)]*'_|\._(?:send|read|write|events|http)\w*/
    assert.deepEqual(
      files.filter((file) => isPrivate.test(readFileSync(file, 'utf8'))),
      [],
    )
  })

  it('open with a comment that says what they are', () => {
    const silent = globSync(['src/**/*.ts', 'app/**/*.ts', 'scripts/*', 'bench/**/*.ts'], {
      exclude: (path) => String(path).includes('node_modules'),
    }).filter((file) => /\.(ts|mjs)$/.test(file) && !/^(#!.*\n)?\/\//.test(readFileSync(file, 'utf8')))
    assert.deepEqual(silent, [])
  })
})

describe('the public entries', () => {
  const snapshot = JSON.parse(readFileSync('test/public-api.json', 'utf8')) as Record<string, string[]>
  const entries = files.filter((file) => file.split('/').length === 2)

  it('are the ones that package.json exports', () => {
    const exported = [...entryFiles('.').values()].filter((file) => file.endsWith('.ts'))
    assert.deepEqual(exported.sort(), entries)
  })

  for (const entry of entries) {
    it(`${entry} exports what the snapshot says`, async () => {
      const module = (await import(join(process.cwd(), entry))) as Record<string, unknown>
      assert.deepEqual(Object.keys(module).sort(), snapshot[entry])
    })
  }
})

describe('changedContainers', () => {
  for (const [change, source] of Object.entries({
    'Map.set': 'const known = new Map<string, number>()\nfunction f() { known.set("a", 1) }',
    'Set.add': 'export const known: Set<string> = new Set()\nfunction f() { known.add("a") }',
    'WeakMap.delete': 'const known = new WeakMap()\nfunction f() { known.delete({}) }',
    push: 'const known: string[] = []\nfunction f() { known.push("a") }',
    'an index': 'const known = {}\nfunction f() { known["a"] = 1 }',
    'a property': 'const known: { a?: number } = {}\nfunction f() { known.a ??= 1 }',
    'a length': 'const known = []\nfunction f() { known.length = 0 }',
  })) {
    it(`finds a change by ${change}`, () => {
      assert.deepEqual(changedContainers(source), ['known'])
    })
  }

  it('leaves constants and local containers alone', () => {
    const source = `
const known = new Map([['a', 1]])
const list = [1]
function f() { const own = new Map(); own.set('b', known.get('a')); return list[0] === 1 && this.known.set('c', 2) }`
    assert.deepEqual(changedContainers(source), [])
  })
})

/** `framework/http`, `profiler`. */
function partOf(file: string): string {
  const [, folder = '', inner = ''] = file.split('/')
  return folder === 'framework' ? `${folder}/${inner}` : folder
}

function layerOf(part: string): number {
  return layers.findIndex((layer) => layer.includes(part))
}

/** Groups of files that lead back to each other (Tarjan's strongly connected components), each with two files at least. */
function circles(imports: ReadonlyMap<string, readonly string[]>): string[][] {
  const found: string[][] = []
  const order = new Map<string, number>()
  const lowest = new Map<string, number>()
  const path: string[] = []
  const visit = (file: string): number => {
    order.set(file, order.size)
    lowest.set(file, order.size - 1)
    path.push(file)
    for (const target of imports.get(file) ?? []) {
      const low = order.has(target) ? (path.includes(target) ? order.get(target) : undefined) : visit(target)
      if (low !== undefined) lowest.set(file, Math.min(lowest.get(file) ?? low, low))
    }
    if (lowest.get(file) !== order.get(file)) return lowest.get(file) ?? 0
    const circle = path.splice(path.indexOf(file))
    if (circle.length > 1) found.push(circle.sort())
    return Number.POSITIVE_INFINITY
  }
  for (const file of imports.keys()) if (!order.has(file)) visit(file)
  return found.sort(([one = ''], [other = '']) => one.localeCompare(other))
}

function importsOf(file: string): string[] {
  const source = readFileSync(file, 'utf8')
  const found = source.matchAll(/(?:from|import)\s*\(?\s*'(\.{1,2}\/[^']+)'/g)
  return [...found].map((match) => relative('.', normalize(join(dirname(file), match[1] ?? ''))))
}

/** Functions and methods by name, with their lines from the head to the closing brace. */
function functionsOf(source: string): { name: string; lines: number }[] {
  const lines = source.split('\n')
  return lines.flatMap((line, start) => {
    const head =
      /^( *)(?:(?:export|default|async|static|override|private) )*(?:function\*? |const (?=\w+(?:: [^=]+)? = (?:async )?\()|(?!if|for|while|switch|catch|return|with|super)(?=[#\w]+\())([#\w]+)/.exec(
        line,
      )
    if (head === null) return []
    const [, indent = '', name = ''] = head
    const isEnd = (later: string, index: number): boolean => index > start && later.startsWith(`${indent}}`)
    const opening = line.endsWith('(')
      ? lines.find((later, index) => index > start && later.startsWith(`${indent})`))
      : line
    return opening?.endsWith(' {') === true ? [{ name, lines: lines.findIndex(isEnd) - start + 1 }] : []
  })
}

/** Names of containers at the top level of a source that the source changes. */
function changedContainers(source: string): string[] {
  const made = source.matchAll(
    /^(?:export )?const (\w+)(?:: [^\n]+?)? = (?:new (?:Map|Set|WeakMap|WeakSet|Array)\b|Object\.create\(|[[{])/gm,
  )
  return [...made]
    .map((match) => match[1] ?? '')
    .filter((name) =>
      new RegExp(
        `(?<![\\w.#])${name}(?:\\.(?:set|add|push|unshift|pop|shift|splice|delete|clear)\\(|(?:\\[[^\\]\\n]*\\]|\\.\\w+) (?:[-+*/]|\\|\\||\\?\\?|&&)?= )`,
      ).test(source),
    )
}
