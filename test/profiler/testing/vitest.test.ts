// Budgets under vitest: a real run of it in a process of its own, read from its JSON report.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { makeTemporaryDirectory } from '../../support/temporary-directory.ts'

interface Report {
  readonly testResults: readonly {
    readonly assertionResults: readonly {
      readonly title: string
      readonly status: string
      readonly failureMessages: readonly string[]
    }[]
  }[]
}

describe('expectProfile under vitest', () => {
  it('passes within a budget and fails above it with the summary of the profile', async (test) => {
    const report = await runVitest(makeTemporaryDirectory(test))
    const [held, over] = report.testResults.flatMap(({ assertionResults }) => assertionResults)
    assert.deepEqual([held?.title, held?.status], ['holds a budget', 'passed'], held?.failureMessages.join('\n'))
    assert.deepEqual([over?.title, over?.status], ['is over a budget', 'failed'])
    const message = over?.failureMessages.join('\n') ?? ''
    assert.match(message, /AssertionError.*The request is over its budget: bytes 11 \(at most 3\)/)
    assert.match(message, /200 in [\d.]+ ms, route home/)
    assert.match(message, /Profile: http:\/\/localhost\/_profiler\/[0-9a-z]{12}/)
    assert.match(message, /budgets\.vitest\.ts/)
  })
})

async function runVitest(directory: string): Promise<Report> {
  const root = join(import.meta.dirname, 'vitest-project')
  const vitest = join(import.meta.dirname, '../../../node_modules/vitest/vitest.mjs')
  const report = join(directory, 'report.json')
  // Loaded as it is, the configuration leaves no file beside the packages, where it may not be allowed to write.
  const own = ['--configLoader=native', '--pool=threads']
  const args = [vitest, 'run', '--root', root, '--reporter=json', `--outputFile=${report}`, ...own]
  const env = { ...process.env, NO_COLOR: '1', CI: '1', VITEST_DIRECTORY: directory }
  const child = spawn(process.execPath, args, {
    cwd: root,
    env,
    stdio: ['ignore', 'ignore', 'inherit'],
    timeout: 240_000,
  })
  await once(child, 'exit')
  return JSON.parse(await readFile(report, 'utf8')) as Report
}
