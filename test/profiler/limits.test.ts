// The limits of a recording, through an application and its sockets.

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import { observeSqlite } from '../../src/capture.ts'
import { json, RouteCollection } from '../../src/index.ts'
import type { DatabaseData } from '../../src/observe/outgoing/database-data.ts'
import type { LoggerData } from '../../src/observe/collectors/logger.ts'
import type { Profile } from '../../src/observe/profile.ts'
import { until } from '../support/until.ts'
import { makeTemporaryDirectory } from '../support/temporary-directory.ts'
import { startApp, type RunningApp, type RunningAppOptions } from '../support/running-app.ts'
import { pick } from '../support/pick.ts'

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
  it('keeps the first and last 250 log lines, and counts those between them', async () => {
    await using running = await start(({ log }) => {
      for (let line = 1; line <= 600; line += 1) log.info(`line ${line}`)
      return json({})
    })
    const profile = await profileOf(running, '/limits')
    const { records, dropped } = profile.data['logger'] as LoggerData
    assert.equal(records.length, 500)
    assert.equal(profile.logCount, 500 + dropped)
    const own = records.map(({ message }) => message).filter((message) => message.startsWith('line '))
    const firstCount = own.findIndex((message, index) => message !== `line ${index + 1}`)
    assert.ok(firstCount > 240 && firstCount <= 250, String(firstCount))
    assert.equal(own.at(-1), 'line 600')
    assert.equal(own[firstCount], `line ${firstCount + 1 + dropped}`)
    assert.deepEqual(
      records.flatMap(({ leftOutBefore }) => leftOutBefore ?? []),
      [dropped],
    )
    const panel = await running.send({ target: `/_profiler/${profile.token}?panel=logger` })
    assert.ok(panel.body.includes(`${dropped} lines cut here.`))
  })

  it('keeps up to 500 warnings and errors that a flood of lines follows, and half as many warnings', async () => {
    await using running = await start(({ request, log }) => {
      for (let line = 1; line <= 300; line += 1) log.debug(`before ${line}`)
      if (request.rawQuery === 'flood') for (let line = 1; line <= 700; line += 1) log.warn(`warning ${line}`)
      log.error('This is why')
      for (let line = 1; line <= 2000; line += 1) log.debug(`after ${line}`)
      return json({})
    })
    const problemsOf = async (target: string): Promise<readonly string[]> => {
      const { records } = (await profileOf(running, target)).data['logger'] as LoggerData
      return records.filter(({ level }) => level === 'warn' || level === 'error').map(({ message }) => message)
    }
    assert.deepEqual(await problemsOf('/limits'), ['This is why'])
    assert.deepEqual(await problemsOf('/limits?flood'), [
      ...Array.from({ length: 250 }, (_, index) => `warning ${index + 1}`),
      'This is why',
    ])
  })

  it('keeps the first query of each further kind, beyond 500 too, and counts them all', async () => {
    const database = observeSqlite(new DatabaseSync(':memory:'))
    await using running = await start(() => {
      const find = database.prepare('SELECT ? AS id')
      for (let id = 1; id <= 600; id += 1) find.get(id)
      const late = database.prepare('SELECT ? AS late')
      for (let id = 1; id <= 3; id += 1) late.get(id)
      for (let kind = 1; kind <= 150; kind += 1) database.prepare(`SELECT ? AS kind_${kind}`).get(1)
      return json({})
    })
    const profile = await profileOf(running, '/limits')
    const { queries, groups, dropped } = profile.data['database'] as DatabaseData
    assert.equal(queries.length, 600)
    assert.equal(queries.length + dropped, 753)
    assert.deepEqual(pick(groups.slice(0, 2), 'text', 'count'), [
      ['SELECT ? AS id', 600],
      ['SELECT ? AS late', 3],
    ])
  })

  it('counts every query of an N+1, although it keeps 500 of them', async () => {
    const database = observeSqlite(new DatabaseSync(':memory:'))
    await using running = await start(() => {
      const find = database.prepare('SELECT ? AS id')
      for (let id = 1; id <= 750; id += 1) find.get(id)
      return json({})
    })
    const profile = await profileOf(running, '/limits')
    const { queries, groups, findings, dropped } = profile.data['database'] as DatabaseData
    assert.deepEqual([queries.length, dropped, profile.queryCount], [500, 250, 750])
    assert.deepEqual(pick(groups, 'count'), [750])
    assert.deepEqual(pick(findings, 'kind', 'count'), [['n+1', 750]])
    database.close()
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
      if (request.rawQuery === 'odd') recording?.keep('task', { toText: () => 'a function' })
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
