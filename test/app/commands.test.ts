// Commands of an application: recorded like requests, with their arguments masked, their calls, logs and failures.

import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import { observeSqlite } from '../../src/capture.ts'
import type { Profile } from '../../src/observe/profile.ts'
import { expectProfile } from '../../src/testing.ts'
import { startEchoService } from '../support/echo-service.ts'
import { pageText, startApp } from '../support/running-app.ts'
import { forAll } from '../support/for-all.ts'

const service = await forAll(startEchoService())
const running = await forAll(
  startApp({
    commands: {
      'import-prices': async ({ args, log }) => {
        log.warn('Importing {count} files.', { count: args.length })
        const database = observeSqlite(new DatabaseSync(':memory:'))
        database.exec('CREATE TABLE prices (id INTEGER PRIMARY KEY)')
        await (await fetch(`${service.url}/echo`)).text()
      },
      'count-down': () => 3,
      'fall-over': () => {
        throw new TypeError('the prices are gone', { cause: new Error('password=hunter2 refused') })
      },
    },
  }),
)

async function profileOf(token: string | null): Promise<Profile> {
  const profile = token === null ? undefined : await running.profiles.read(token)
  assert.ok(profile)
  return profile
}

describe('App.runCommand', () => {
  it('records name, masked arguments, exit code, log, statements and calls', async () => {
    const args = ['a.csv', '--token=geheim-1', '--password', 'geheim-2', '--dry-run']
    const { exitCode, token, failure } = await running.app.runCommand('import-prices', args)
    assert.deepEqual([exitCode, failure], [0, null])
    const profile = await profileOf(token)
    assert.deepEqual(profile.data['command'], {
      name: 'import-prices',
      args: ['a.csv', '--token=******', '--password', '******', '--dry-run'],
      exitCode: 0,
    })
    assert.equal(profile.method, 'COMMAND')
    assert.equal(profile.handler, 'import-prices')
    assert.ok(profile.durationMs > 0)
    assert.equal(profile.logCount, 1)
    expectProfile(profile).toStayWithin({ queries: 1, outgoing: 1, logErrors: 0 })
    assert.throws(() => expectProfile(profile).toStayWithin({ outgoing: 0 }), /outgoing 1 \(at most 0\)/)
    assert.doesNotMatch(JSON.stringify(profile), /geheim/)
  })

  it('is in the list, filtered by its type, and has its own panel', async () => {
    await running.send({ target: '/only-a-request' })
    const { token } = await running.app.runCommand('import-prices')
    const { items } = await running.profiles.find({ method: 'COMMAND' })
    assert.ok(items.some((item) => item.token === token))
    const { body } = await running.send({ target: `/_profiler/${token}?panel=command&type=request` })
    assert.match(
      pageText(body).replace(/\s+/g, ' '),
      /done Command import-prices .*Command import-prices Arguments none Exit code 0/,
    )
    const list = await running.send({ target: '/_profiler/?type=command' })
    assert.equal(list.status, 200)
    assert.doesNotMatch(list.body, /\/only-a-request/)
    assert.match(pageText(list.body).replace(/\s+/g, ' '), /done COMMAND import-prices/)
  })

  it('keeps the exit code that a command gives', async () => {
    const { exitCode, token } = await running.app.runCommand('count-down')
    assert.equal(exitCode, 3)
    const profile = await profileOf(token)
    assert.equal((profile.data['command'] as { exitCode: number }).exitCode, 3)
    assert.equal(profile.status, 500)
  })

  it('keeps what a command threw, with its causes, masked', async () => {
    const { exitCode, token, failure } = await running.app.runCommand('fall-over')
    assert.equal(exitCode, 1)
    assert.ok(failure?.thrown instanceof TypeError)
    const profile = await profileOf(token)
    assert.equal(profile.errorClass, 'TypeError')
    assert.match(JSON.stringify(profile.data['exception']), /the prices are gone/)
    assert.match(JSON.stringify(profile.data['exception']), /"candidates":\[\{"file":"test\/app\/commands.test.ts"/)
    assert.doesNotMatch(JSON.stringify(profile.data), /hunter2 refused/)
  })

  it('does not know every name', async () => {
    await assert.rejects(running.app.runCommand('import-price'), {
      code: 'ERR_UNKNOWN_COMMAND',
      message:
        'There is no command "import-price". Did you mean "import-prices"? There are: currency, import-prices, count-down, fall-over',
    })
    await assert.rejects(running.app.runCommand('toString'), /There is no command "toString"/)
  })

  it('still runs where nothing is recorded', async () => {
    await using quiet = await startApp({ env: { APP_ENV: 'prod' }, commands: { answer: () => 7 } })
    assert.deepEqual(await quiet.app.runCommand('answer'), { exitCode: 7, token: null, failure: null })
  })
})

describe('App.profileCommand', () => {
  it('records any work, gives what it gives and throws what it throws', async () => {
    const tokens: string[] = []
    const begun = (token: string): void => void tokens.push(token)
    const value = await running.app.profileCommand(
      { name: 'nightly' },
      (log) => {
        log.info('At night.')
        return 'done'
      },
      begun,
    )
    assert.equal(value, 'done')
    assert.equal((await profileOf(tokens[0] ?? null)).handler, 'nightly')
    const failing = running.app.profileCommand({ name: 'nightly' }, async () => Promise.reject(new Error('no')), begun)
    await assert.rejects(failing, /^Error: no$/)
    assert.equal((await profileOf(tokens[1] ?? null)).errorClass, 'Error')
  })

  it('shows a command that runs among the open requests', async () => {
    const held = Promise.withResolvers<void>()
    const work = running.app.profileCommand({ name: 'waiting' }, async () => held.promise)
    const { body } = await running.send({ target: '/_profiler/open-requests.md' })
    assert.match(body, /COMMAND http:\/\/command\/waiting/)
    held.resolve()
    await work
  })
})
