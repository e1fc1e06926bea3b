// Pages from templates, prices from a cache, texts in two languages, and a form that is checked: `/` and `/?lng=fr`, and `POST /orders`. Start it
// with `APP_ENV=dev`; in your project, import from 'fanlight' and 'fanlight/capture'.

import { Eta } from 'eta'
import i18next from 'i18next'
import { LRUCache } from 'lru-cache'
import * as v from 'valibot'
import { observe } from '../src/capture.ts'
import { createApp, json, RouteCollection, run, tag, text } from '../src/index.ts'
import { noteLookups, translations } from './translations.ts'

const eta = observe(new Eta())
eta.loadTemplate('@price', '<li><%= it.name %>: <%= it.price %></li>')
eta.loadTemplate(
  '@home',
  '<!doctype html><title><%= it.title %></title><ul><% for (const line of it.prices) { %><%~ include("@price", line) %><% } %></ul>',
)

const prices = new LRUCache<string, string>({ max: 100, ttl: 60_000 })
const texts = i18next.createInstance().use(noteLookups)
await texts.init({
  postProcess: 'fanlight',
  postProcessPassResolved: true,
  lng: 'en',
  fallbackLng: 'en',
  resources: {
    en: { translation: { title: 'Fans', tax: 'with tax' } },
    fr: { translation: { title: 'Éventails' } },
  },
})

function priceOf(name: string): string {
  const known = prices.get(name)
  if (known !== undefined) return known
  const price = `${name.length * 10}.00 EUR`
  prices.set(name, price)
  return price
}

const Order = v.object({ name: v.picklist(['ceiling', 'table']), count: v.pipe(v.number(), v.minValue(1)) })

const routes = new RouteCollection()
  .get('home', '/', ({ request }) => {
    const t = texts.getFixedT(request.query.get('lng') ?? 'en')
    const lines = ['ceiling', 'table', 'table'].map((name) => ({ name, price: `${priceOf(name)} ${t('tax')}` }))
    t('price.note', { defaultValue: '' })
    const markup = eta.render('@home', { title: t('title'), prices: lines })
    return text(markup, { headers: { 'Content-Type': 'text/html; charset=utf-8' } })
  })
  .post(
    'order',
    '/orders',
    ({ valid }) => {
      // `/_profiler/?tag=order` lists the profiles that are marked so.
      tag('order', valid.body.name)
      return json(valid.body, { status: 201 })
    },
    { body: Order },
  )

await run((context) => createApp({ context, routes, plugins: [translations] }))
