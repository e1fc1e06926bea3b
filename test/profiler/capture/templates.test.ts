// Templates in the profile: `eta`, `ejs`, `nunjucks` and `handlebars` as they are.

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import ejs from 'ejs'
import { Eta } from 'eta'
import Handlebars from 'handlebars'
import nunjucks from 'nunjucks'
import { observe } from '../../../src/capture.ts'
import type { Activities } from '../../../src/observe/activities/activity.ts'
import type { TemplateFacts } from '../../../src/capture/activities/templates.ts'
import { templates as kind } from '../../../src/capture/activities/templates.ts'
import { activityTools } from '../../support/activities.ts'
import type { Work } from '../../support/captured.ts'

const views = join(import.meta.dirname, '../../support/views')
const { recorded, drawn } = activityTools(kind)
const given = { title: 'Orders', rows: [1, 2] }
const page = /<h1>Orders<\/h1>\s*<p>1<\/p>\s*<p>2<\/p>/

describe('templates', () => {
  it('of eta: files, what they include, texts, named texts, and those that wait', async () => {
    const eta = observe(new Eta({ views, cache: true }))
    assert.equal(observe(eta), eta)
    eta.loadTemplate('@greeting', 'Hello <%= it.name %>')
    const data = await captured(async () => {
      assert.match(eta.render('page', given), page)
      assert.match(await eta.renderAsync('row', { row: 7 }), /<p>7/)
      assert.equal(eta.render('@greeting', { name: 'Ada' }), 'Hello Ada')
      assert.equal(eta.renderString('<%= it.name %>!', { name: 'Ada' }), 'Ada!')
      assert.match(await eta.renderStringAsync('<%= await it.name %>\n  !', { name: Promise.resolve('Ada') }), /^Ada/)
      assert.throws(() => eta.render('row', undefined as never))
      await assert.rejects(async () => eta.renderAsync('nothing', {}))
    })
    assert.deepEqual(facts(data), [
      'eta test/support/views/page.eta',
      'eta test/support/views/row.eta',
      'eta test/support/views/row.eta',
      'eta test/support/views/row.eta',
      'eta @greeting',
      'eta text <%= it.name %>!',
      'eta text <%= await it.name %> !',
      'eta test/support/views/row.eta failed',
      'eta test/support/views/nothing.eta failed',
    ])
    assert.match(data?.entries[0]?.callSite ?? '', /^test\/profiler\/capture\/templates\.test\.ts:\d+$/)
    assert.equal(data?.entries[1]?.callSite, null)
  })

  it('of ejs: files, what they include, texts, compiled ones, callbacks', async () => {
    observe(ejs)
    const kept = ejs.compile('kept <%= name %>', { client: false })
    const data = await captured(async () => {
      assert.match(await ejs.renderFile(join(views, 'page.ejs'), given), page)
      assert.equal(ejs.render('<%= name %>', { name: 'Ada' }), 'Ada')
      assert.equal(kept({ name: 'Ada' }), 'kept Ada')
      await new Promise((resolve) => ejs.renderFile(join(views, 'row.ejs'), { row: 1 }, resolve))
      assert.throws(() => ejs.render('<%= missing %>', {}))
    })
    assert.deepEqual(facts(data), [
      'ejs test/support/views/page.ejs',
      'ejs test/support/views/row.ejs',
      'ejs test/support/views/row.ejs',
      'ejs text <%= name %>',
      'ejs text kept <%= name %>',
      'ejs test/support/views/row.ejs',
      'ejs text <%= missing %> failed',
    ])
  })

  it('of nunjucks: files, what they include, texts, callbacks', async () => {
    const environment = observe(
      new nunjucks.Environment(new nunjucks.FileSystemLoader(views), { throwOnUndefined: true }),
    )
    const data = await captured(async () => {
      assert.match(environment.render('page.njk', given), page)
      assert.equal(environment.renderString('{{ name }}', { name: 'Ada' }), 'Ada')
      await new Promise((resolve) => environment.render('row.njk', { row: 1 }, resolve))
      assert.match(environment.getTemplate('row.njk').render({ row: 2 }), /2/)
      assert.throws(() => environment.render('row.njk', {}))
    })
    assert.deepEqual(facts(data), [
      'nunjucks test/support/views/page.njk',
      'nunjucks test/support/views/row.njk',
      'nunjucks test/support/views/row.njk',
      'nunjucks text {{ name }}',
      'nunjucks test/support/views/row.njk',
      'nunjucks test/support/views/row.njk',
      'nunjucks test/support/views/row.njk failed',
    ])
  })

  it('of handlebars: compiled ones, their partials, and those of other instances', async () => {
    const engine = observe(Handlebars)
    engine.registerPartial('row', '<p>{{this}}</p>')
    const compiled = engine.compile('<h1>{{title}}</h1>{{#each rows}}{{> row}}{{/each}}')
    const other = engine.create().compile('{{name}}')
    const data = await captured(() => {
      assert.match(compiled(given), page)
      assert.equal(other({ name: 'Ada' }), 'Ada')
      assert.throws(() => engine.compile('{{missing 1}}')({}))
    })
    assert.deepEqual(facts(data), [
      'handlebars text <h1>{{title}}</h1>{{#each rows}}{{> row}}{{/each}}',
      'handlebars text <p>{{this}}</p>',
      'handlebars text <p>{{this}}</p>',
      'handlebars text {{name}}',
      'handlebars text {{missing 1}} failed',
    ])
  })

  it('are kept up to 200 of a request, are spans of the timeline, and hide secrets', async () => {
    const eta = observe(new Eta())
    const { data, profile } = await recorded(() => {
      for (let index = 0; index < 210; index += 1) eta.renderString('Bearer abcdefghijklmnop1234', {})
    })
    const { spans } = profile.data['time'] as { readonly spans: readonly { name: string; category: string }[] }
    assert.equal(data?.entries.length, 200)
    assert.equal(data.dropped, 10)
    assert.equal(spans.filter(({ category, name }) => category === 'template' && name === 'eta').length, 200)
    assert.doesNotMatch(JSON.stringify(data), /abcdefghijklmnop1234/)
  })
})

describe('the templates panel', () => {
  it('shows templates below those that include them, repeated ones once, and their own time', () => {
    const template = { engine: 'ejs', text: null, error: null, callSite: null }
    const text = drawn({
      entries: [
        { ...template, name: 'views/page.ejs', startMs: 1, durationMs: 10, callSite: 'src/page.ts:7' },
        { ...template, name: 'views/row.ejs', startMs: 2, durationMs: 1 },
        { ...template, name: 'views/row.ejs', startMs: 3, durationMs: 3 },
        { ...template, name: 'views/foot.ejs', startMs: 6, durationMs: 2 },
        { ...template, name: null, text: '<b>', startMs: 11, durationMs: null, error: 'TypeError: <i>' },
      ],
      dropped: 3,
    })
    assert.match(text, /5 of 8 rendered templates recorded/)
    assert.match(text, /views\/page\.ejs ejs src\/page\.ts:7 1\.00 ms 10\.0 ms 4\.00 ms/)
    assert.match(text, /2 × views\/row\.ejs ejs 2\.00 ms 4\.00 ms 4\.00 ms/)
    assert.match(text, /views\/foot\.ejs ejs 6\.00 ms 2\.00 ms 2\.00 ms/)
    assert.match(text, /<b> ejs TypeError: <i> 11\.0 ms not ended/)
    assert.match(text, /were rendered by the template above/)
  })
})

async function captured(work: Work): Promise<Activities<TemplateFacts> | undefined> {
  return (await recorded(work)).data
}

function facts(data: Activities<TemplateFacts> | undefined): readonly string[] {
  return (data?.entries ?? []).map(
    ({ engine, name, text, error }) => `${engine} ${name ?? `text ${text}`}${error === null ? '' : ' failed'}`,
  )
}
