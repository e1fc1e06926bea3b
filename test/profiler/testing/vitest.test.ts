// Budgets and rules for stores under vitest: a real run of it in its own process, read from its JSON report.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { lockStoreRules } from '../../../src/testing.ts'
import { removeDirectory } from '../../support/temporary-directory.ts'

interface Report {
  readonly testResults: readonly {
    readonly assertionResults: readonly {
      readonly title: string
      readonly status: string
      readonly failureMessages: readonly string[]
    }[]
  }[]
}

const directory = mkdtempSync(join(tmpdir(), 'fanlight-vitest-'))
let results: Report['testResults'][number]['assertionResults'] = []

before(async () => {
  const report = await runVitest(directory)
  results = report.testResults.flatMap(({ assertionResults }) => assertionResults)
})
after(() => removeDirectory(directory))

function resultOf(wanted: string): (typeof results)[number] {
  return results.find(({ title }) => title === wanted) ?? assert.fail(`vitest ran no test ${wanted}`)
}

it('expectProfile under vitest: passes within a budget and fails above it with the summary of the profile', () => {
  const [held, over] = [resultOf('holds a budget'), resultOf('is over a budget')]
  assert.equal(held.status, 'passed', held.failureMessages.join('\n'))
  assert.equal(over.status, 'failed')
  const message = over.failureMessages.join('\n')
  assert.match(message, /AssertionError.*The request is over its budget: bytes 11 \(at most 3\)/)
  assert.match(message, /200 in [\d.]+ ms, route home/)
  assert.match(message, /Profile: http:\/\/localhost\/_profiler\/[0-9a-z]{12}/)
  assert.match(message, /budgets\.vitest\.ts/)
})

describe('rules for stores under vitest', () => {
  for (const { name } of lockStoreRules) {
    it(`passes "${name}" where a store does`, () => {
      const { status, failureMessages } = resultOf(name)
      assert.equal(status, 'passed', failureMessages.join('\n'))
    })
  }

  it('fails with what was found and what was expected', () => {
    const { status, failureMessages } = resultOf('forgets the reason')
    assert.equal(status, 'failed')
    assert.match(
      failureMessages.join('\n'),
      /AssertionError.*Expected values to be strictly deep-equal[^]*moving house/,
    )
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
