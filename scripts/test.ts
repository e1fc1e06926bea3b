// Runs every suite that can run on this machine, and names those that it leaves out and why.

import { cpSync, globSync, readFileSync, rmSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import { run } from 'node:test'
import { bundlePackage, entries } from './bundle.ts'
import report from './test-reporter.ts'
import { groupFiles } from './test-groups.ts'
import { missingTools } from './test-tools.mjs'

const chosen = process.argv.slice(2)
const leftOut = [
  ...missingTools().map(leaveOutTool),
  ...((await isSqliteDriverLoaded()) ? [] : [leaveOutSqliteDriver()]),
]
const files = (
  chosen.length > 0 ? globSync(chosen) : globSync('test/**/*.test.ts', { exclude: ['**/node_modules/**'] })
)
  .filter((file) => !leftOut.some(({ isOf }) => isOf(file)))
  .sort()

for (const { line } of leftOut) console.log(`Left out: ${line}`)
if (files.length === 0) {
  console.error(`No test file matches ${chosen.join(' ')}.`)
  process.exit(1)
}

// Each test file is a process, and most of them load the same sources: the first one compiles them for all. A whole run starts
// with an empty folder, because files in temporary folders leave code in it that nothing asks for again.
const compiledCode = resolve('var/test-compile-cache')
if (chosen.length === 0) rmSync(compiledCode, { recursive: true, force: true })

/** The slowest files take two minutes, on a busy machine ten. */
const fileTimeoutMs = 15 * 60_000

/** Those that keep a processor busy for more than ten seconds. */
const longest = [
  'test/stores/sqlite-engine.test.ts',
  'test/app/documentation-programs.test.ts',
  'test/app/forgotten-young.test.ts',
  'test/profiler/ran/evidence.test.ts',
  'test/stores/redis/profile-store.test.ts',
  'test/integrations/plain-stacks.test.ts',
  'test/profiler/ran/odd-values.test.ts',
  'test/integrations/own-process.test.ts',
  'test/integrations/other-nodes.test.ts',
  'test/stores/redis/redis-shared.test.ts',
]

// What tests start as a process has the build for entries of `src/` (scripts/use-build.cjs): it starts in half of the time.
rmSync('var/test-build', { recursive: true, force: true })
await bundlePackage('var/test-build/dist')
cpSync('package.json', 'var/test-build/package.json')

Object.assign(process.env, {
  NODE_ENV: 'test',
  NODE_COMPILE_CACHE: compiledCode,
  TEST_BUILD: entries().join(','),
})
run({
  files: mixed(groupFiles(files, 'var/test-groups')),
  execArgv: [
    '--import=./scripts/end-test-file.mjs',
    ...('DisposableStack' in globalThis ? [] : ['--import=./scripts/lower-using.mjs']),
  ],
  // What hangs fails, and the run goes on: the file on Node 22, else the test.
  timeout: fileTimeoutMs,
  // Two more than there are processors: test files also wait for browsers, other processes and timers.
  concurrency: availableParallelism() + 2,
})
  .on('test:fail', () => {
    process.exitCode = 1
  })
  .compose(report)
  .pipe(process.stdout)

interface LeftOut {
  readonly line: string
  readonly isOf: (file: string) => boolean
}

function leaveOutTool({ suites, binary, packages }: ReturnType<typeof missingTools>[number]): LeftOut {
  return {
    line: `${suites.join(' and ')}, because ${binary} is not installed (Debian: sudo apt-get install ${packages.join(' ')}).`,
    isOf: (file) => suites.some((folder) => file.startsWith(`${folder}/`)),
  }
}

/** Its package brings programs for eight platforms and is not compiled for others. */
async function isSqliteDriverLoaded(): Promise<boolean> {
  try {
    const { default: Database } = await import('better-sqlite3')
    new Database(':memory:').close()
    return true
  } catch {
    return false
  }
}

function leaveOutSqliteDriver(): LeftOut {
  return {
    line: 'the suites of better-sqlite3, because it has no program for this platform.',
    isOf: (file) => readFileSync(file, 'utf8').includes("from 'better-sqlite3'"),
  }
}

/**
 * What takes longest comes first: at the end it would run alone. Then one file from each quarter of the list in turn: suites of one
 * folder wait for the same thing, and would wait together.
 */
function mixed(sorted: readonly string[]): string[] {
  const others = sorted.filter((file) => !longest.includes(file))
  const quarter = Math.ceil(others.length / 4)
  return [
    ...longest.filter((file) => sorted.includes(file)),
    ...others
      .slice(0, quarter)
      .flatMap((_, index) =>
        [0, 1, 2, 3].flatMap((part) => others.slice(part * quarter, (part + 1) * quarter)[index] ?? []),
      ),
  ]
}
