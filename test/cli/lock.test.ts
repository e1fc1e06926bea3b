import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { cliFolder, cliNow } from '../support/cli-run.ts'

describe('fanlight lock', () => {
  it('closes and opens, and says why and since when', async () => {
    await using folder = await cliFolder()
    assert.match(
      (await folder.run(['lock', 'status'])).stdout,
      /^The application is open: .*\nvalue {4}0\nchanged {2}never\n$/,
    )
    const on = await folder.run(['lock', 'on', '--reason', 'moving house', '--retry-after', '90'])
    assert.equal(on.exitCode, 0)
    assert.match(on.stdout, /closed/)
    assert.match(on.stdout, /moving house/)
    assert.match(on.stdout, /90 s/)
    const status = await folder.run(['lock', 'status', '--json'])
    assert.deepEqual(JSON.parse(status.stdout), {
      closed: true,
      value: 1,
      bootValue: 0,
      sharedValue: 1,
      reason: 'moving house',
      retryAfterSeconds: 90,
      changedAt: cliNow,
    })
    assert.equal(JSON.parse((await folder.run(['lock', 'off', '--json'])).stdout).closed, false)
    assert.match((await folder.run(['lock', 'status'])).stdout, /^The application is open/)
  })

  it('leaves the wait to the applications unless it is named', async () => {
    await using folder = await cliFolder()
    assert.equal(JSON.parse((await folder.run(['lock', 'on', '--json'])).stdout).retryAfterSeconds, null)
    assert.match((await folder.run(['lock', 'status'])).stdout, /retry after\s+set by the application/)
  })

  it('leaves the other bits alone', async () => {
    await using folder = await cliFolder()
    for (const [before, on, off] of [
      [6, 7, 6],
      [-2, -1, -2],
      [2 ** 40, 2 ** 40 + 1, 2 ** 40],
    ] as const) {
      const engine = await folder.engine()
      await engine.lock.write({ value: before, reason: '', retryAfterSeconds: 1, changedAt: cliNow })
      assert.equal(JSON.parse((await folder.run(['lock', 'on', '--json'])).stdout).sharedValue, on)
      assert.equal(JSON.parse((await folder.run(['lock', 'off', '--json'])).stdout).sharedValue, off)
    }
  })

  it('changes nothing when it does not understand', async () => {
    await using folder = await cliFolder()
    for (const args of [
      ['on', '--retry-after', 'soon'],
      ['on', '--retry-after', '-1'],
      ['on', '--retry-after', '1.5'],
      ['on', '--retry-after', '604801'],
      ['on', '--reason', 'x'.repeat(501)],
      ['on', '--reason'],
      ['on', 'now'],
      ['upside-down'],
      [],
    ]) {
      const { exitCode, stdout, stderr } = await folder.run(['lock', ...args])
      assert.deepEqual([exitCode, stdout], [2, ''], args.join(' '))
      assert.match(stderr, /^fanlight: [^\n]+\n$/)
    }
    assert.equal(JSON.parse((await folder.run(['lock', 'status', '--json'])).stdout).value, 0)
  })

  it('prints a hostile reason without obeying it', async () => {
    await using folder = await cliFolder()
    const reason = '\u001b[2J\u009b31m\u0007\nfanlight: all is well \u202eoops'
    const { stdout } = await folder.run(['lock', 'on', '--reason', reason], { columns: 80 })
    const lines = stdout.split('\n')
    assert.ok(!/[\u0007\u009b\u202e]/.test(stdout))
    assert.ok(!lines.some((line) => line.startsWith('fanlight:')))
    assert.match(stdout, /\\u\{1b\}\[2J\\u\{9b\}31m\\u\{7\}\\u\{a\}fanlight/)
    assert.equal(JSON.parse((await folder.run(['lock', 'status', '--json'])).stdout).reason, reason)
  })
})
