// With `--import fanlight/register` and not a line in the application: what is seen there beyond what `fanlight()` sees.

import assert from 'node:assert/strict'
import { type Case, hasToolbar, isOurPage } from '../support/conformance.ts'
import type { RunningApplication, SeenProfile } from '../support/running-application.ts'
import { closed } from './endings.ts'
import { uploadRequest } from './capture.ts'
import { handlerName } from './facts.ts'

async function recorded(
  running: RunningApplication,
  target: string,
  headers: readonly string[] = [],
): Promise<SeenProfile> {
  return running.profileOf(await running.send({ target, headers }))
}

/** Queries to each database, from places in own code. */
function assertQueries(profile: SeenProfile): void {
  const queries = JSON.stringify(profile.data['database'] ?? null)
  for (const part of ['SELECT ? + $1::int AS sum', 'SELECT title FROM lamps', 'INSERT INTO lamps', 'work.ts'])
    assert.ok(queries.includes(part), part)
  assert.match(queries, /\bGET\b/)
  assert.match(JSON.stringify(profile.data['http-client'] ?? null), /\/stock/)
}

export const registered: readonly Case[] = [
  {
    number: 80,
    title: 'pages, errors and JSON as with fanlight(app)',
    check: async ({ withUs }) => {
      assert.ok(
        hasToolbar(await withUs.send({ target: '/html', headers: ['Accept: text/html', 'Sec-Fetch-Dest: document'] })),
      )
      const failed = await withUs.send({ target: '/throws', headers: ['Accept: text/html'] })
      assert.ok(isOurPage(failed))
      assert.equal(failed.status, 500)
      const json = await withUs.send({ target: '/json' })
      assert.equal(json.body, '{"ok":true,"id":7}')
    },
    exceptions: {
      node: {
        why: 'a throw in a listener ends the process of Node',
        check: async ({ withUs }) => {
          assert.ok(
            hasToolbar(
              await withUs.send({ target: '/html', headers: ['Accept: text/html', 'Sec-Fetch-Dest: document'] }),
            ),
          )
        },
      },
    },
  },
  {
    number: 81,
    title: 'the route, its values and its handler',
    check: async ({ withUs, column }) => {
      const profile = await recorded(withUs, '/shops/shade/orders/7')
      assert.equal(profile.data.router.pattern, '/shops/:shop/orders/:id')
      assert.deepEqual(Object.fromEntries(profile.data.router.parameters), { shop: 'shade', id: '7' })
      assert.ok(profile.handler.includes(handlerName(column, 'showOrder')), profile.handler)
    },
    exceptions: {
      node: {
        why: 'node:http has no routes',
        check: async ({ withUs }) => assert.equal((await recorded(withUs, '/json')).route, null),
      },
    },
  },
  {
    number: 82,
    title: 'queries to PostgreSQL, SQLite and Redis and a request by fetch, without a line in the application',
    check: async ({ withUs }) => {
      const response = await withUs.send({ target: '/calls' })
      assert.deepEqual(JSON.parse(response.body), { fetched: 200, sqlite: 'reading lamp', pg: 7, redis: 'on' })
      assertQueries(await withUs.profileOf(response))
    },
  },
  {
    number: 83,
    title: 'the same after the body was read by data events and by a form parser',
    check: async ({ withUs }) => {
      const data = {
        method: 'POST',
        target: '/calls-after-data',
        headers: ['Content-Type: text/plain'],
        body: 'some text',
      }
      assertQueries(await withUs.profileOf(await withUs.send(data)))
      assertQueries(await withUs.profileOf(await withUs.send(uploadRequest('/calls-after-upload'))))
    },
  },
  {
    number: 84,
    title: 'lines of console, pino, winston and Nest’s logger, once each',
    check: async ({ withUs, framework }) => {
      const { records = [] } = (await recorded(withUs, '/logs')).data.logger ?? {}
      for (const text of ['console counts 3 lamps', 'pino counts lamps', 'winston counts lamps']) {
        assert.equal(records.filter(({ message }) => message.includes(text)).length, 1, text)
      }
      const hasOwnLogger = framework === 'fastify' || framework.startsWith('nest')
      assert.equal(
        records.filter(({ message }) => message.includes('the framework counts lamps')).length,
        hasOwnLogger ? 1 : 0,
      )
      assert.ok(!JSON.stringify(records).includes('hunter2'))
    },
  },
  closed,
]
