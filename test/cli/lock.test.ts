import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ownName } from '../../src/profiles/set-by-people.ts'
import { linkAddress } from '../../src/maintenance/pass.ts'
import type { LockLink } from '../../src/profiles/lock.ts'
import { cliFolder, cliNow } from '../support/cli-run.ts'

const hour = 3_600_000

describe('fanlight lock', () => {
  it('closes and opens, and says why and since when', async () => {
    await using folder = await cliFolder()
    assert.match(
      (await folder.run(['lock', 'status'])).stdout,
      /^The application is open: requests are served\.\nvalue {4}0\nchanged {2}never\nStore: /,
    )
    const on = await folder.run(['lock', 'on', '--reason', 'moving house', '--retry-after', '90'])
    assert.equal(on.exitCode, 0)
    assert.match(on.stdout, /closed/)
    assert.match(on.stdout, /moving house/)
    assert.match(on.stdout, /90 s/)
    const status = await folder.run(['lock', 'status', '--json'])
    const { store, now, history, since, changedAt, ...facts } = JSON.parse(status.stdout)
    assert.match(store, /^sqlite:/)
    // The clock of the store decides: that of the operator is days apart.
    const age = now - Date.parse(changedAt)
    assert.ok(age >= 0 && age < hour, `${age}`)
    assert.equal(since, changedAt)
    assert.equal(history.length, 1)
    assert.deepEqual(facts, {
      isClosed: true,
      bootValue: 0,
      sharedValue: 1,
      reason: 'moving house',
      retryAfterSeconds: 90,
      only: null,
      readOnly: false,
      changedBy: ownName(),
      linkExpiresAt: null,
      opensAt: null,
      windows: [],
      processes: [],
    })
    assert.match(ownName(), /^.+@.+$/)
    assert.ok((await folder.run(['lock', 'status'])).stdout.includes(ownName()))
    const off = JSON.parse((await folder.run(['lock', 'off', '--json'])).stdout)
    assert.deepEqual([off.isClosed, off.since], [false, null])
    assert.match((await folder.run(['lock', 'status'])).stdout, /^The application is open/)
  })

  it('masks secrets in what an operator says', async () => {
    await using folder = await cliFolder()
    const reason = (secret: string): string => `moving ghp_${secret}`
    const secret = 'zqcanary0815zqcanary0815zqcanary0815'
    const on = JSON.parse((await folder.run(['lock', 'on', '--json', '--reason', reason(secret)])).stdout)
    assert.equal(on.reason, 'moving ******')
    const planned = ['lock', 'plan', '--json', '--from', '+1h', '--to', '+2h', '--reason', reason(secret)]
    assert.equal(JSON.parse((await folder.run(planned)).stdout).reason, 'moving ******')
  })

  it('leaves the wait to the applications unless it is named', async () => {
    await using folder = await cliFolder()
    assert.equal(JSON.parse((await folder.run(['lock', 'on', '--json'])).stdout).retryAfterSeconds, null)
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

  it('closes parts, without bit 1, and everything again', async () => {
    await using folder = await cliFolder()
    await folder.run(['lock', 'on'])
    const part = await folder.run(['lock', 'on', '--only', '/checkout/*', 'route:pay', '--read-only'])
    assert.match(
      part.stdout,
      /^The application is closed in part: other requests are served\.\n(.*\n)*closes +\/checkout\/\* route:pay but for GET and HEAD\n/,
    )
    const status = JSON.parse((await folder.run(['lock', 'status', '--json'])).stdout)
    const { isClosed, sharedValue, only, readOnly } = status
    assert.deepEqual(
      { isClosed, sharedValue, only, readOnly },
      { isClosed: true, sharedValue: 0, only: ['/checkout/*', 'route:pay'], readOnly: true },
    )
    const whole = JSON.parse((await folder.run(['lock', 'on', '--json'])).stdout)
    assert.deepEqual([whole.sharedValue, whole.only, whole.readOnly], [1, null, false])
    await folder.run(['lock', 'on', '--read-only'])
    assert.match((await folder.run(['lock', 'off'])).stdout, /^The application is open: requests are served\.\n/)
  })

  it('prints the link that it makes once, never its key, and makes another one each time', async () => {
    await using folder = await cliFolder()
    const { lock } = await folder.engine()
    const made = await folder.run(['lock', 'on', '--allow-link', '--expires', '2h'])
    const { link } = await lock.read()
    assert.ok(link !== undefined)
    const validFor = (state: { readonly changedAt: string; readonly link?: LockLink }): number =>
      Date.parse(state.link?.expiresAt ?? '') - Date.parse(state.changedAt)
    assert.equal(validFor(await lock.read()), 2 * hour)
    assert.match(link.key, /^[\w-]{43}$/)
    assert.ok(made.stdout.includes(`${linkAddress(link)}\n`))
    const status = await folder.run(['lock', 'status'])
    const until = link.expiresAt.slice(0, 19).replace('T', ' ')
    assert.ok(status.stdout.includes(` ${until} UTC\n`), status.stdout)
    const json = await folder.run(['lock', 'status', '--json'])
    assert.equal(JSON.parse(json.stdout).linkExpiresAt, link.expiresAt)
    for (const { stdout } of [status, json]) assert.ok(!stdout.includes('fanlight-pass'))
    for (const { stdout } of [made, status, json]) assert.ok(!stdout.includes(link.key))
    const again = JSON.parse((await folder.run(['lock', 'on', '--allow-link', '--json'])).stdout)
    assert.equal(validFor(await lock.read()), 12 * hour)
    assert.ok(typeof again.link === 'string' && again.link !== linkAddress(link))
    await folder.run(['lock', 'off'])
    assert.equal((await lock.read()).link, undefined)
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
      ['on', '--only'],
      ['on', '--only', 'checkout'],
      ['on', '--only', '/a*'],
      ['on', '--only', ...Array.from({ length: 51 }, (_, index) => `/${index}`)],
      ['on', '--expires', '2h'],
      ['on', '--allow-link', '--expires', '5s'],
      ['on', '--allow-link', '--expires', '8d'],
      ['on', '--allow-link', '--expires', 'soon'],
      ['set', '4'],
      ['upside-down'],
      [],
    ]) {
      const { exitCode, stdout, stderr } = await folder.run(['lock', ...args])
      assert.deepEqual([exitCode, stdout], [2, ''], args.join(' '))
      assert.match(stderr, /^fanlight: [^\n]+\n$/)
    }
    assert.equal(JSON.parse((await folder.run(['lock', 'status', '--json'])).stdout).sharedValue, 0)
  })

  it('prints a hostile reason without obeying it', async () => {
    await using folder = await cliFolder()
    const reason = '\u001b[2J\u009b31m\u0007\nfanlight: all is well \u202eoops'
    const { stdout } = await folder.run(['lock', 'on', '--reason', reason], { columns: 80 })
    const lines = stdout.split('\n')
    assert.ok(!/[\u0007\u009b\u202e]/.test(stdout))
    assert.ok(!lines.some((line) => line.startsWith('fanlight:')))
    assert.match(stdout, /\\x1b\[2J\\x9b31m\\x07 fanlight/)
    assert.equal(JSON.parse((await folder.run(['lock', 'status', '--json'])).stdout).reason, reason)
  })
})
