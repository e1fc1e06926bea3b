// Frameworks outside development: the application is given back as it is, and nothing is loaded or heard.

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { pathToFileURL } from 'node:url'
import { fromSources } from '../support/compiled-code.ts'
import { appFolder } from '../support/registered-app.ts'

const source = pathToFileURL(join(import.meta.dirname, '../../src/')).href

const made: Readonly<Record<string, string>> = {
  express: "(await import('express')).default()",
  fastify: "(await import('fastify')).default()",
  koa: "new (await import('koa')).default()",
  hono: "new (await import('hono')).Hono()",
  h3: "new (await import('h3')).H3()",
}
const names = Object.keys(made)

const program = `import { channel } from 'node:diagnostics_channel'
import { registerHooks } from 'node:module'
const loaded = []
registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) })
const seen = {}
${names
  .map(
    (name) => `{
  const { fanlight } = await import('${source}${name}.ts')
  const app = ${made[name]}
  const look = () => Reflect.ownKeys(app).map((key) => [String(key), Object.getOwnPropertyDescriptor(app, key)])
  const before = look()
  const isSame = fanlight(app) === app
  const after = look()
  const isChanged = before.length !== after.length || before.some(([, own], index) => own.value !== after[index][1].value)
  seen.${name} = [isSame, isChanged, fanlight(undefined), fanlight('text')]
}`,
  )
  .join('\n')}
console.log(JSON.stringify({
  seen,
  loaded: loaded.filter((url) => url.startsWith('${source}')).map((url) => url.slice('${source}'.length)).sort(),
  heard: ['http.server.request.start', 'fastify.initialization', 'console.log', 'tracing:express.router.request:start']
    .filter((heard) => channel(heard).hasSubscribers),
}))`

for (const env of [
  { FANLIGHT: 'off', NODE_ENV: 'development' },
  { FANLIGHT: undefined, NODE_ENV: 'production' },
  { FANLIGHT: undefined, APP_ENV: 'dev' },
]) {
  it(`fanlight() changes and loads nothing: ${JSON.stringify(env)}`, async () => {
    await using app = appFolder({ 'app.mjs': program })
    const { stdout, stderr } = await app.run(['app.mjs'], { ...fromSources, ...env })
    assert.equal(stderr, '')
    assert.deepEqual(JSON.parse(stdout), {
      seen: Object.fromEntries(names.map((name) => [name, [true, false, null, 'text']])),
      loaded: [...names.map((name) => `${name}.ts`), 'integrations/switch.ts'].sort(),
      heard: [],
    })
  })
}

const terminal = `import fs from 'node:fs'
fs.fstatSync = () => ({ isCharacterDevice: () => true })
process.stderr.isTTY = true`

describe('on a terminal', () => {
  const why =
    'this is not development; set NODE_ENV=development or FANLIGHT=on, or start the program with "fanlight dev --"'
  for (const [env, lines] of [
    [{ FANLIGHT: undefined }, [`fanlight: off, ${why}`]],
    [{ FANLIGHT: undefined, NODE_ENV: 'staging' }, [`fanlight: off, ${why}`]],
    [{ FANLIGHT: 'yes' }, ['fanlight: off, FANLIGHT="yes" cannot be used: allowed are on, off']],
    [{ FANLIGHT: undefined, NODE_ENV: 'production' }, []],
    [{ FANLIGHT: 'off' }, []],
  ] as const) {
    it(`fanlight() says once why it is off, or nothing: ${JSON.stringify(env)}`, async () => {
      await using app = appFolder({ 'app.mjs': program, 'terminal.mjs': terminal })
      const { stderr } = await app.run(['--import', './terminal.mjs', 'app.mjs'], { ...fromSources, ...env })
      assert.deepEqual(stderr.split('\n').filter(Boolean), lines)
    })
  }
})
