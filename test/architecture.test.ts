// Holds the house to its plan: who may import whom, how long a file may be, and what each public entry exports.
// Needs its own process: it loads every module.

import { parse } from '@babel/parser'
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize, relative } from 'node:path'
import { describe, it } from 'node:test'
import { entryFiles } from '../scripts/reference/public-api.ts'

/** A folder of `src/`; `entries` are the files directly in it. */
interface Package {
  readonly name: string
  /** `inner` packages never import `outer` ones; `host` puts all of them together. */
  readonly ring: 'inner' | 'outer' | 'host'
  /** What they may have together. It only goes down; a commit that raises it says what was deleted for it. */
  readonly lines: number
}

const house = JSON.parse(readFileSync('test/packages.json', 'utf8')) as {
  readonly files: number
  /** How many times in 1,000 lines code may say a type by `as` instead of checking it. It only goes down. */
  readonly casts: number
  /** From the lowest upward: each may import those before it. */
  readonly packages: readonly Package[]
}

const files = globSync('src/**/*.ts').sort()

describe('the packages of src/', () => {
  it('hold every file', () => {
    assert.deepEqual(
      files.filter((file) => packageOf(file) === undefined),
      [],
    )
  })

  it('say in a page what they are for, and which files to read first', () => {
    for (const { name } of house.packages.filter((one) => one.name !== 'entries')) {
      const page = readFileSync(`src/${name}/README.md`, 'utf8')
      const named = [...page.matchAll(/\]\(([^)]+)\)/g)].map(([, file = '']) => `src/${name}/${file}`)
      assert.equal(named.length, 3, name)
      for (const file of named) assert.ok(files.includes(file), file)
    }
  })

  it('stay within their budgets of lines', () => {
    const lines = new Map<string, number>()
    for (const file of files) {
      const { name } = packageOf(file) ?? { name: '' }
      lines.set(name, (lines.get(name) ?? 0) + linesOf(file))
    }
    const over = house.packages.filter(({ name, lines: budget }) => (lines.get(name) ?? 0) > budget)
    assert.deepEqual(
      over.map(({ name, lines: budget }) => `${name} has ${lines.get(name)} lines of ${budget}`),
      [],
    )
    assert.ok(files.length <= house.files, `src/ has ${files.length} files of ${house.files}`)
  })

  it('check what they read instead of saying its type', () => {
    const casts = files.reduce((sum, file) => sum + castsIn(readFileSync(file, 'utf8')), 0)
    const lines = files.reduce((sum, file) => sum + linesOf(file), 0)
    assert.ok(casts <= (house.casts * lines) / 1000, `src/ has ${casts} casts in ${lines} lines`)
  })

  it('are small enough to hold, and so is the inner ring', () => {
    const inner = house.packages.filter(({ ring }) => ring === 'inner')
    assert.ok(inner.reduce((sum, { lines }) => sum + lines, 0) <= 46_000)
    assert.deepEqual(
      house.packages.filter(({ lines }) => lines > 8000),
      [],
    )
  })

  it('are in the order of their rings', () => {
    assert.deepEqual([...new Set(house.packages.map(({ ring }) => ring))], ['inner', 'outer', 'host'])
  })

  it('import no public entry', () => {
    const inside = files.filter((file) => !isEntry(file))
    assert.deepEqual(
      inside.filter((file) => importsOf(file).some(isEntry)),
      [],
    )
  })

  it('import only packages before them', () => {
    const order = (file: string): number => house.packages.findIndex((one) => one === packageOf(file))
    const against = files.flatMap((file) =>
      importsOf(file)
        .filter((target) => order(target) > order(file))
        .map((target) => `${file} -> ${target}`),
    )
    assert.deepEqual(against, [])
  })

  it('import in no circles, types and import() included', () => {
    assert.deepEqual(circles(new Map(files.map((file) => [file, importsOf(file)]))), [])
  })

  it('keep markup out of what only notes, keeps and analyses', () => {
    const headless = files
      .filter((file) => /^src\/(?:observe|profiles|ran|analysis\/(?!pages\/))/.test(file))
      .flatMap(importsOf)
    assert.deepEqual(
      headless.filter((target) => /^src\/(?:base\/html\/html\.ts|errors\/page\/)/.test(target)),
      [],
    )
  })
})

describe('the files of the repository', () => {
  it('are at most 500 lines long', () => {
    const long = globSync(['src/**/*.ts', 'app/**/*.ts'])
      .map((file) => ({ file, lines: linesOf(file) }))
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
      'src/http/node/request-listener.ts: makeListeners',
      'src/observe/browser/report-browser.ts: reportBrowser',
      'src/origins/call-values.ts: ofUnknown',
      'src/origins/find-origins.ts: findOrigins',
      'src/routing/program.ts: runProgram',
    ])
  })

  it('hold constants only at their top level', () => {
    const changing = files.filter((file) => /^(?:export )?(?:let|var) /m.test(readFileSync(file, 'utf8')))
    assert.deepEqual(changing, [])
  })

  it('change no container that is at their top level, but for what is allowed by name', () => {
    const allowed = [
      // The plan of a template literal, by its frozen strings: planning on each use makes rendering eight times slower.
      'src/base/html/html.ts: plans',
      // The builtins are of the process, and so is the expression that looks at them.
      'src/base/timing/builtins.ts: looks',
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
  const entries = files.filter(isEntry)

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

function packageOf(file: string): Package | undefined {
  const [, folder = ''] = file.split('/')
  return house.packages.find(({ name }) => name === (isEntry(file) ? 'entries' : folder))
}

function isEntry(file: string): boolean {
  return dirname(file) === 'src'
}

function linesOf(file: string): number {
  return readFileSync(file, 'utf8').split('\n').length - 1
}

/** Each `as`, `<Type>value` and `value!`, but for `as const`. */
function castsIn(source: string): number {
  let count = 0
  const look = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return
    if ('type' in value && casting.has(value.type) && !isConst(value)) count += 1
    for (const [name, member] of Object.entries(value)) if (name !== 'loc' && !name.endsWith('Comments')) look(member)
  }
  look(parse(source, { sourceType: 'module', plugins: ['typescript'] }).program)
  return count
}

const casting: ReadonlySet<unknown> = new Set(['TSAsExpression', 'TSTypeAssertion', 'TSNonNullExpression'])

function isConst(cast: object): boolean {
  return 'typeAnnotation' in cast && JSON.stringify(cast.typeAnnotation).includes('"name":"const"')
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

describe('castsIn', () => {
  for (const [source, count] of [
    ['const one = two as string', 1],
    ['const one = two as unknown as string', 2],
    ['const one = <string>two', 1],
    ['const one = two!.three', 1],
    ["const one = ['two'] as const", 0],
    ['const one = two satisfies string', 0],
    ["import { one as two } from 'three'\nexport { two as four }", 0],
    ['// one as string', 0],
  ] as const) {
    it(`counts ${count} in ${JSON.stringify(source)}`, () => assert.equal(castsIn(source), count))
  }
})
