// Fastify, Koa, Hono and h3 with `fanlight/register`: routes, steps and errors without a line in the application. One process serves
// all four, with modules of one kind.

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { before, describe, it } from 'node:test'
import { appFolder, asking, printedBy, register, type Ended } from '../support/registered-app.ts'
import { failedStepsOf, stepsOf } from './seen.ts'
import type { SeenProfile } from './served.ts'

/** What an application loads its packages by: `await import('koa')`, `require('koa')`. */
type Load = (name: string) => string

const path = '/shops/tea/orders/7'

/** Each answers `path` with an error; the last line of each opens a block in which there is a `server`. */
const applications: Readonly<Record<string, (load: Load) => string>> = {
  Fastify: (load) => `
const Fastify = ${load('fastify')}
const app = (Fastify.default ?? Fastify)()
app.addHook('onRequest', async function checkUser() {})
app.register(async function shops(shop) {
  shop.get('/:shop/orders/:id', async function showOrder() { throw new Error('Not in stock') })
}, { prefix: '/shops' })
const { server } = app
app.ready(() => {`,
  Koa: (load) => `
const Koa = ${load('koa')}, Router = ${load('@koa/router')}
const app = new (Koa.default ?? Koa)(), router = new (Router.default ?? Router)({ prefix: '/shops' })
app.silent = true
app.use(async function timing(context, next) { await next() })
router.get('/:shop/orders/:id', async function showOrder() { throw new Error('Not in stock') })
app.use(router.routes())
const server = process.getBuiltinModule('node:http').createServer(app.callback())
{`,
  Hono: (load) => `
const { Hono } = ${load('hono')}, { createAdaptorServer } = ${load('@hono/node-server')}
console.error = () => {}
const app = new Hono(), shop = new Hono()
app.use(async function timing(context, next) { await next() })
shop.get('/orders/:id', async function showOrder() { throw new Error('Not in stock') })
app.route('/shops/:shop', shop)
const server = createAdaptorServer({ fetch: app.fetch })
{`,
  h3: (load) => `
const { H3, toNodeHandler } = ${load('h3')}
const app = new H3({ silent: true })
app.use(async function timing(event, next) { return await next() })
app.get('/shops/:shop/orders/:id', async function showOrder() { throw new Error('Not in stock') })
const server = process.getBuiltinModule('node:http').createServer(toNodeHandler(app))
{`,
}

const steps: Readonly<Record<string, readonly string[]>> = {
  Fastify: ['hook onRequest checkUser', 'controller showOrder'],
  Koa: ['middleware timing', 'middleware router /shops', 'controller showOrder'],
  Hono: ['middleware timing /*', 'controller showOrder /shops/:shop/orders/:id'],
  h3: ['middleware timing', 'controller showOrder'],
}

const older = JSON.stringify(join(import.meta.dirname, 'older/package.json'))
const olderRequire = `process.getBuiltinModule('node:module').createRequire(${older})`

const kinds = {
  ESM: ['app.mjs', (name) => `await import('${name}')`],
  CommonJS: ['app.cjs', (name) => `require('${name}')`],
  'the oldest versions': ['app.cjs', (name) => `${olderRequire}('${name}')`],
} as const satisfies Readonly<Record<string, readonly [file: string, load: Load]>>

for (const [kind, [file, load]] of Object.entries(kinds)) {
  describe(`fanlight/register, ${kind}`, () => {
    let ended: Ended
    before(async () => {
      const parts = Object.entries(applications).map(
        ([name, application]) =>
          `{\n${application(load)}\n${asking('server', path, name)}\n}${name === 'Fastify' ? ')' : ''}\n}`,
      )
      await using app = appFolder({ [file]: parts.join('\n') })
      ended = await app.run(['--import', register, file])
      assert.equal(ended.exitCode, 0, ended.stderr)
    })
    for (const framework of Object.keys(applications)) {
      it(`records routes, steps and errors of ${framework}`, () => {
        const printed = printedBy(ended, framework)
        const profile = printed.profile as SeenProfile | null
        assert.ok(profile !== null, ended.stderr)
        assert.match(String(profile.route), /^\/shops\/:shop\/orders\/:id$/)
        assert.equal(profile.handler, 'showOrder')
        assert.equal(profile.errorMessage, 'Not in stock')
        assert.deepEqual(stepsOf(profile), steps[framework])
        assert.ok(failedStepsOf(profile).some((step) => step.startsWith('showOrder')))
        assert.deepEqual(printed.notes, [])
      })
    }
  })
}
