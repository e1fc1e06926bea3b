// Templates in the profile without a line in the application: those of `res.render()` in Express, and those of engines that were loaded
// after the load hooks.

import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import type * as EjsModule from 'ejs'
import type * as EtaModule from 'eta'
import newest from 'express'
import type * as NunjucksModule from 'nunjucks'
import { captureHooks } from '../../src/integrations/captures/capture-hooks.ts'
import { installLoadHooks } from '../../src/integrations/registration.ts'
import type { Activities } from '../../src/observe/activities/activity.ts'
import { templates, type TemplateFacts } from '../../src/capture/activities/templates.ts'
import { activityTools } from '../support/activities.ts'
import { notingObserver } from '../support/integration-observer.ts'
import { ask, listen, profileOf, tokenOf } from './served.ts'

process.env['NODE_ENV'] = 'development'
process.env['FANLIGHT_STORE'] = 'memory:'
const { fanlight } = await import('../../src/express.ts')
const { observe } = await import('../../src/capture.ts')

// Express loads these engines before the load hooks are there.
const { default: plainEjs } = await import('ejs')
const plainNunjucks = createRequire(import.meta.url)('nunjucks') as typeof NunjucksModule
const views = join(import.meta.dirname, '../support/views')
const given = { title: 'Orders', rows: [1] }

describe('res.render() of Express', () => {
  const older = createRequire(new URL('older/', import.meta.url))
  for (const [name, express] of [
    ['Express 5', newest],
    ['Express 4', older('express') as typeof newest],
  ] as const) {
    it(`shows templates of any engine by name, time and failure: ${name}`, async (test) => {
      const app = fanlight(express())
      app.set('views', views).set('view engine', 'ejs')
      app.engine('ejs', plainEjs.renderFile.bind(plainEjs))
      app.engine('up', (path, _options, callback) => setImmediate(callback, null, path.toUpperCase()))
      app.get('/page', (_, response) => response.render('page', given))
      app.get('/fails', (_, response) => response.render('page', { title: 'Orders' }))
      app.get('/missing', (_, response) => response.render('nothing'))
      const { port } = await listen(test, app)
      assert.deepEqual(await renderedBy(port, '/page'), ['ejs page'])
      assert.deepEqual(await renderedBy(port, '/fails'), ['ejs page failed'])
      assert.deepEqual(await renderedBy(port, '/missing'), ['ejs nothing failed'])
    })
  }

  it('shows what an observed engine includes, and the page itself once', async (test) => {
    const app = fanlight(newest())
    observe(plainEjs)
    app.set('views', views).engine('ejs', plainEjs.renderFile)
    app.get('/ejs', (_, response) => response.render('page.ejs', given))
    const { port } = await listen(test, app)
    assert.deepEqual(await renderedBy(port, '/ejs'), ['ejs page.ejs', 'ejs test/support/views/row.ejs'])
  })

  it('shows those of nunjucks, which has views of its own', async (test) => {
    const app = fanlight(newest())
    observe(plainNunjucks.configure(views, { express: app }))
    app.get('/njk', (_, response) => response.render('page.njk', given))
    const { port } = await listen(test, app)
    assert.deepEqual(await renderedBy(port, '/njk'), ['njk page.njk', 'nunjucks test/support/views/row.njk'])
  })
})

describe('template engines that were loaded after the load hooks', () => {
  const observer = notingObserver()
  after(() => assert.deepEqual(observer.notes, []))

  it('are observed: modules and CommonJS', async () => {
    const require = createRequire(import.meta.url)
    for (const path of ['nunjucks', 'ejs']) {
      for (const file of Object.keys(require.cache))
        if (file.includes(`/node_modules/${path}/`)) delete require.cache[file]
    }
    installLoadHooks(captureHooks, [], observer)
    const { Eta } = await import('eta')
    const older = require('eta') as typeof EtaModule
    const ejs = require('ejs') as typeof EjsModule
    const nunjucks = require('nunjucks') as typeof NunjucksModule
    const { default: Handlebars } = await import('handlebars')
    const compiled = ejs.compile('<%= 1 %>')
    assert.ok(new Eta({ views }) instanceof Eta)
    const { data } = await activityTools(templates).recorded(() => {
      new Eta({ views }).render('page', given)
      new older.Eta({ views }).renderString('<%= 2 %>', {})
      compiled({})
      new nunjucks.Environment(new nunjucks.FileSystemLoader(views)).render('page.njk', given)
      Handlebars.compile('{{name}}')({ name: 'Ada' })
      Handlebars.create().compile('{{other}}')({})
    })
    assert.deepEqual(facts(data), [
      'eta test/support/views/page.eta',
      'eta test/support/views/row.eta',
      'eta <%= 2 %>',
      'ejs <%= 1 %>',
      'nunjucks test/support/views/page.njk',
      'nunjucks test/support/views/row.njk',
      'handlebars {{name}}',
      'handlebars {{other}}',
    ])
  })
})

async function renderedBy(port: number, path: string): Promise<readonly string[]> {
  const { data } = await profileOf(port, tokenOf(await ask(port, { path })))
  return facts(data['templates'])
}

/** Only the collector keeps something under the name. */
function facts(data: unknown): readonly string[] {
  const { entries } = data as Activities<TemplateFacts>
  return entries.map(({ engine, name, text, error }) => `${engine} ${name ?? text}${error === null ? '' : ' failed'}`)
}
