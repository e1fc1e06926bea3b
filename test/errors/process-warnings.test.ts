// Warnings of the process in a whole application: with the request that met them, apart from its own log lines.

import assert from 'node:assert/strict'
import { it } from 'node:test'
import { createApp, loadRuntimeContext, RouteCollection, text } from '../../src/index.ts'
import type { LoggerData } from '../../src/observe/collectors/logger.ts'

const { context } = loadRuntimeContext({
  cwd: process.cwd(),
  env: { APP_ENV: 'test', APP_DEBUG: '1', APP_STORE: 'memory:' },
})

const routes = new RouteCollection()
  .get('old', '/old', async ({ log }) => {
    log.info('Said by the handler.')
    await Promise.resolve()
    process.emitWarning('oldWay() goes away', { type: 'DeprecationWarning', code: 'TEST0001' })
    process.emitWarning('a listener too many <b>')
    await new Promise((resolve) => setImmediate(resolve))
    return text('ok')
  })
  .get('new', '/new', () => text('ok'))

it('ProcessWarnings: are in the profile of the request that caused them, with code and place, and nowhere else', async () => {
  const app = await createApp({ routes, context, log: { write: () => undefined } })
  // Another application of the process hears of them, too, from its first request on.
  const another = await createApp({ routes, context, log: { write: () => undefined } })
  await another.inject({ url: '/new' })
  const [old, other] = await Promise.all([app.inject({ url: '/old' }), app.inject({ url: '/new' })])
  const records = async (token: string | undefined): Promise<LoggerData['records']> =>
    ((await app.profiles?.read(token ?? ''))?.data['logger'] as LoggerData | undefined)?.records ?? []
  const warned = (await records(old.headers.get('x-debug-token'))).filter(({ level }) => level === 'warn')
  assert.deepEqual(
    warned.map(({ channel, context: { name, code, warning } }) => [channel, name, code, warning]),
    [
      ['deprecation', 'DeprecationWarning', 'TEST0001', 'oldWay() goes away'],
      ['warning', 'Warning', null, 'a listener too many <b>'],
    ],
  )
  const errors = (await records(old.headers.get('x-debug-token'))).filter(({ level }) => level === 'error')
  assert.deepEqual(errors, [], 'what Node prints of a warning is no error')
  assert.match(String(warned[0]?.context['place']), /process-warnings\.test\.ts:\d+/)
  assert.deepEqual(
    (await records(other.headers.get('x-debug-token'))).filter(({ level }) => level === 'warn'),
    [],
  )
  const page = await app.inject({ url: `/_profiler/${old.headers.get('x-debug-token') ?? ''}?panel=logger` })
  assert.match(page.body, /Deprecations and warnings/)
  assert.ok(page.body.indexOf('Said by the handler.') < page.body.indexOf('Deprecations and warnings'))
  assert.ok(!page.body.includes('too many <b>'))
  await Promise.all([app.close(), another.close()])
  assert.equal(
    process.listeners('warning').some((listener) => listener.name.includes('note')),
    false,
  )
})
