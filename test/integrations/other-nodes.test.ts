// The built package on the other versions of Node, in applications of three frameworks that know nothing of it.

import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, it } from 'node:test'
import { pathToFileURL } from 'node:url'
import manifest from '../../package.json' with { type: 'json' }
import { oldestNode, otherNodes, programOf } from '../../scripts/install-node.mjs'
import { fromSources } from '../support/compiled-code.ts'
import { appFolder, printedBy, serving } from '../support/registered-app.ts'

const register = pathToFileURL('var/test-build/dist/register.js').href
/** What `require('fanlight/register')` loads. */
const preload = resolve('var/test-build', manifest.exports['./register'].require.default)

/** Asks an application that listens, and prints what it and the profiler say. */
const ask = `
async function ask(url) {
  const get = (path, headers = {}) => fetch(url + path, { headers: { accept: 'text/html', ...headers } })
  const good = await get('/orders/7', { 'x-fanlight-profile': 'cpu' })
  const path = '/_profiler/' + good.headers.get('x-debug-token')
  const broken = await get('/broken')
  let profile
  do profile = await (await get(path, { accept: 'application/json' })).json()
  while (JSON.stringify(profile).includes('has not ended yet'))
  const { status } = await get(path)
  const seen = { order: await good.text(), profile, status, broken: broken.status, page: await broken.text() }
  process.stdout.write(JSON.stringify(seen) + '\\n', () => process.exit())
}
`
/** What each application does for an order. */
const work = `
function showOrder() {
  console.log('order asked for')
  JSON.parse(JSON.stringify(Array.from({ length: 200_000 }, String)))
  return database.prepare('SELECT 7 AS id').get()
}
function fail() {
  throw new Error('the shop is closed')
}
`

const applications: readonly (readonly [framework: string, file: string, text: string])[] = [
  [
    'Express',
    'app.cjs',
    `const express = require('express')
const { DatabaseSync } = require('node:sqlite')
const database = new DatabaseSync(':memory:')
const app = express()
app.get('/orders/:id', (request, response) => void response.json(showOrder()))
app.get('/broken', fail)
const server = app.listen(0, '127.0.0.1', () => ask('http://127.0.0.1:' + server.address().port))
${work}${ask}`,
  ],
  [
    'Fastify',
    'app.mjs',
    `import fastify from 'fastify'
import { DatabaseSync } from 'node:sqlite'
const database = new DatabaseSync(':memory:')
const app = fastify()
app.get('/orders/:id', showOrder)
app.get('/broken', fail)
await app.listen({ port: 0, host: '127.0.0.1' })
void ask('http://127.0.0.1:' + app.server.address().port)
${work}${ask}`,
  ],
  [
    'Nest',
    'app.ts',
    `import 'reflect-metadata'
import { Controller, Get, Module } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import { DatabaseSync } from 'node:sqlite'
const database = new DatabaseSync(':memory:')
class Shop { showOrder(): unknown { return showOrder() } fail(): void { fail() } }
for (const [name, path] of [['showOrder', 'orders/:id'], ['fail', 'broken']] as const) {
  Get(path)(Shop.prototype, name, Object.getOwnPropertyDescriptor(Shop.prototype, name)!)
}
Controller()(Shop)
class Application {}
Module({ controllers: [Shop] })(Application)
const app = await NestFactory.create(Application, { logger: false })
await app.listen(0, '127.0.0.1')
void ask(await app.getUrl())
${work}${ask}`,
  ],
]

interface Seen {
  readonly order: string
  readonly profile: {
    readonly route: string
    readonly data: Readonly<Record<string, unknown>> & { readonly cpu: { readonly samples: number } }
  }
  readonly status: number
  readonly broken: number
  readonly page: string
}

describe('fanlight/register on other versions of Node', () => {
  for (const version of [oldestNode, ...otherNodes]) {
    const node = programOf(version)
    const skip = existsSync(node) ? false : 'there is no program for this platform'
    it(`warns of nothing on ${version}`, { skip }, async () => {
      await using app = appFolder({ 'app.mjs': serving('') })
      const env = { ...fromSources, FANLIGHT_STORE: 'sqlite:profiles.db' }
      const ended = await app.run(['--import', register, 'app.mjs'], env, node)
      assert.match(ended.stderr, /^Fanlight: http:\/\/127\.0\.0\.1:\d+\/_profiler\/\n$/)
      assert.notEqual(printedBy(ended).token, null)
    })

    it(`is required where load hooks have a thread on ${version}`, { skip }, async () => {
      const hooks = 'data:text/javascript,export const load = (url, context, next) => next(url, context)'
      const registering = `import { register } from 'node:module'\nregister(${JSON.stringify(hooks)})`
      await using app = appFolder({ 'app.mjs': `import 'express'\n${serving('')}`, 'hooks.mjs': registering })
      const args = ['--no-deprecation', '--require', preload, '--import', './hooks.mjs', 'app.mjs']
      const ended = await app.run(args, fromSources, node)
      assert.match(ended.stderr, /^Fanlight: http:\/\/127\.0\.0\.1:\d+\/_profiler\/\n$/)
      assert.notEqual(printedBy(ended).token, null)
    })

    for (const [framework, file, text] of applications) {
      it(`records ${framework} on ${version} and shows its error`, { skip }, async () => {
        await using app = appFolder({ [file]: text })
        const ended = await app.run(['--import', register, file], fromSources, node)
        assert.equal(ended.exitCode, 0, ended.stderr)
        const { order, profile, status, broken, page } = JSON.parse(
          ended.stdout.trim().split('\n').at(-1) ?? '',
        ) as Seen
        assert.deepEqual([JSON.parse(order), status, broken], [{ id: 7 }, 200, 500])
        assert.match(page, /the shop is closed/)
        assert.match(profile.route, /orders\/:id/)
        assert.match(JSON.stringify(profile.data['database']), /SELECT \? AS id/)
        assert.match(JSON.stringify(profile.data['logger']), /order asked for/)
        assert.ok(profile.data.cpu.samples > 0)
      })
    }
  }
})
