// Translations in the profile: `i18next` as it is, observed, and loaded after the load hooks in an Express application.

import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { describe, it } from 'node:test'
import express from 'express'
import imported, { type i18n as Instance } from 'i18next'
import { observe } from '../../../src/capture.ts'
import { captureHooks } from '../../../src/integrations/captures/capture-hooks.ts'
import { installLoadHooks } from '../../../src/integrations/load-hooks.ts'
import type { TranslationsData } from '../../../src/profiler/collectors/translations.ts'
import { translationsPanel } from '../../../src/profiler/web/panels/translations.ts'
import { ask, listen, profileOf as profileBehind, tokenOf } from '../../integrations/served.ts'
import { profileOf, startWorking, type Work } from '../../support/captured.ts'
import { notingObserver } from '../../support/integration-observer.ts'
import { pageText } from '../../support/page-text.ts'

process.env['APP_ENV'] = 'test'
process.env['APP_STORE'] = 'memory:'
const { fanlight } = await import('../../../src/express.ts')

const settings = {
  lng: 'de-AT',
  fallbackLng: 'en',
  ns: ['shop', 'mail'],
  defaultNS: 'shop',
  resources: {
    de: { shop: { title: 'Laden', items_one: 'ein Stück', items_other: '{{count}} Stück' } },
    en: { shop: { title: 'Shop', only: 'Only English' }, mail: { greeting: 'Hello $t(shop:title)' } },
  },
} as const

describe('translations', () => {
  it('shows missing keys, texts in another language, and the rest, each once', async () => {
    const made = imported.createInstance()
    const i18n = observe(made)
    assert.equal(i18n, made)
    await i18n.init(settings)
    const fixed = i18n.getFixedT('fr', 'mail')
    const clone = i18n.cloneInstance({ lng: 'en' })
    const data = await captured(() => {
      for (let turn = 0; turn < 3; turn += 1) assert.equal(i18n.t('title'), 'Laden')
      assert.equal(i18n.t('items', { count: 3 }), '3 Stück')
      assert.equal(i18n.t('only'), 'Only English')
      assert.equal(i18n.t('nothing'), 'nothing')
      assert.equal(i18n.t('nothing', { lng: 'en', defaultValue: 'a default' }), 'a default')
      assert.equal(i18n.t(['absent', 'title']), 'Laden')
      assert.match(fixed('greeting'), /^Hello /)
      assert.equal(clone.t('title'), 'Shop')
      assert.equal(i18n.t('title', { lng: 'cimode' }), 'title')
    })
    assert.deepEqual(facts(data), [
      'shop:title de-AT de found',
      'shop:items de-AT de found',
      'shop:only de-AT en fallback',
      'shop:nothing de-AT null missing',
      'shop:nothing en null missing',
      'mail:greeting fr en fallback',
      'shop:title en en found',
    ])
    assert.match(data?.entries[0]?.callSite ?? '', /^test\/profiler\/capture\/translations\.test\.ts:\d+$/)
  })

  it('keeps 500 keys of a request, 200 characters of each', async () => {
    const i18n = observe(imported.createInstance())
    await i18n.init({ lng: 'en', resources: {} })
    const data = await captured(() => {
      for (let index = 0; index < 510; index += 1) i18n.t(`${index}${'k'.repeat(300)}`)
    })
    assert.equal(data?.entries.length, 500)
    assert.equal(data.dropped, 10)
    assert.equal(data.entries[0]?.key.length, 200)
  })

  it('shows them in Express without a line of code, where i18next was loaded after the load hooks', async (test) => {
    const observer = notingObserver()
    installLoadHooks(captureHooks, [], observer)
    const loaded = createRequire(import.meta.url)('i18next') as Instance
    await loaded.init(settings)
    const app = fanlight(express())
    const { t } = loaded
    app.get('/', (_, response) => void response.send(t('only')))
    const { port } = await listen(test, app)
    const got = await ask(port)
    assert.equal(got.text, 'Only English')
    const { data } = await profileBehind(port, tokenOf(got))
    assert.deepEqual(facts(data['translations'] as TranslationsData), ['shop:only de-AT en fallback'])
    assert.deepEqual(observer.notes, [])
  })
})

describe('the translations panel', () => {
  it('shows missing keys first, and escapes them', () => {
    const entry = { library: 'i18next', namespace: 'shop', startMs: 1, durationMs: null, error: null, callSite: null }
    const found = { ...entry, key: 'title', language: 'de', usedLanguage: 'de', outcome: 'found' } as const
    const markup = String(
      translationsPanel.render(
        {
          entries: [
            found,
            { ...found, key: 'only', usedLanguage: 'en', outcome: 'fallback' },
            { ...found, key: '<b>', usedLanguage: null, outcome: 'missing', callSite: 'src/page.ts:7' },
          ],
          dropped: 2,
        },
        {} as never,
      ),
    )
    assert.doesNotMatch(markup, /<code><b>/)
    const text = pageText(markup)
    assert.match(text, /3 of 5 keys recorded/)
    assert.match(text, /5Keys 1Missing 1In another language/)
    assert.match(text, /<b> shop · src\/page\.ts:7 de missing only shop de fallback en Found 1 .*title shop de found/)
  })

  it('says what is captured where there is nothing', async () => {
    assert.match(
      pageText(String(translationsPanel.render(undefined, {} as never))),
      /Nothing was translated.*observe\(\)/,
    )
    assert.equal(await captured(() => undefined), undefined)
  })
})

async function captured(work: Work): Promise<TranslationsData | undefined> {
  const failures: unknown[] = []
  await using app = await startWorking(async (exchange) => {
    try {
      await work(exchange)
    } catch (thrown) {
      failures.push(thrown)
    }
  })
  const profile = await profileOf(app)
  assert.deepEqual(failures, [])
  // Only the collector keeps something under the name.
  return profile.data['translations'] as TranslationsData | undefined
}

function facts(data: TranslationsData | undefined): readonly string[] {
  return (data?.entries ?? []).map(
    ({ namespace, key, language, usedLanguage, outcome }) =>
      `${namespace}:${key} ${language} ${usedLanguage} ${outcome}`,
  )
}
