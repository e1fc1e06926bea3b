// Fastify, Koa, Hono and h3 outside development: the application is given back as it is, and nothing is loaded or heard.

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { pathToFileURL } from 'node:url'
import { fromSources } from '../support/compiled-code.ts'
import { appFolder } from '../support/registered-app.ts'

const entry = (name: string): string => pathToFileURL(join(import.meta.dirname, `../../src/${name}.ts`)).href

const made: Readonly<Record<string, string>> = {
  fastify: "(await import('fastify')).default()",
  koa: "new (await import('koa')).default()",
  hono: "new (await import('hono')).Hono()",
  h3: "new (await import('h3')).H3()",
}

describe('outside development', () => {
  for (const [name, make] of Object.entries(made)) {
    it(`fanlight/${name} changes and loads nothing`, async () => {
      const text = `
import { registerHooks } from 'node:module'
import { channel } from 'node:diagnostics_channel'
const loaded = []
registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) })
const { fanlight } = await import('${entry(name)}')
const app = ${make}
const look = () => Reflect.ownKeys(app).map((key) => [String(key), Object.getOwnPropertyDescriptor(app, key)])
const before = look()
const isSame = fanlight(app) === app
const after = look()
console.log(JSON.stringify({
  isSame,
  changed: before.length !== after.length || before.some(([, own], index) => own.value !== after[index][1].value),
  ofOthers: [fanlight(undefined), fanlight('text')],
  loaded: loaded.filter((url) => url.includes('/src/')).map((url) => url.split('/src/')[1]),
  isHeard: ['http.server.request.start', 'fastify.initialization', 'console.log'].some((heard) => channel(heard).hasSubscribers),
}))`
      await using app = appFolder({ 'app.mjs': text })
      for (const env of [
        { FANLIGHT: 'off', NODE_ENV: 'development' },
        { FANLIGHT: undefined, NODE_ENV: 'production' },
        { FANLIGHT: undefined, APP_ENV: 'dev' },
      ]) {
        const { stdout, stderr } = await app.run(['app.mjs'], { ...fromSources, ...env })
        assert.equal(stderr, '')
        assert.deepEqual(JSON.parse(stdout), {
          isSame: true,
          changed: false,
          ofOthers: [null, 'text'],
          loaded: [`${name}.ts`, 'integrations/switch.ts'],
          isHeard: false,
        })
      }
    })
  }
})
