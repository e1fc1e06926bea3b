// Comparisons over a real socket: real profiles, a token that was removed, parts that differ, a route without others.

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { json } from '../../../../src/index.ts'
import { makeTemporaryDirectory } from '../../../support/temporary-directory.ts'
import { forAll } from '../../../support/for-all.ts'
import { pageText, shopRoutes, startApp } from '../../../support/running-app.ts'

const routes = shopRoutes()
routes.get('orders', '/orders/{count}', ({ request: { params }, log }) => {
  const count = Number(params.count)
  if (count > 3) log.warn('There are many orders.')
  return json(Array.from({ length: count }, () => 'order'))
})
routes.get('once', '/once', () => json('once'))
const running = await forAll(startApp({ routes }))

async function profiled(target: string, headers: readonly string[] = []): Promise<string> {
  return (await running.send({ target, headers })).header('x-debug-token') ?? ''
}

describe('comparePage', () => {
  it('compares two profiles: what differs with numbers, what is equal folded', async () => {
    const a = await profiled('/orders/9', ['Accept-Language: de'])
    const b = await profiled('/orders/2')
    const { status, body } = await running.send({ target: `/_profiler/compare?a=${a}&b=${b}` })
    assert.equal(status, 200)
    const text = pageText(body).replace(/\s+/g, ' ')
    assert.match(text, /Second GET http:\/\/127\.0\.0\.1:\d+\/orders\/9/)
    assert.match(text, /warn: There are many orders\. only second 0 → 1 \+1/)
    assert.match(text, /accept-language none de/)
    assert.match(text, /response size 17 B → 73 B \+56 B \(\+329 %\)/)
    assert.match(text, /Configuration \d+ equal/)
    assert.match(body, /data-run-again="\/orders\/9 \/orders\/2"\s+data-measure="code"/)
    const other = await profiled(
      '/api',
      Array.from({ length: 12 }, (_, index) => `X-Own-${index}: 1`),
    )
    const unlike = (await running.send({ target: `/_profiler/compare?a=${other}&b=${b}` })).body
    assert.match(unlike, /<summary>12 names on one side only<\/summary>[^]*x-own-11/)
  })

  it('gathers what is the same as a whole at the end, and is named after both sides', async () => {
    const a = await profiled('/orders/3')
    const b = await profiled('/orders/2')
    const { body } = await running.send({ target: `/_profiler/compare?a=${a}&b=${b}` })
    const titles = [...body.matchAll(/<h2>([^<]+)<\/h2>/g)].map(([, name]) => name)
    assert.equal(titles.at(-1), 'Identical')
    assert.ok(!titles.includes('Request headers'))
    const same = pageText(body.slice(body.indexOf('<h2>Identical'))).replace(/\s+/g, ' ')
    assert.match(same, /Identical .*Request headers \d equal host/)
    assert.match(body, /<title>Comparison: 200 GET \/orders\/3 with 200 GET \/orders\/2 · Fanlight<\/title>/)
  })

  it('names the versions of the application where they differ', async (t) => {
    const directory = makeTemporaryDirectory(t)
    const tokens: string[] = []
    for (const version of ['2.0.0', '2.1.0']) {
      const env = { APP_STORE: `sqlite:${join(directory, 'store.db')}`, APP_VERSION: version }
      await using app = await startApp({ env })
      tokens.push((await app.send({ target: '/products' })).header('x-debug-token') ?? '')
      if (version === '2.0.0') continue
      const { body } = await app.send({ target: `/_profiler/compare?a=${tokens[1]}&b=${tokens[0]}` })
      const sides = pageText(body.slice(body.indexOf('compare-sides"'), body.indexOf('id="compare-'))).replace(
        /\s+/g,
        ' ',
      )
      assert.match(sides, /First GET .+ Version 2\.0\.0 .+ Second GET .+ Version 2\.1\.0 /)
    }
  })

  it('offers the newest profiles to begin with, and leads on from the one that is chosen', async () => {
    const newest = await profiled('/orders/2')
    const { body } = await running.send({ target: '/_profiler/compare' })
    assert.match(pageText(body), /Recent profiles/)
    assert.match(body, new RegExp(`href="/_profiler/compare\\?a=${newest}"`))
    const next = await running.send({ target: `/_profiler/compare?a=${newest}` })
    assert.match(pageText(next.body), /Other requests to this route/)
    assert.match(next.body, new RegExp(`href="/_profiler/compare\\?a=${newest}&amp;b=[0-9a-z]{12}"`))
  })

  it('asks for two where more rows are ticked', async () => {
    const [a, b, c] = [await profiled('/orders/1'), await profiled('/orders/2'), await profiled('/orders/3')]
    const { status, body } = await running.send({ target: `/_profiler/compare?with=${a}&with=${b}&with=${c}` })
    assert.equal(status, 400)
    assert.match(pageText(body), /3 profiles are selected\. Select two\./)
    const two = await running.send({ target: `/_profiler/compare?with=${a}&with=${b}` })
    assert.equal(two.header('location'), `/_profiler/compare?a=${a}&b=${b}`)
  })

  it('gives the same as JSON and as Markdown', async () => {
    const a = await profiled('/orders/9')
    const b = await profiled('/orders/2')
    const asJson = await running.send({ target: `/_profiler/compare.json?a=${a}&b=${b}` })
    const { sections } = JSON.parse(asJson.body) as { sections: { name: string; differences: { name: string }[] }[] }
    const summary = sections.find(({ name }) => name === 'summary')?.differences.map(({ name }) => name)
    assert.ok(summary?.includes('response size') && summary.includes('log lines'))
    const { body } = await running.send({ target: `/_profiler/compare.md?a=${a}&b=${b}` })
    assert.match(body, /^# Compare profiles/)
    assert.match(body, /- `log lines`: first → second 1 → 2 `\+1 \(\+100 %\)`/)
  })

  it('takes latest for the newest profile, and refuses what the address cannot mean', async () => {
    const b = await profiled('/orders/2')
    const a = await profiled('/orders/9')
    const newest = await running.send({ target: `/_profiler/compare.md?a=latest&b=${b}` })
    assert.match(newest.body, new RegExp(`- Second: .+ \\(${a}\\)`))
    const malformed = await running.send({ target: '/_profiler/compare.md?a=x' })
    assert.deepEqual([malformed.status, malformed.body.split('`')[1]?.slice(0, 21)], [400, 'A: "x" is not valid. '])
    const doubled = await running.send({ target: `/_profiler/compare.md?a=${a}&a=${b}&b=${b}` })
    assert.equal(doubled.status, 400)
    assert.match(doubled.body, /A: ".+" and ".+" cannot be combined\. Use one value\./)
  })

  it('compares a profile with the median of the others of its route', async () => {
    for (const count of [1, 1, 1, 2]) await profiled(`/orders/${count}`)
    const a = await profiled('/orders/9')
    const { body } = await running.send({ target: `/_profiler/compare?a=${a}&b=median` })
    const text = pageText(body).replace(/\s+/g, ' ')
    assert.match(text, /the median of \d+ others of GET on the route orders/)
    assert.doesNotMatch(text, /says little/)
  })

  it('says so where a route has few others, or none', async () => {
    const first = await profiled('/once')
    const none = await running.send({ target: `/_profiler/compare?a=${first}&b=median` })
    assert.equal(none.status, 404)
    assert.match(none.body, /There is no other profile of GET on the route once: a median needs one\./)
    const second = await profiled('/once')
    const few = await running.send({ target: `/_profiler/compare?a=${second}&b=median` })
    assert.equal(few.status, 200)
    assert.match(pageText(few.body).replace(/\s+/g, ' '), /A median of 1 profile says little/)
    const lost = await profiled('/nowhere')
    const routeless = await running.send({ target: `/_profiler/compare.json?a=${lost}&b=median` })
    assert.equal(routeless.status, 404)
    assert.match(routeless.body, /No route matched this request/)
  })

  it('names the side whose profile is not there, and repeats nothing but a token', async () => {
    const there = await profiled('/api')
    const b = await running.send({ target: `/_profiler/compare?a=${there}&b=zzzzzzzzzzzz` })
    assert.equal(b.status, 404)
    assert.match(b.body, /There is no profile B, zzzzzzzzzzzz: it was never recorded/)
    const a = await running.send({ target: `/_profiler/compare.json?a=%3Cscript%3E&b=${there}` })
    assert.equal(a.status, 404)
    assert.match(a.body, /There is no profile A: it was never/)
    assert.ok(!a.body.includes('script'))
  })

  it('compares a request with one that failed, whatever their collectors have', async () => {
    const failed = await profiled('/error')
    const fine = await profiled('/api')
    const { status, body } = await running.send({ target: `/_profiler/compare?a=${failed}&b=${fine}` })
    assert.equal(status, 200)
    assert.match(pageText(body).replace(/\s+/g, ' '), /status 200 500/)
  })

  it('is reached from the list by two boxes, from a profile by links, and asks for what is missing', async () => {
    const a = await profiled('/api')
    const b = await profiled('/api')
    const chosen = await running.send({ target: `/_profiler/compare?with=${a}&with=${b}` })
    assert.equal(chosen.status, 302)
    assert.equal(chosen.header('location'), `/_profiler/compare?a=${a}&b=${b}`)
    const profile = await running.send({ target: `/_profiler/${a}` })
    assert.ok(profile.body.includes(`href="/_profiler/compare?a=${a}"`))
    const choice = await running.send({ target: `/_profiler/compare?a=${a}` })
    assert.equal(choice.status, 200)
    assert.ok(choice.body.includes(`href="/_profiler/compare?a=${a}&amp;b=median"`))
    assert.ok(choice.body.includes(`href="/_profiler/compare?a=${a}&amp;b=${b}"`))
    assert.equal((await running.send({ target: '/_profiler/compare' })).status, 200)
    const list = await running.send({ target: '/_profiler/' })
    assert.ok(list.body.includes(`value="${a}"`))
  })
})
