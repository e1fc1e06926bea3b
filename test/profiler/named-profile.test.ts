// What `latest` and `last_error` mean, and what a list shows that nothing narrows: tasks and missing icons do not hide the request that failed.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createApp, HttpError, loadRuntimeContext, RouteCollection, text, type App } from '../../src/index.ts'
import { agentDesk } from '../support/agent-tools.ts'
import { makeProfile } from '../support/profiles.ts'

const { context } = loadRuntimeContext({
  cwd: process.cwd(),
  env: { APP_ENV: 'test', APP_DEBUG: '1', APP_STORE: 'memory:' },
})

const routes = new RouteCollection()
  .get('boom', '/boom', () => {
    throw new TypeError('no seats')
  })
  .get('refused', '/refused', () => {
    throw new HttpError(409, 'taken')
  })
  .get('fine', '/fine', () => text('fine'))

async function withApp(work: (app: App) => Promise<void>): Promise<void> {
  const app = await createApp({ routes, context, log: { write: () => undefined } })
  try {
    await work(app)
  } finally {
    await app.close()
  }
}

it('the newest profile: is a request, whatever tasks, commands and missing icons came after it', async () => {
  await withApp(async (app) => {
    const get = async (url: string): Promise<string> => String((await app.inject({ url })).headers.get('x-debug-token'))
    const location = async (): Promise<string> =>
      String((await app.inject({ url: '/_profiler/latest' })).headers.get('location'))
    const missed = await get('/favicon.ico')
    assert.match(await location(), new RegExp(`/${missed}$`), 'nothing else was recorded')
    const boom = await get('/boom')
    for (let count = 0; count < 3; count += 1) await get('/favicon.ico')
    await app.profileCommand({ name: 'prices' }, () => 0)
    assert.match(await location(), new RegExp(`/${boom}$`))
    const page = (await app.inject({ url: '/_profiler/' })).body
    assert.ok(page.includes(boom) && !page.includes('COMMAND'))
    assert.match(page, /<a href="\/_profiler\/\?type=all">with commands, jobs and tasks<\/a>/)
    assert.match((await app.inject({ url: '/_profiler/?type=all' })).body, /COMMAND/)
    assert.match((await app.inject({ url: '/_profiler/?url=prices' })).body, /COMMAND/, 'a filter asks for all')
    const missing = await get('/nowhere')
    assert.match(await location(), new RegExp(`/${missing}$`), 'somebody asked for it')
    const refused = await get('/refused')
    assert.match(await location(), new RegExp(`/${refused}$`))
  })
})

describe('last_error', () => {
  const now = Date.now()
  const thrown = { errorClass: 'TypeError', errorMessage: 'no seats', findings: ['error'] as const }
  const at = (minute: number, parts: Parameters<typeof makeProfile>[0]): ReturnType<typeof makeProfile> =>
    makeProfile({ time: now - 3_600_000 + minute * 60_000, ...parts })
  const noise = Array.from({ length: 205 }, (_, index) =>
    at(10 + index / 100, { status: 404, route: null, ...thrown, errorClass: 'NotFoundHttpError' }),
  )
  const task = at(20, { token: 'failedtask00', method: 'TASK', status: 500, route: null, ...thrown })

  it('is the last 5xx of a request, thrown or sent, past misses and tasks', async () => {
    for (const parts of [
      { status: 500, ...thrown },
      { status: 503, errorClass: null },
    ]) {
      const { ask } = await agentDesk([at(1, { token: 'failedfirst0', ...parts }), ...noise, task])
      assert.match(await ask('show', { token: 'last_error' }), /failedfirst0/)
    }
  })

  it('is an error that nobody caught, whatever the status was', async () => {
    const late = at(5, { token: 'thrownlater0', status: 200, ...thrown })
    const { ask } = await agentDesk([at(1, { token: 'failedfirst0', status: 500, ...thrown }), late, ...noise])
    assert.match(await ask('show', { token: 'last_error' }), /thrownlater0/)
  })
})
