// Every usual way to start an application, with `fanlight dev` in front of it: its requests are recorded as with `node`. A few of them run by
// default, all of them with `STARTS=whole` (`npm run test:starts`), those of one program with `STARTS=tsx`.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { describe, it } from 'node:test'
import { compiledCode, fromSources } from '../support/compiled-code.ts'
import { appFolder, linesOf, printedBy, queriesOf, register, type AppFolder } from '../support/registered-app.ts'
import { until } from '../support/until.ts'
import { sourceOf, type FrameworkName, type Kind } from './support/started-application.ts'
import { stepsOf } from './seen.ts'
import type { SeenProfile } from './served.ts'

const { STARTS: chosen } = process.env
const root = join(import.meta.dirname, '../..')
const main = join(root, 'src/cli/main.ts')
const [older, starts, newest] = ['test/integrations/older', 'test/integrations/starts', '.'].map((folder) =>
  createRequire(join(root, folder, 'package.json')),
) as [NodeJS.Require, NodeJS.Require, NodeJS.Require]

/** One way to start. */
interface Start {
  /** As somebody types it; its first word is a program. */
  readonly command: string
  readonly kinds: readonly Kind[]
  /** Whether the application is TypeScript. Default: JavaScript. */
  readonly isTypeScript?: boolean
  /** Default: all that the kind allows. */
  readonly frameworks?: readonly FrameworkName[]
  /** Frameworks with which it runs by default: what failed once, and is cheap. */
  readonly byDefault?: readonly FrameworkName[]
  readonly files?: Readonly<Record<string, string>>
  /** Done before, without us. */
  readonly before?: string
  /** Without `fanlight dev`, which is part of the command otherwise. */
  readonly isAlone?: boolean
  readonly env?: Readonly<Record<string, string>>
}

const both = ['CommonJS', 'ESM'] as const
const common = ['CommonJS'] as const
const esm = ['ESM'] as const
const required = JSON.stringify(join(root, 'src/register.ts'))

const allStarts: readonly Start[] = [
  { command: 'node main.js', kinds: both },
  { command: 'node --watch main.js', kinds: both },
  { command: `node --import ${register} main.js`, kinds: both, isAlone: true },
  { command: `node --require ${required} main.js`, kinds: both, isAlone: true },
  { command: 'ts-node main.ts', kinds: common, isTypeScript: true, byDefault: ['Express 4'] },
  { command: 'ts-node --transpile-only main.ts', kinds: common, isTypeScript: true },
  { command: 'node -r ts-node/register main.ts', kinds: common, isTypeScript: true },
  {
    command: 'ts-node -r tsconfig-paths/register start.ts',
    kinds: common,
    isTypeScript: true,
    files: { 'start.ts': "import '@app/main'" },
  },
  {
    command: 'ts-node --transpile-only main.ts',
    kinds: common,
    isTypeScript: true,
    env: fromSources,
    byDefault: ['Express 5'],
  },
  {
    command: 'node --loader ts-node/esm main.ts',
    kinds: esm,
    isTypeScript: true,
    env: { TS_NODE_TRANSPILE_ONLY: 'true' },
  },
  { command: 'node -r @swc-node/register main.ts', kinds: common, isTypeScript: true },
  { command: 'node --import @swc-node/register/esm-register main.ts', kinds: both, isTypeScript: true },
  { command: 'tsx main.ts', kinds: both, isTypeScript: true, byDefault: ['Express 4', 'Koa 3', 'Nest 11'] },
  { command: 'tsx watch main.ts', kinds: both, isTypeScript: true },
  { command: 'node -r tsx/cjs main.ts', kinds: common, isTypeScript: true },
  { command: 'node --import tsx main.ts', kinds: both, isTypeScript: true },
  { command: 'nest start', kinds: common, isTypeScript: true },
  { command: 'nest start --watch', kinds: common, isTypeScript: true },
  { command: 'nest start -b swc --watch', kinds: both, isTypeScript: true },
  { command: 'nodemon main.js', kinds: both },
  { command: 'nodemon --exec tsx main.ts', kinds: both, isTypeScript: true },
  { command: 'vite-node main.ts', kinds: both, isTypeScript: true },
  {
    command: 'node built/main.js',
    before: 'esbuild main.ts --outdir=built --format=FORMAT --platform=node',
    kinds: both,
    isTypeScript: true,
  },
  {
    command: 'node built/main.js',
    before: 'esbuild main.ts --outdir=built --format=FORMAT --platform=node --bundle --packages=external',
    kinds: both,
    isTypeScript: true,
  },
  {
    command: 'node built/main.js',
    before: 'node swc.cjs',
    kinds: both,
    isTypeScript: true,
    files: { 'swc.cjs': swc() },
  },
  { command: 'pm2-runtime start main.js --raw', kinds: both },
  {
    command: 'node worker.cjs',
    kinds: both,
    files: { 'worker.cjs': "new (require('node:worker_threads').Worker)('./main.js')" },
  },
  {
    command: 'node cluster.cjs',
    kinds: both,
    files: {
      'cluster.cjs': "require('node:cluster').setupPrimary({ exec: 'main.js' }); require('node:cluster').fork()",
    },
  },
]

function swc(): string {
  return `
const { transformFileSync } = require('@swc/core')
const isEsm = require('./package.json').type === 'module'
const { code } = transformFileSync('main.ts', { jsc: { parser: { syntax: 'typescript' }, target: 'es2022' }, module: { type: isEsm ? 'es6' : 'commonjs' } })
require('node:fs').mkdirSync('built')
require('node:fs').writeFileSync('built/main.js', code)`
}

/** Where each framework comes from. */
const frameworks: Readonly<
  Record<FrameworkName, { readonly from: NodeJS.Require; readonly packages: readonly string[] }>
> = {
  'Express 4': { from: older, packages: ['express'] },
  'Express 5': { from: newest, packages: ['express'] },
  'Fastify 5': { from: newest, packages: ['fastify'] },
  'Koa 3': { from: newest, packages: ['koa', '@koa/router'] },
  'Nest 11': {
    from: older,
    packages: ['@nestjs/common', '@nestjs/core', '@nestjs/platform-express', 'reflect-metadata', 'rxjs'],
  },
}

/** Steps of the application; those of a framework's own parts may be around them. */
const steps: Readonly<Record<FrameworkName, readonly string[]>> = {
  'Express 4': ['middleware timing', 'controller showOrder'],
  'Express 5': ['middleware timing', 'controller showOrder'],
  'Fastify 5': ['hook onRequest timing', 'controller showOrder'],
  'Koa 3': ['middleware timing', 'middleware router /shops', 'controller showOrder'],
  'Nest 11': ['middleware timing', 'controller Orders.showOrder'],
}

/** What starts applications, from where it is installed. */
const programs: readonly (readonly [NodeJS.Require, readonly string[]])[] = [
  [older, ['tsx', 'ts-node', 'tsconfig-paths', 'typescript']],
  [starts, ['@nestjs/cli', '@swc-node/register', '@swc/cli', '@swc/core', 'esbuild', 'nodemon', 'pm2', 'vite-node']],
  [newest, ['better-sqlite3', 'winston']],
]

/** A folder of an application as its developer has it: its own packages, and nothing of Fanlight. */
function applicationFolder(start: Start, framework: FrameworkName, kind: Kind): AppFolder {
  const { isTypeScript = false, files = {} } = start
  const folder = appFolder({}, 'an app', false)
  const { from, packages } = frameworks[framework]
  for (const [place, names] of [...programs, [from, packages] as const])
    for (const name of names) link(folder, place, name)
  folder.write('package.json', JSON.stringify(kind === 'ESM' ? { name: 'app', type: 'module' } : { name: 'app' }))
  folder.write(isTypeScript ? 'main.ts' : 'main.js', sourceOf(framework, kind, isTypeScript))
  const module = kind === 'ESM' ? { module: 'nodenext' } : { module: 'commonjs', moduleResolution: 'node' }
  folder.write(
    'tsconfig.json',
    JSON.stringify({
      compilerOptions: {
        ...module,
        target: 'es2022',
        esModuleInterop: true,
        skipLibCheck: true,
        types: [],
        outDir: 'dist',
        baseUrl: '.',
        paths: { '@app/*': ['*'] },
      },
      files: ['main.ts'],
      // As the compiler of Nest that is swc takes it.
      exclude: ['node_modules/**', 'dist/**'],
    }),
  )
  folder.write('nest-cli.json', JSON.stringify({ sourceRoot: '.', entryFile: 'main' }))
  for (const [file, text] of Object.entries(files)) folder.write(file, text)
  return folder
}

/** Links a package and its programs into `node_modules`, as npm does. */
function link({ path }: AppFolder, from: NodeJS.Require, name: string): void {
  const target = from.resolve
    .paths(name)
    ?.map((folder) => join(folder, name))
    .find((folder) => existsSync(folder))
  if (target === undefined) return
  const place = join(path, 'node_modules', name)
  mkdirSync(dirname(place), { recursive: true })
  symlinkSync(target, place)
  const { bin = {} } = JSON.parse(readFileSync(join(target, 'package.json'), 'utf8')) as {
    bin?: string | Record<string, string>
  }
  mkdirSync(join(path, 'node_modules/.bin'), { recursive: true })
  for (const [program, file] of Object.entries(typeof bin === 'string' ? { [basename(name)]: bin } : bin)) {
    symlinkSync(join(target, file), join(path, 'node_modules/.bin', program))
  }
}

/** Runs a command until it has printed what the profiler says, or has ended; then ends it. */
async function run(folder: AppFolder, args: readonly string[], env: Readonly<Record<string, string>>): Promise<string> {
  const [program = '', ...rest] = args
  const child = spawn(program === 'node' ? process.execPath : program, rest, {
    cwd: folder.path,
    env: {
      HOME: folder.path,
      PM2_HOME: join(folder.path, 'pm2'),
      PATH: `${join(folder.path, 'node_modules/.bin')}:${dirname(process.execPath)}:${process.env['PATH']}`,
      FANLIGHT: 'on',
      FANLIGHT_STORE: 'memory:',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (said += chunk.toString()))
  let hasEnded = false
  const exit = once(child, 'close').then(() => (hasEnded = true))
  try {
    await until(() => hasEnded || /^\{"name":.*\}$/m.test(said))
  } catch (error) {
    throw new Error(`${args.join(' ')} printed nothing that was expected: ${said}`, { cause: error })
  } finally {
    // With its children, which a watching program does not always end.
    if (!hasEnded && child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
    await exit
  }
  return said
}

for (const start of allStarts) {
  const { command, kinds, before = '', byDefault = [], env = {} } = start
  const isChosen = chosen === 'whole' || (chosen !== undefined && `${before} ${command}`.includes(chosen))
  describe(
    `${before === '' ? '' : `${before} && `}${command.replaceAll(root, '')}${env === fromSources ? ' (from sources)' : ''}`,
    { concurrency: 3 },
    () => {
      for (const kind of kinds) {
        const possible = start.frameworks ?? (Object.keys(frameworks) as FrameworkName[])
        const isDefault = (name: FrameworkName): boolean => kind === kinds[0] && byDefault.includes(name)
        for (const framework of possible.filter((name) => isChosen || isDefault(name))) {
          it(`is observed: ${framework}, ${kind}`, async () => {
            await using folder = applicationFolder(start, framework, kind)
            if (before !== '') {
              await run(folder, before.replace('FORMAT', kind === 'ESM' ? 'esm' : 'cjs').split(' '), {})
            }
            const words = command.split(' ').map((word) => (word.startsWith('"') ? (JSON.parse(word) as string) : word))
            const args = start.isAlone === true ? words : ['node', main, 'dev', '--', ...words]
            const said = await run(folder, args, { ...compiledCode, ...env })
            const printed = printedBy({ stdout: said, stderr: '', exitCode: null, signal: null })
            const profile = printed.profile as unknown as SeenProfile | null
            assert.ok(profile !== null, said)
            assert.match(String(profile.route), /^\/shops\/:shop\/orders\/:id$/, said)
            assert.match(String(profile.handler), /showOrder$/)
            assert.equal(profile.errorMessage, 'Not in stock')
            assert.deepEqual(new Set(steps[framework]).difference(new Set(stepsOf(profile))), new Set())
            assert.deepEqual(queriesOf(printed), ['SELECT ? AS here'])
            assert.ok(linesOf(printed).includes('asked'), said)
            assert.deepEqual(printed.notes, [])
            assert.match(printed.text, /<a class="brand" href="\/_profiler/)
          })
        }
      }
    },
  )
}

describe('ways to start', () => {
  it('are the same where Fanlight is there and off', async () => {
    const start = { command: 'ts-node --transpile-only main.ts', kinds: common, isTypeScript: true }
    await using folder = applicationFolder(start, 'Express 4', 'CommonJS')
    const preload = `--require ${JSON.stringify(join(root, 'src/preload.cts'))}`
    const env = { FANLIGHT: 'off', NODE_ENV: 'test' }
    const plain = await run(folder, start.command.split(' '), env)
    assert.equal(await run(folder, start.command.split(' '), { ...env, NODE_OPTIONS: preload }), plain)
    assert.match(plain, /"token":null.*Not in stock/)
  })

  it('are in the guide with the versions that are installed', () => {
    const guide = readFileSync(join(root, 'docs/guides/frameworks.md'), 'utf8')
    const [, table = ''] = /### Every way to start\n(.*?)\n## /s.exec(guide) ?? []
    const versions = ['older', 'starts'].flatMap((folder) => {
      const file = readFileSync(join(import.meta.dirname, folder, 'package.json'), 'utf8')
      return Object.entries((JSON.parse(file) as { dependencies: Record<string, string> }).dependencies)
    })
    const isShown = new Set(programs.flatMap(([, names]) => names)).difference(new Set(['typescript']))
    const missing = versions.filter(([name, version]) => isShown.has(name) && !table.includes(version))
    assert.deepEqual(missing, [])
  })
})
