import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Lock } from '../../src/maintenance/lock.ts'
import { openEngine } from '../../src/engines/open-engine.ts'
import { cliFolder } from '../support/cli-run.ts'
import { LineList } from '../support/exchange.ts'
import { until } from '../support/until.ts'

describe('the executable fanlight', () => {
  it('closes and opens another process that shares the store', async () => {
    await using folder = await cliFolder()
    const engine = await openEngine(folder.env['APP_STORE'] ?? '')
    const lock = new Lock({ bootValue: 0, store: engine.lock, log: new LineList() })
    try {
      await lock.start()
      const on = await folder.spawn(['lock', 'on', '--reason', 'a test'])
      assert.deepEqual([on.exitCode, on.stderr], [0, ''])
      await until(() => lock.isClosed)
      assert.equal(lock.state.shared.reason, 'a test')
      assert.equal((await folder.spawn(['lock', 'off'])).exitCode, 0)
      await until(() => !lock.isClosed)
    } finally {
      lock.close()
      await engine.close()
    }
  })

  it('ends with a code for each kind of failure, and one line on standard error', async () => {
    await using folder = await cliFolder()
    const runs = await Promise.all([
      folder.spawn(['--help']),
      folder.spawn(['currency', 'list'], { APP_STORE: 'memory:' }),
      folder.spawn(['currency', 'list'], { APP_STORE: 'ftp://example.org' }),
      folder.spawn(['lock', 'status'], { APP_LOCK: 'on' }),
      folder.spawn(['nonsense\u001b[31m']),
      folder.spawn([]),
      folder.spawn(['currency', 'show', 'EUR']),
      folder.spawn(['serve']),
    ])
    assert.deepEqual(
      runs.map(({ exitCode }) => exitCode),
      [0, 1, 1, 1, 2, 2, 3, 3],
    )
    for (const { stderr, stdout } of runs.slice(1)) {
      assert.match(stderr, /^fanlight: [^\n\u001b]+\n$/)
      assert.equal(stdout, '')
    }
    assert.match(runs[0]?.stdout ?? '', /Exit codes: 0 done, 1 failed, 2 not understood, 3 not there/)
    assert.match(runs[1]?.stderr ?? '', /memory store cannot be shared/)
    assert.match(runs[3]?.stderr ?? '', /APP_LOCK/)
  })
})
