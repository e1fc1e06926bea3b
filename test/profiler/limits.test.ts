// The limits of a recording, through an application and its sockets.

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { json, RouteCollection } from '../../src/index.ts'
import type { Profile } from '../../src/profiler/profile.ts'
import { until } from '../support/until.ts'
import { makeTemporaryDirectory } from '../support/temporary-directory.ts'
import { startApp, type RunningApp, type RunningAppOptions } from '../support/running-app.ts'

async function profileOf(running: RunningApp, target: string): Promise<Profile> {
  const token = (await running.send({ target })).header('x-debug-token') ?? ''
  return (await running.profiles.read(token)) ?? assert.fail('no profile')
}

const start = (route: Parameters<RouteCollection['get']>[2], options: RunningAppOptions = {}): Promise<RunningApp> => {
  const routes = new RouteCollection()
  routes.get('limits', '/limits', route)
  return startApp({ routes, ...options })
}

function notesOf({ data }: Profile): readonly { readonly source: string; readonly message: string }[] {
  return data['notes'] as readonly { readonly source: string; readonly message: string }[]
}

describe('limits of a recording', () => {
  it('keeps the first 500 log lines and counts the rest', async () => {
    await using running = await start(({ log }) => {
      for (let line = 1; line <= 600; line += 1)
        log.write({ level: 'info', channel: 'app', message: `line ${line}`, context: {} })
      return json({})
    })
    const profile = await profileOf(running, '/limits')
    const { records } = profile.data['logger'] as { records: readonly { message: string }[] }
    assert.equal(records.length, 500)
    const own = records.map(({ message }) => message).filter((message) => message.startsWith('line '))
    assert.deepEqual(
      own,
      Array.from({ length: own.length }, (_, index) => `line ${index + 1}`),
    )
    assert.ok(own.length > 490)
    assert.ok(profile.logCount >= 600)
  })

  it('keeps 50 notes', async () => {
    await using running = await start(({ recording }) => {
      for (let note = 1; note <= 80; note += 1) recording?.note('test', `note ${note}`)
      return json({})
    })
    const own = notesOf(await profileOf(running, '/limits')).filter(({ source }) => source === 'test')
    assert.deepEqual([own.length, own[0]?.message, own.at(-1)?.message], [50, 'note 1', 'note 50'])
  })

  it('says which collector holds up the process for more than 50 ms', async () => {
    const collector = (name: string, ms: number): NonNullable<RunningAppOptions['collectors']>[number] => ({
      name,
      collect: () => {
        for (const endMs = performance.now() + ms; performance.now() < endMs;);
        return { ms }
      },
    })
    await using running = await start(() => json({}), { collectors: [collector('slow', 60), collector('quick', 0)] })
    const slow = notesOf(await profileOf(running, '/limits')).filter(({ message }) => message.startsWith('was slow'))
    assert.ok(slow.some(({ source }) => source === 'collector slow'))
  })

  it('stores a whole batch although one request kept what cannot be copied', async (test) => {
    const handler: Parameters<typeof start>[0] = ({ request, recording }) => {
      // What listeners keep is not checked before a batch goes to the thread of the store.
      if (request.rawQuery === 'odd') recording?.keep('request-body', { toText: () => 'a function' })
      return json({})
    }
    const path = join(makeTemporaryDirectory(test), 'store.db')
    await using running = await start(handler, { env: { APP_STORE: `sqlite:${path}` } })
    const tokens: string[] = []
    for (const target of ['/limits', '/limits?odd', '/limits']) {
      tokens.push((await running.send({ target })).header('x-debug-token') ?? '')
    }
    await until(async () => (await running.profiles.find({})).items.length === tokens.length)
    const { items } = await running.profiles.find({})
    assert.deepEqual(items.map(({ token }) => token).toSorted(), tokens.toSorted())
  })
})
