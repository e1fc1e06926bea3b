// Validators that were loaded after the load hooks: `valibot`, `zod` and `ajv`, and Fastify, which uses `ajv`.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import type * as Ajv from 'ajv'
import type * as Valibot from 'valibot'
import { captureHooks } from '../../src/integrations/captures/capture-hooks.ts'
import { installLoadHooks } from '../../src/integrations/registration.ts'
import type { Activities } from '../../src/observe/activities/activity.ts'
import { validation, type ValidationFacts } from '../../src/capture/activities/validation.ts'
import { activityTools } from '../support/activities.ts'
import { notingObserver } from '../support/integration-observer.ts'
import { ask, listen, profileOf, tokenOf } from './served.ts'

process.env['NODE_ENV'] = 'development'
process.env['FANLIGHT_STORE'] = 'memory:'
const observer = notingObserver()
const require = createRequire(import.meta.url)
for (const file of Object.keys(require.cache)) {
  if (/\/node_modules\/(?:ajv|valibot|zod)\//.test(file)) Reflect.deleteProperty(require.cache, file)
}
installLoadHooks(captureHooks, [], observer)
after(() => assert.deepEqual(observer.notes, []))

describe('validators that were loaded after the load hooks', () => {
  it('are observed, each check once', async () => {
    const z = await import('zod')
    const required = require('zod') as typeof z
    assert.notEqual(required.ZodType, z.ZodType)
    const v2 = require('valibot') as typeof Valibot
    const { Ajv: AjvClass } = require('ajv') as typeof Ajv
    const ajv = new AjvClass()
    const check = ajv.compile({ type: 'string' })
    const { entries } = await activityTools(validation).recorded(async () => {
      assert.throws(() => z.string().parse(1))
      z.object({ a: z.string() }).safeParse({ a: 1 })
      await z.string().safeParseAsync(1)
      required.object({ c: required.string() }).safeParse({ c: 1 })
      assert.throws(() => required.string().parse(1), required.ZodError)
      v2.safeParse(v2.string(), 1)
      assert.throws(() => v2.parse(v2.object({ b: v2.string() }), {}))
      assert.equal(check(1), false)
    })
    assert.deepEqual(
      entries.map(({ library, faults }) => `${library} ${faults.map(({ path }) => path).join()}`),
      ['zod ', 'zod a', 'zod ', 'zod c', 'zod ', 'valibot ', 'valibot b', 'ajv '],
    )
  })

  it('are replaced in the module of valibot, which this process has loaded before', () => {
    const script = `
      const { captureHooks } = await import('./src/integrations/captures/capture-hooks.ts')
      const { installLoadHooks } = await import('./src/integrations/registration.ts')
      installLoadHooks(captureHooks, [], { guard: (_, work) => work(), note: (text) => console.log(text) })
      const v = await import('valibot')
      console.log(Symbol.for('fanlight.replaced') in v.safeParse, v.safeParse(v.string(), 'a').output)`
    const root = join(import.meta.dirname, '../..')
    const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
      cwd: root,
      encoding: 'utf8',
    })
    assert.equal(stdout, 'true a\n', stderr)
  })

  it('are observed in Fastify', async (test) => {
    const { fanlight } = await import('../../src/fastify.ts')
    const { default: Fastify } = await import('fastify')
    const app = fanlight(Fastify())
    const query = { type: 'object', required: ['page'], properties: { page: { type: 'integer' } } }
    app.get('/', { schema: { querystring: query } }, async () => ({}))
    await app.ready()
    const { port } = await listen(test, app.server)
    const got = await ask(port)
    assert.equal(got.status, 400)
    const { entries } = (await profileOf(port, tokenOf(got))).data['validation'] as Activities<ValidationFacts>
    assert.deepEqual(
      entries.map(({ library, faults }) => [library, faults[0]?.message]),
      [['ajv', "must have required property 'page'"]],
    )
  })
})
