// Runs every suite that this machine can run, and says which ones it leaves out and why.

import { spawnSync } from 'node:child_process'
import { existsSync, globSync } from 'node:fs'
import { availableParallelism } from 'node:os'

const chosen = process.argv.slice(2)
const hasChromium = onPath('chromium')
const files = (chosen.length > 0 ? globSync(chosen) : globSync('test/**/*.test.ts'))
  .filter((file) => hasChromium || !file.startsWith('test/browser/'))
  .sort()

if (!hasChromium) console.log('Left out: test/browser, because there is no chromium on the PATH.')
if (files.length === 0) {
  console.error(`No test file matches ${chosen.join(' ')}.`)
  process.exit(1)
}

const { status } = spawnSync(
  process.execPath,
  [
    '--test',
    '--test-force-exit',
    `--test-concurrency=${Math.max(2, availableParallelism())}`,
    '--test-reporter=./scripts/test-reporter.ts',
    ...files,
  ],
  { stdio: 'inherit', env: { ...process.env, NODE_ENV: 'test' } },
)
process.exit(status ?? 1)

function onPath(binary: string): boolean {
  return (process.env['PATH'] ?? '').split(':').some((folder) => folder !== '' && existsSync(`${folder}/${binary}`))
}
