// The answers of the profiler's routes to hostile and unusual requests, over a real socket.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { json } from '../../../src/index.ts'
import { forAll } from '../../support/for-all.ts'
import { shopRoutes, startApp } from '../../support/running-app.ts'

const running = await forAll(startApp())
const token = (await running.send({ target: '/error?x=1' })).header('x-debug-token') ?? ''

describe('ProfilerController: tokens (T60–T63)', () => {
  const forms = [
    { ending: '.json', accept: 'application/json', said: '{"error":"There is no such profile."}' },
    { ending: '.md', accept: 'text/markdown', said: 'There is no such profile.\n' },
  ]
  for (const { ending, accept, said } of forms) {
    it(`says the same as ${accept}, to who asks for it by ${ending} or by Accept`, async () => {
      const asked = ['zzzzzzzzzzzz', 'short', '%00', 'TOKEN.json', 'a/b', token.toUpperCase()]
      const requests = asked.flatMap((one) => [
        { target: `/_profiler/${one}${ending}` },
        { target: `/_profiler/${one.replace('.', '')}`, headers: [`Accept: ${accept}`] },
      ])
      for (const one of [...requests, { target: `/_profiler/export${ending}?token=zzzzzzzzzzzz` }]) {
        const response = await running.send(one)
        assert.deepEqual([response.status, response.body], [404, said], one.target)
        assert.equal(response.header('content-type'), `${accept}; charset=utf-8`)
      }
    })
  }

  it('lets the ending win over Accept, as for a profile that is there', async () => {
    const headers = ['Accept: application/json']
    const markdown = await running.send({ target: '/_profiler/zzzzzzzzzzzz.md', headers })
    assert.deepEqual([markdown.status, markdown.body], [404, 'There is no such profile.\n'])
  })

  it('asks who it is first: a refusal is the same bytes whatever the ending', async () => {
    const headers = ['Host: elsewhere.example']
    const bodies = await Promise.all(
      ['zzzzzzzzzzzz', 'zzzzzzzzzzzz.json', 'short.md'].map(async (one) => {
        const { status, body } = await running.send({ target: `/_profiler/${one}`, headers })
        return `${status} ${body}`
      }),
    )
    assert.equal(new Set(bodies).size, 1)
    assert.doesNotMatch(bodies[0] ?? '', /no such profile/i)
  })
})

describe('ProfilerController: panel and type (T64, T65)', () => {
  it('names an unknown panel or type, and what is allowed', async () => {
    const wrong = async (query: string): Promise<string> =>
      (await running.send({ target: `/_profiler/${token}?${query}`, headers: ['Accept: application/json'] })).body
    assert.match(
      await wrong('panel=loger'),
      /^\{"error":"There is no panel \\"loger\\"\. Did you mean \\"logger\\"\?","type":"request","panels":\["request",/,
    )
    assert.match(await wrong('panel=logger&type=job'), /"There is no type \\"job\\"\. Use request\."/)
    const latest = await running.send({ target: '/_profiler/latest?panel=%3Ci%3E' })
    assert.match(latest.header('location') ?? '', /^\/_profiler\/[0-9a-z]+\?panel=%3Ci%3E&type=request$/)
  })

  it('offers no panels of commands to a request', async () => {
    const target = `/_profiler/${token}?panel=nothing`
    assert.doesNotMatch((await running.send({ target })).body, /panel=command/)
    const { panels } = JSON.parse((await running.send({ target, headers: ['Accept: application/json'] })).body)
    assert.ok(panels.includes('logger') && !panels.includes('command'))
  })

  it('takes panel[]= and a doubled panel for what they are', async () => {
    assert.equal((await running.send({ target: `/_profiler/${token}?panel[]=request` })).status, 200)
    assert.equal((await running.send({ target: `/_profiler/${token}?panel=logger&panel=nothing` })).status, 200)
    assert.equal((await running.send({ target: `/_profiler/${token}?panel=nothing&panel=logger` })).status, 404)
  })
})

describe('ProfilerController: JSON', () => {
  const json = ['Accept: application/json']
  it('gives a whole profile, or one panel of it', async () => {
    const whole = JSON.parse((await running.send({ target: `/_profiler/${token}`, headers: json })).body)
    assert.equal(whole.token, token)
    assert.ok(Object.keys(whole.data).includes('exception') && Object.keys(whole.data).includes('logger'))
    const part = JSON.parse((await running.send({ target: `/_profiler/${token}?panel=logger`, headers: json })).body)
    assert.deepEqual(Object.keys(part.data), ['logger'])
    const none = await running.send({ target: `/_profiler/${token}?panel=nothing`, headers: json })
    assert.equal(none.status, 404)
    assert.ok(JSON.parse(none.body).panels.includes('request'))
  })
})

it('the profiler’s routes beside a catch-all of the application: are asked first, so that the profiler stays reachable', async () => {
  const routes = shopRoutes()
  routes.any('everything', '/{path<.*>}', ({ request: { params } }) => json({ path: params.path }))
  await using catching = await startApp({ routes })
  assert.equal((await catching.send({ target: '/anything/at/all' })).status, 200)
  const list = await catching.send({ target: '/_profiler/' })
  assert.match(list.body, /<title>Requests · Fanlight<\/title>/)
})
