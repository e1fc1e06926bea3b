// `fanlight routes --skipped`, and the page that asks it: what an application does not add to its routes.

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { pathToFileURL } from 'node:url'
import { Redactor } from '../../src/base/redact/redactor.ts'
import { note } from '../../src/observe/blocks/blocks.ts'
import { askSkipped } from '../../src/ran/ask-skipped.ts'
import { pageText } from '../support/page-text.ts'
import { appFolder, register } from '../support/registered-app.ts'
import { runNode } from '../support/running-process.ts'

const library = pathToFileURL(join(import.meta.dirname, '../../src/index.ts')).href
const command = join(import.meta.dirname, '../../src/cli/main.ts')

const table = `
if (process.env.BETA === 'yes') {
  routes.get('beta', '/beta', show)
}
if (process.env.SHOP_PASSWORD === undefined) routes.get('open', '/open', show)
else if (process.env['SHOP_PASSWORD'] === 'x') routes.post('closed', '/closed', show)
function addLate(options) {
  if (!options.late) return
  const path = handler.name
  routes.get('late', '/late', show)
}
addLate({ late: 0 })
export function admin(group) {
  return group.get('admin', '/admin', show)
}
const handler = async (client) => client.get('/elsewhere')
const isLocal = false
isLocal && routes.merge(admin(routes))
const files = isLocal ? routes.get('files', '/files', show) : new Map().get('/files')
`

const sources = {
  'this framework': `
import { createApp, run, RouteCollection, text } from '${library}'
const show = () => text('shown')
const routes = new RouteCollection().get('home', '/', show)
${table}
console.log('noise of the application')
export const frontController = (context) => createApp({ context, routes, plugins: [{ name: 'starts', start() { throw new Error('started') } }] })
if (import.meta.main) await run(frontController)
`,
  'Express, which listens as it is loaded': `
import express from 'express'
const app = express()
const show = (_, response) => response.send('shown')
const routes = { get: (_, path, handler) => app.get(path, handler) }
${table}
console.log('noise of the application')
const server = app.listen(0)
await new Promise((listening) => server.once('listening', listening))
`,
  'Express, which listens later': `
import express from 'express'
import { setTimeout } from 'node:timers/promises'
const show = (_, response) => response.send('shown')
async function start() {
  const app = express()
  const routes = { get: (_, path, handler) => app.get(path, handler) }
  await setTimeout(1)
  ${table.replace('export ', '')}
  app.listen(0)
}
void start()
`,
}

/** The call, what it stands behind, and the value of the environment. */
const skipped = [
  ["get('beta', '/beta', show)", "if (process.env.BETA === 'yes')", 'BETA not set'],
  ["get('open', '/open', show)", 'if (process.env.SHOP_PASSWORD === undefined)', 'SHOP_PASSWORD ******'],
  ["post('closed', '/closed', show)", "if (process.env['SHOP_PASSWORD'] === 'x')", 'SHOP_PASSWORD ******'],
  ["get('late', '/late', show)", 'if (!options.late) return', ''],
  ["get('admin', '/admin', show)", 'function admin(group)', ''],
  ['merge(admin(routes))', 'isLocal &&', ''],
  ["get('files', '/files', show)", 'isLocal ?', ''],
]

describe('fanlight routes --skipped', () => {
  const env = { SHOP_PASSWORD: 'hunter2', NODE_DISABLE_COMPILE_CACHE: '1' }
  for (const [framework, source] of Object.entries(sources)) {
    it(`names each call with what it stands behind, in an application of ${framework}`, async () => {
      await using folder = appFolder({ 'package.json': '{"type":"module"}', 'app.js': source })
      const asked = [command, 'routes', '--skipped', '--module', 'app.js']
      const { stdout, stderr, exitCode } = await folder.run(asked, env)
      assert.equal(exitCode, 0, stderr)
      for (const row of skipped) {
        assert.ok(
          stdout.split('\n').some((line) => row.every((cell) => line.includes(cell))),
          `${row.join()} in ${stdout}`,
        )
      }
      assert.doesNotMatch(stdout, /noise|hunter2/)
      if (framework !== 'this framework') return
      const { stdout: json } = await folder.run([...asked, '--json'], env)
      const { skipped: told } = JSON.parse(json) as {
        readonly skipped: readonly {
          readonly call: { readonly place: string }
          readonly behind: { readonly place: string }
        }[]
      }
      const line = (part: string): string => `app.js:${source.slice(0, source.indexOf(part)).split('\n').length}`
      assert.equal(told.length, skipped.length)
      assert.deepEqual(
        [told[0]?.call.place, told[0]?.behind.place],
        [line("routes.get('beta"), line('if (process.env.BETA')],
      )
    })
  }

  it('refuses code that was compiled before, and what cannot be started', async () => {
    await using folder = appFolder({ 'app.mjs': 'export const x = 1' })
    const run = async (more: object): Promise<string> =>
      (await folder.run([command, 'routes', '--skipped', '--module', 'app.mjs'], more as typeof env)).stderr
    assert.match(await run({ NODE_COMPILE_CACHE: join(folder.path, 'cache') }), /set NODE_DISABLE_COMPILE_CACHE=1/)
    assert.match(await run(env), /exports no front controller/)
  })
})

describe('the page of the routes', () => {
  for (const [framework, args] of [
    ['this framework', []],
    ['Express, which listens as it is loaded', ['--import', register]],
  ] as const) {
    it(`finds the same of a running application of ${framework}`, async () => {
      const listening = `app.listen(0, '127.0.0.1', function () { console.log('http://127.0.0.1:' + this.address().port) })`
      const source = sources[framework].replace('app.listen(0)', listening).replace('throw new', 'void new')
      await using folder = appFolder({ 'package.json': '{"type":"module"}', 'app.js': source })
      const env = { SHOP_PASSWORD: 'hunter2', NODE_ENV: 'development' }
      await using running = await runNode([...args, 'app.js'], env, folder.path)
      const page = await (await fetch(`${running.url}/_profiler/routes?method=GET&url=/beta`)).text()
      assert.match(page, /method="post"[^>]*>\s*<button class="button">Look for routes that were not added/)
      const asked = { method: 'POST', headers: { origin: running.url, 'sec-fetch-site': 'same-origin' } }
      const text = pageText(await (await fetch(`${running.url}/_profiler/routes`, asked)).text())
      for (const row of skipped) for (const cell of row) assert.ok(text.includes(cell), `${cell} in ${text}`)
      assert.doesNotMatch(text, /hunter2/)
    })
  }

  it('says why it finds nothing', async () => {
    assert.deepEqual(await askSkipped('/nowhere', new Redactor()), [
      note('Not known: this process was not started with a file of the project.'),
    ])
  })
})
