// Fastify, Koa, Hono and h3 with `fanlight/register`: routes, steps and errors without a line in the application.

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { appFolder, asking, printedBy, register } from '../support/registered-app.ts'
import { failedStepsOf, stepsOf } from './seen.ts'
import type { SeenProfile } from './served.ts'

/** What an application loads its packages by: `await import('koa')`, `require('koa')`. */
type Load = (name: string) => string

const path = '/shops/tea/orders/7'

/** Each answers `path` with an error; the last line of each leaves a `server`. */
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

describe('fanlight/register', () => {
  for (const [framework, application] of Object.entries(applications)) {
    for (const [kind, file, load] of [
      ['ESM', 'app.mjs', (name) => `await import('${name}')`],
      ['CommonJS', 'app.cjs', (name) => `require('${name}')`],
      ['its oldest version', 'app.cjs', (name) => `${olderRequire}('${name}')`],
    ] as const satisfies readonly (readonly [string, string, Load])[]) {
      it(`records routes, steps and errors of ${framework}: ${kind}`, async () => {
        await using app = appFolder({
          [file]: `${application(load)}\n${asking('server', path)}\n}${framework === 'Fastify' ? ')' : ''}`,
        })
        const ended = await app.run(['--import', register, file])
        const printed = printedBy(ended)
        const profile = printed.profile as SeenProfile | null
        assert.ok(profile !== null, ended.stderr)
        assert.match(String(profile.route), /^\/shops\/:shop\/orders\/:id$/)
        assert.equal(profile.handler, 'showOrder')
        assert.equal(profile.errorMessage, 'Not in stock')
        assert.deepEqual(stepsOf(profile), steps[framework])
        assert.ok(failedStepsOf(profile).some((step) => step.startsWith('showOrder')))
        assert.deepEqual(printed.notes, [])
        assert.equal(ended.exitCode, 0)
      })
    }
  }
})
