// Tries what a newcomer does first: `npm start`, `npm test`, the published package with the ten lines of the README, and
// `npm create fanlight`. On machines
// with Node 20, 22, 24 and 26, as root and as an ordinary user, with nothing else: no cache, no settings, no compiler.
// Our own Node runs the suites everywhere: one machine runs those that are asked for, the others only a few.

import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  globSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { availableParallelism } from 'node:os'
import { basename, join } from 'node:path'
import { parseArgs } from 'node:util'
import { kindNames } from '../../create-fanlight/src/kinds.ts'
import { end, firstResponse, kill, openPlace, patienceMs, until, type Place } from './commands.ts'
import { tryCreate, type Tarballs } from './create.ts'
import { machineNodes, makeMachines, openUsers, runOn, type Machine, type MachineNode } from './machine.ts'

/** One that brings no other framework, and the one that is compiled. */
const fewKinds = ['pages', 'nest'] as const
const maxPackages = 40
const barsMs = [8000, 1000] as const
const allTestsMs = 1_200_000

const fewTests = 'test/spec/1-*.test.ts'
/** Every page of the profiler, the error page, the toolbar and the shop; `npm run test:browser` tries all suites with that font. */
const fittingTests = 'test/browser/{profiler-pages,error-page-*,toolbar,bar,shop-pages}.test.ts'

// --node=20,22: these only. --tests='test/**/*.test.ts': what runs on the oldest Node. --only='npm create': attempts whose name has it.
// --built: the package is there, built. --few: as root on the oldest and the newest Node only, not every kind of application, and beside
// other work, so that times say little.
const { values: chosen } = parseArgs({
  options: {
    node: { type: 'string' },
    tests: { type: 'string' },
    only: { type: 'string', default: '' },
    built: { type: 'boolean', default: false },
    few: { type: 'boolean', default: false },
  },
})
const nodes = Object.keys(machineNodes)
  .map(Number)
  .filter((node): node is MachineNode => node in machineNodes)
  .filter((node) => chosen.node === undefined || chosen.node.split(',').includes(String(node)))
const { users, close } = openUsers()
const machines = makeMachines(nodes, users).filter(
  ({ node, user }) => !chosen.few || user === users[0] || node === nodes[0] || node === nodes.at(-1),
)
const [oldest] = machines
if (oldest === undefined) throw new Error('There is no such Node to try.')
let failures = 0

try {
  const tarballs = { fanlight: packTarball('.'), create: packTarball('./create-fanlight') }
  // One after the other: there is a bar for how long they take.
  for (const machine of machines) await attempt(machine, 'npm start', () => tryStart(machine))
  // The suites run with our own Node everywhere: what differs is who installs them, which is one npm up to 22 and another from 24 on.
  const newest = machines.findLast(({ user }) => user.name !== 'root') ?? oldest
  await sideBySide([
    () =>
      attempt(oldest, 'npm test, and pages with another font', () =>
        tryTests(oldest, [chosen.tests ?? fewTests], [fittingTests, { BROWSER_FONTS: 'narrow' }]),
      ),
    ...(newest === oldest ? [] : [() => attempt(newest, 'npm test', () => tryTests(newest, [fewTests]))]),
    ...machines.map(
      (machine) => () => attempt(machine, 'npm i <tarball>', () => tryPackage(machine, tarballs.fanlight)),
    ),
    ...createAttempts(oldest, tarballs),
    () => attempt(oldest, 'an install that was killed', () => tryKilledInstall(oldest)),
    () => attempt(oldest, 'no network', () => tryWithoutNetwork(oldest)),
    () => attempt(oldest, 'a clone that cannot be written', () => tryReadOnly(oldest)),
  ])
} finally {
  rmSync(oldest.directory, { recursive: true, force: true })
  close()
}
console.log(failures === 0 ? 'Works on a fresh machine.' : `${failures} attempts FAILED.`)
if (failures > 0) process.exitCode = 1

/** Every kind on a machine with the Node of the Dockerfile, and one on the oldest, where the application brings its Node. */
function createAttempts(oldest: Machine, tarballs: Tarballs): readonly (() => Promise<void>)[] {
  const likeImage = machines.find(({ node, user }) => node === 24 && user.name !== 'root') ?? oldest
  const kinds = chosen.few ? fewKinds : kindNames
  return [...kinds.map((kind) => ({ machine: likeImage, kind })), { machine: oldest, kind: 'api' } as const].map(
    ({ machine, kind }) =>
      () =>
        attempt(machine, `npm create fanlight, ${kind}`, () => tryCreate(machine, kind, tarballs)),
  )
}

async function attempt(machine: Machine, what: string, run: () => Promise<string>): Promise<void> {
  if (!what.includes(chosen.only)) return
  const name = `Node ${machine.node}, ${machine.user.name}, ${what}`
  try {
    console.log(`${name}: ${await run()}`)
  } catch (error) {
    failures += 1
    console.log(`${name}: FAILED\n${error instanceof Error ? error.message : String(error)}`)
  }
}

/** As many at a time as there are processors: half of the time they wait for the registry and the disk. */
async function sideBySide(attempts: readonly (() => Promise<void>)[]): Promise<void> {
  const waiting = attempts.values()
  const runRest = async (): Promise<void> => {
    for (const run of waiting) await run()
  }
  await Promise.all(Array.from({ length: availableParallelism() }, runRest))
}

/** What a clone of this repository holds, with changes that are not committed yet. */
function openClone(machine: Machine): Place {
  const place = openPlace(machine, 'a clone')
  const left = new Set(['node_modules', 'var', 'dist', '.git', 'coverage'])
  cpSync('.', place.cwd, { recursive: true, filter: (path) => !left.has(basename(path)) })
  own(machine, place.cwd)
  return place
}

function own({ user }: Machine, folder: string): void {
  for (const path of ['', ...readdirSync(folder, { recursive: true })])
    chownSync(join(folder, String(path)), user.uid, user.gid)
}

async function tryStart(machine: Machine): Promise<string> {
  const place = openClone(machine)
  const first = await firstResponse(machine, ['npm', 'start'], place)
  const packages = countPackages(place.cwd)
  if (packages > maxPackages)
    throw new Error(`${packages} packages were installed; at most ${maxPackages} are allowed.`)
  const second = await firstResponse(machine, ['npm', 'start'], place)
  rmSync(place.cwd, { recursive: true })
  const bars = chosen.few ? '' : ` (bars: ${barsMs.join(' and ')} ms)`
  return `${packages} packages and Node, first response after ${first.ms} ms, of the second start after ${second.ms} ms${bars}`
}

async function tryPackage(machine: Machine, tarball: string): Promise<string> {
  const place = openPlace(machine, 'an empty folder')
  const readme = readFileSync('README.md', 'utf8')
  const lines = /```ts(?: run)?\n(import .*?)```/s.exec(readme)?.[1]
  if (lines === undefined) throw new Error('The README has no ten lines.')
  writeFileSync(join(place.cwd, 'main.ts'), lines)
  // What the README says for an older Node.
  const isOld = machine.node < 24
  const ended = await end(runOn(machine, ['npm', 'i', tarball, ...(isOld ? ['node@24'] : [])], place), patienceMs)
  if (ended.status !== 0) throw new Error(ended.output)
  const packages = countPackages(place.cwd)
  const command = isOld ? (['npx', 'node', 'main.ts'] as const) : (['node', 'main.ts'] as const)
  const { ms } = await firstResponse(machine, command, place, { APP_ENV: 'dev' })
  rmSync(place.cwd, { recursive: true })
  return `${packages} packages${isOld ? ' with Node' : ''}, first response after ${ms} ms`
}

/** Runs test files one after the other in a clone. */
async function tryTests(
  machine: Machine,
  ...runs: readonly (readonly [pattern: string, env?: Readonly<Record<string, string>>])[]
): Promise<string> {
  const place = openClone(machine)
  const lines: string[] = []
  for (const [pattern, env = {}] of runs) {
    const ended = await end(runOn(machine, ['npm', 'test', '--', pattern], { ...place, env }), allTestsMs)
    const count = /^\d+ passed, \d+ failed, \d+ skipped$/m.exec(ended.output)?.[0]
    if (ended.status !== 0 || count === undefined) throw new Error(ended.output)
    lines.push(count, ...(ended.output.match(/^Left out: .*$/gm) ?? []))
  }
  return lines.join('\n  ')
}

async function tryKilledInstall(machine: Machine): Promise<string> {
  const place = openClone(machine)
  const child = runOn(machine, ['npm', 'start'], place)
  const isBegun = (): boolean =>
    existsSync(join(place.cwd, 'node_modules')) && readdirSync(join(place.cwd, 'node_modules')).length > 1
  await until(isBegun, child)
  await kill(child, 'SIGKILL')
  const { ms } = await firstResponse(machine, ['npm', 'start'], place)
  return `taken up again, first response after ${ms} ms`
}

async function tryWithoutNetwork(machine: Machine): Promise<string> {
  const place = { ...openClone(machine), env: { npm_config_registry: 'http://127.0.0.1:9/' } }
  const { status, output } = await end(runOn(machine, ['npm', 'start'], place), patienceMs)
  const [said, ...others] = output.split('\n').filter((line) => /registry|Error|npm err/i.test(line))
  if (status === 0 || said === undefined || others.length > 0) throw new Error(output)
  return said
}

async function tryReadOnly(machine: Machine): Promise<string> {
  const place = openClone(machine)
  await firstResponse(machine, ['npm', 'start'], place)
  rmSync(join(place.cwd, 'var'), { recursive: true })
  spawnSync('chmod', ['-R', 'a-w', place.cwd])
  const { output } = await firstResponse(machine, ['npm', 'start'], place)
  spawnSync('chmod', ['-R', 'u+w', place.cwd])
  const said = output.split('\n').find((line) => line.includes('cannot be written'))
  if (said === undefined) throw new Error(output)
  return said.replaceAll(place.cwd, '…').replaceAll(place.home, '~')
}

function countPackages(cwd: string): number {
  return globSync('node_modules/**/package.json', { cwd }).filter((path) =>
    /(?:^|\/)node_modules\/(?:@[^/]+\/)?[^/]+\/package\.json$/.test(path),
  ).length
}

/** Packs a folder of this repository. The package itself is built first unless it is, and the program of `create-fanlight/` with it. */
function packTarball(folder: string): string {
  const directory = mkdtempSync(join(oldest?.directory ?? '.', 'packed-'))
  chmodSync(directory, 0o755)
  if (folder === '.' && !chosen.built) {
    const built = spawnSync('npm', ['run', '-s', 'build'], { encoding: 'utf8' })
    if (built.status !== 0) throw new Error(`The package cannot be built:\n${built.stdout}${built.stderr}`)
  }
  const { status, stdout, stderr } = spawnSync(
    'npm',
    ['pack', folder, '--json', '--ignore-scripts', '--pack-destination', directory],
    { encoding: 'utf8' },
  )
  const [file] = readdirSync(directory)
  if (status !== 0 || file === undefined) throw new Error(`The package cannot be packed:\n${stdout}${stderr}`)
  return join(directory, file)
}
