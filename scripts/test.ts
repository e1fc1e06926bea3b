// Runs every suite that this machine can run, and says which ones it leaves out and why.

import { spawnSync } from 'node:child_process'
import { globSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { missingTools } from './test-tools.mjs'

const chosen = process.argv.slice(2)
const missing = missingTools()
const files = (chosen.length > 0 ? globSync(chosen) : globSync('test/**/*.test.ts'))
  .filter((file) => !missing.some(({ suites }) => file.startsWith(`${suites}/`)))
  .sort()

for (const { suites, binary } of missing)
  console.log(`Left out: ${suites}, because there is no ${binary} on this machine.`)
if (files.length === 0) {
  console.error(`No test file matches ${chosen.join(' ')}.`)
  process.exit(1)
}

const { status } = spawnSync(
  process.execPath,
  [
    '--test',
    '--import=./scripts/end-test-file.mjs',
    `--test-concurrency=${Math.max(2, availableParallelism())}`,
    '--test-reporter=./scripts/test-reporter.ts',
    ...files,
  ],
  { stdio: 'inherit', env: { ...process.env, NODE_ENV: 'test' } },
)
process.exit(status ?? 1)
