// The lines of code that was compiled or bundled, and beside a debugger of somebody else.

import assert from 'node:assert/strict'
import { createRequire, registerHooks } from 'node:module'
import inspector from 'node:inspector'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { rolldown } from 'rolldown'
import { runInExchange } from '../../../src/http/kernel/current-exchange.ts'
import { CodeTracer } from '../../../src/ran/code-tracer.ts'
import type { RanCode } from '../../../src/observe/ran-code.ts'
import { recordedExchange } from '../../support/recorded-exchange.ts'
import { makeTemporaryDirectory } from '../../support/temporary-directory.ts'

interface Compiled {
  readonly code: string
  readonly map: string
}

const older = createRequire(new URL('../../integrations/older/package.json', import.meta.url))
const { transpileModule } = older('typescript') as {
  transpileModule(text: string, options: object): { readonly outputText: string; readonly sourceMapText: string }
}
const { transformSync } = createRequire(older.resolve('tsx'))('esbuild') as {
  transformSync(text: string, options: object): Compiled
}

/** 99: newest. As `nest build` compiles: decorators, with what types say of them. */
const ofTsc = (module: number, target: number) => (): Compiled => {
  const compilerOptions = { module, target, sourceMap: true, experimentalDecorators: true, emitDecoratorMetadata: true }
  const { outputText: code, sourceMapText: map } = transpileModule(source, {
    compilerOptions,
    fileName: '../src/cart.ts',
  })
  // As with an `outDir`.
  return { code: code.replace(/\/\/# sourceMappingURL=.*/, ''), map: map.replace('["cart.ts"]', '["../src/cart.ts"]') }
}

const builds: Readonly<Record<string, readonly [ending: string, build: () => Compiled]>> = {
  'tsc, ES modules': ['mjs', ofTsc(99, 99)],
  'tsc, CommonJS for Nest': ['cjs', ofTsc(1, 9)],
  esbuild: [
    'mjs',
    () =>
      transformSync(source, { loader: 'ts', sourcemap: true, sourcefile: '../src/cart.ts', minifyWhitespace: true }),
  ],
  'tsx, whose maps are in the code': [
    'mjs',
    () => ({
      ...transformSync(source, { loader: 'ts', sourcemap: 'inline', sourcefile: '../src/cart.ts', target: 'node22' }),
      map: '',
    }),
  ],
}

const source = `interface Item { readonly price: number }

enum Rate { Full = 10 }

export class Cart {
  constructor(private readonly rate: Rate) {}

  total(items: readonly Item[]): number {
    let sum: number = 0
    for (const item of items) {
      sum += item.price * this.rate
    }
    return sum
  }
}

export const main = async (): Promise<number> => new Cart(Rate.Full).total([{ price: 2 }, { price: 3 }])
`

type Main = () => Promise<number>

async function trace(directory: string, main: Main): Promise<RanCode> {
  const exchange = recordedExchange()
  const tracer = new CodeTracer(directory)
  let ran: RanCode | undefined
  for (let turn = 0; turn < 2; turn += 1) {
    const running = tracer.start('GET /', exchange.recording)
    assert.ok('stop' in running)
    assert.equal(await runInExchange(exchange, main), 50)
    ran = running.stop()
  }
  assert.ok(ran !== undefined)
  return ran
}

/** V8 may pass breakpoints by in a function that it optimizes at that moment. */
async function totalOf(directory: string, main: Main): Promise<readonly unknown[]> {
  for (let left = 40; ; left -= 1) {
    const { functions, calls } = await trace(directory, main)
    const call = calls.find(({ function: at }) => functions[at]?.name === 'total')
    const of = functions[call?.function ?? -1]
    if (call === undefined || of === undefined) {
      assert.ok(left > 0, 'no call of total was noted')
      await wait(50)
      continue
    }
    const texts = call.lines.flatMap(({ line, values }) =>
      values.flatMap(([name, all]) => (name === 'sum' ? [[of.source[line - of.line]?.trim(), ...all]] : [])),
    )
    return [of.file, of.line, texts]
  }
}

const told = [
  'src/cart.ts',
  8,
  [
    ['let sum: number = 0', '0'],
    ['sum += item.price * this.rate', '20', '50'],
  ],
]

async function built(directory: string, [ending, build]: readonly [string, () => Compiled]): Promise<Main> {
  for (const folder of ['src', 'dist']) mkdirSync(join(directory, folder))
  writeFileSync(join(directory, 'src/cart.ts'), source)
  const { code, map } = build()
  const file = join(directory, `dist/cart.${ending}`)
  const isNamed = code.includes('sourceMappingURL')
  writeFileSync(file, isNamed ? code : `${code}\n//# sourceMappingURL=cart.${ending}.map\n`)
  if (map !== '') writeFileSync(`${file}.map`, map)
  const { main } = (await import(pathToFileURL(file).href)) as { readonly main: Main }
  return main
}

for (const [name, build] of Object.entries(builds)) {
  it(`is told in the source, of what ${name} made`, async (test) => {
    const directory = makeTemporaryDirectory(test)
    assert.deepEqual(await totalOf(directory, await built(directory, build)), told)
  })
}

it('is told in the source that was compiled in memory under its own name, as tsx does', async (test) => {
  const directory = makeTemporaryDirectory(test)
  mkdirSync(join(directory, 'src'))
  const file = join(directory, 'src/cart.ts')
  writeFileSync(file, source)
  const { href } = pathToFileURL(file)
  const options = { loader: 'ts', sourcemap: 'inline', sourcefile: file, minifyWhitespace: true }
  const hooks = registerHooks({
    load: (url, context, next) =>
      url === href
        ? { format: 'module', shortCircuit: true, source: transformSync(source, options).code }
        : next(url, context),
  })
  test.after(() => hooks.deregister())
  const { main } = (await import(href)) as { readonly main: Main }
  assert.deepEqual(await totalOf(directory, main), told)
})

it('is told in the source of a bundle', async (test) => {
  const directory = makeTemporaryDirectory(test)
  mkdirSync(join(directory, 'src'))
  writeFileSync(join(directory, 'src/cart.ts'), source)
  writeFileSync(join(directory, 'src/main.ts'), "export { main } from './cart.ts'\n")
  const bundle = await rolldown({ input: join(directory, 'src/main.ts'), cwd: directory })
  await bundle.write({ dir: join(directory, 'dist'), sourcemap: true, entryFileNames: 'main.mjs' })
  await bundle.close()
  const { main } = (await import(pathToFileURL(join(directory, 'dist/main.mjs')).href)) as { readonly main: Main }
  assert.deepEqual(await totalOf(directory, main), told)
})

it('leaves a debugger that is attached, and its breakpoints, alone', async (test) => {
  const directory = makeTemporaryDirectory(test)
  const main = await built(directory, ['mjs', ofTsc(99, 99)])
  const debug = new inspector.Session()
  test.after(() => debug.disconnect())
  debug.connect()
  debug.post('Debugger.enable')
  const seen: string[] = []
  Object.assign(globalThis, { seenByOther: (text: string) => seen.push(text) > 1e9 })
  test.after(() => Reflect.deleteProperty(globalThis, 'seenByOther'))
  const asked = { urlRegex: '.*dist/cart\\.mjs$', lineNumber: 12, condition: 'seenByOther(String(sum))' }
  let failed: Error | null = null
  debug.post('Debugger.setBreakpointByUrl', asked, (error) => (failed = error))
  assert.equal(failed, null)
  assert.equal(await main(), 50)
  const before = [...seen]
  assert.ok(before.length > 0, 'the other breakpoint is passed')
  assert.deepEqual(await totalOf(directory, main), told)
  seen.length = 0
  assert.equal(await main(), 50)
  assert.deepEqual(seen, before)
})
