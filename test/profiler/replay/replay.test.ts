// Recorded requests that are sent again, over the addresses of a running application.

import assert from 'node:assert/strict'
import { hostname } from 'node:os'
import { describe, it } from 'node:test'
import { html, json, RouteCollection } from '../../../src/index.ts'
import { askReplay } from '../../../src/analysis/replay/ask-replay.ts'
import type { ReplayOrder, ReplayRefusal, ReplayReport } from '../../../src/analysis/replay/replay.ts'
import { replayHeader } from '../../../src/profiles/replays.ts'
import type { RawResponse } from '../../support/raw-client.ts'
import { forAll } from '../../support/for-all.ts'
import { pageText, startApp } from '../../support/running-app.ts'
import { pick } from '../../support/pick.ts'

/** What the handler has got, newest last. */
const seen: { method: string; url: string; headers: Readonly<Record<string, string>>; body: string }[] = []

const routes = new RouteCollection()
routes.get('page', '/page', ({ request }) => {
  seen.push({ method: request.method, url: request.fullUrl, headers: request.headers, body: '' })
  return html`<h1>Page</h1>`
})
routes.post(
  'order',
  '/orders',
  async ({ request }) => {
    const { method, headers, fullUrl: url } = request
    seen.push({ method, url, headers, body: await request.body.text() })
    return json({ ok: true }, { status: 201 })
  },
  { captureBody: true },
)
routes.post('quiet', '/quiet', async ({ request }) => json({ length: (await request.body.text()).length }))
routes.get('failing', '/failing', () => {
  throw new TypeError('no price')
})
const app = await forAll(startApp({ routes }))

async function recorded(target: string, init: RequestInit = {}): Promise<string> {
  const response = await fetch(`${app.url}${target}`, init)
  await response.arrayBuffer()
  return response.headers.get('x-debug-token') ?? assert.fail('not recorded')
}

const ask = async (order: Partial<ReplayOrder> & Pick<ReplayOrder, 'token'>): ReturnType<typeof askReplay> =>
  askReplay({ url: new URL('/_profiler', app.url) }, { isConfirmed: false, ...order })

async function sent(order: Partial<ReplayOrder> & Pick<ReplayOrder, 'token'>): Promise<ReplayReport> {
  const answer = await ask(order)
  assert.ok(answer.state === 'sent', JSON.stringify(answer))
  return answer.report
}

async function refused(order: Partial<ReplayOrder> & Pick<ReplayOrder, 'token'>): Promise<ReplayRefusal> {
  const answer = await ask(order)
  assert.ok(answer.state === 'refused', JSON.stringify(answer))
  return answer
}

/** As a browser sends a form of the page. */
async function post(token: string, fields: Readonly<Record<string, string>>, from = fromHere): Promise<RawResponse> {
  const headers = ['Content-Type: application/x-www-form-urlencoded', 'Accept: text/html', ...from]
  const body = new URLSearchParams(fields).toString()
  return app.send({ method: 'POST', target: `/_profiler/${token}/replay`, headers, body })
}
const fromHere = ['Origin: null', 'Sec-Fetch-Site: same-origin']

describe('a replay', () => {
  it('sends the recorded request, and its profile says of what it is one', async () => {
    const accept = {
      accept: 'text/html;q=0.9',
      'sec-fetch-dest': 'document',
      traceparent: `00-${'1'.repeat(32)}-${'2'.repeat(16)}-01`,
    }
    const token = await recorded('/page?sort=a%20b&page=2', { headers: accept })
    const { of, run, compared } = await sent({ token })
    assert.deepEqual([of.token, run.status, run.problem], [token, 200, null])
    const [before, now] = seen.slice(-2)
    const { 'content-length': _, ...rest } = now?.headers ?? {}
    assert.deepEqual(now?.url, before?.url)
    assert.equal(rest['accept'], 'text/html;q=0.9')
    assert.equal(rest['sec-fetch-dest'], 'document')
    assert.deepEqual(
      Object.keys(rest).filter((name) => name === replayHeader || name === 'traceparent'),
      [],
    )
    const profile = await app.profiles.read(run.token ?? '')
    assert.equal(profile?.replayOf, token)
    assert.notEqual(profile?.traceId, '1'.repeat(32))
    assert.equal((await app.profiles.read(token))?.replayOf, null)
    const answer = compared?.comparison.sections.find(({ name }) => name === 'answer')
    assert.deepEqual(answer?.differences, [])

    const page = pageText((await app.send({ target: `/_profiler/${run.token}` })).body)
    assert.match(page, new RegExp(`Replay of ${token}`))
    const list = pageText((await app.send({ target: '/_profiler/' })).body)
    assert.match(list, /replay/)
  })

  it('is edited: headers, parameters, body', async () => {
    const body = '{"sku":"a","amount":1}'
    const token = await recorded('/orders?dry=1&b=2', {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json' },
    })
    await sent({ token, isConfirmed: true })
    assert.deepEqual([seen.at(-1)?.body, seen.at(-1)?.method], [body, 'POST'])
    await sent({
      token,
      isConfirmed: true,
      headers: [
        ['X-Own', 'ä'],
        ['Accept', ''],
        ['cookie', 'a=1'],
      ],
      query: [
        ['dry', '0'],
        ['c', '&'],
      ],
      body: '{"sku":"b"}',
    })
    const { url, headers, body: edited } = seen.at(-1) ?? assert.fail()
    assert.equal(new URL(url).search, '?b=2&dry=0&c=%26')
    assert.deepEqual(
      [headers['x-own'], headers['accept'], headers['cookie'], edited],
      ['ä', undefined, 'a=1', '{"sku":"b"}'],
    )
    assert.equal(headers['content-type'], 'application/json')
  })

  it('asks for what was masked or not captured, by name', async () => {
    const masked = await recorded('/page?token=abc', { headers: { authorization: 'Bearer abc', cookie: 'theme=dark' } })
    const count = seen.length
    const { reason, problem, missing } = await refused({ token: masked })
    assert.equal(reason, 'incomplete')
    assert.match(problem, /^Masked when recorded: header authorization, cookie theme, query token\. Give new values/)
    assert.deepEqual(pick(missing, 'name'), ['authorization', 'theme', 'token'])
    assert.equal(seen.length, count, 'nothing was sent')
    await sent({ token: masked, withoutMasked: true })
    const bare = seen.at(-1) ?? assert.fail()
    assert.deepEqual(
      [bare.headers['authorization'], bare.headers['cookie'], new URL(bare.url).search],
      [undefined, undefined, ''],
    )
    await sent({
      token: masked,
      headers: [
        ['authorization', ''],
        ['cookie', 'theme=light'],
      ],
      query: [['token', 'new']],
    })
    assert.equal(seen.at(-1)?.headers['cookie'], 'theme=light')

    const secret = {
      method: 'POST',
      body: '{"sku":"a","password":"geheim"}',
      headers: { 'content-type': 'application/json' },
    }
    const body = await recorded('/orders', secret)
    assert.match((await refused({ token: body, isConfirmed: true })).problem, /body password/)
    assert.match(
      (await refused({ token: body, isConfirmed: true, body: '{"password":"******"}' })).problem,
      /still masked/,
    )
    await sent({ token: body, isConfirmed: true, withoutMasked: true })
    assert.equal(seen.at(-1)?.body, '{"sku":"a"}')

    const quiet = await recorded('/quiet', { method: 'POST', body: 'abc' })
    assert.match(
      (await refused({ token: quiet, isConfirmed: true })).problem,
      /neither JSON nor a form\. captureBodies: true keeps others, too\. Give one\.$/,
    )
    assert.equal((await sent({ token: quiet, isConfirmed: true, body: 'abcdef' })).run.status, 200)
  })

  it('asks before a method that may change something', async () => {
    const token = await recorded('/orders', { method: 'POST', body: 'x' })
    const count = seen.length
    assert.equal((await refused({ token })).reason, 'unconfirmed')
    assert.equal(seen.length, count)
    const page = await app.send({ target: `/_profiler/${token}/replay` })
    assert.match(pageText(page.body), /POST may change something/)
    const confirm = /name="confirm" value="([^"]+)"/.exec(page.body)?.[1] ?? assert.fail('no ticket')
    const other = await recorded('/orders', { method: 'POST', body: 'y' })
    assert.equal((await post(other, { confirm })).status, 409, 'a ticket is for one profile')
    const next = await app.send({ target: `/_profiler/${token}/replay` })
    const ticket = /name="confirm" value="([^"]+)"/.exec(next.body)?.[1] ?? assert.fail('no ticket')
    const done = await post(token, { confirm: ticket, text: 'x', headers: 'Accept: text/plain\r\n' })
    assert.deepEqual([done.status, seen.at(-1)?.body], [302, 'x'])
    assert.match(done.header('location') ?? '', new RegExp(`^/_profiler/compare\\?a=[0-9a-z]+&b=${token}$`))
    assert.equal((await post(token, { confirm: ticket })).status, 409, 'a ticket is valid once')
  })

  it('is told as Markdown', async () => {
    const token = await recorded('/page')
    const markdown = await app.send({ method: 'POST', target: `/_profiler/${token}/replay.md`, headers: fromHere })
    assert.match(markdown.body, /^# Replay of `GET http[^\n]*\n\n## Replay\n\n- recorded: status `200`/)
  })

  it('keeps its profile whatever the rules of recording say', async () => {
    let isBroken = true
    const routes = new RouteCollection().get('once', '/once', () => {
      if (isBroken) throw new Error('broken')
      return html`<p>mended</p>`
    })
    await using other = await startApp({ routes })
    const response = await fetch(`${other.url}/once`)
    const token = response.headers.get('x-debug-token') ?? ''
    await response.arrayBuffer()
    isBroken = false
    const answer = await askReplay({ url: new URL('/_profiler', other.url) }, { token, isConfirmed: false })
    assert.equal(answer.state === 'sent' && answer.report.run.status, 200)
    assert.equal(answer.state === 'sent' && answer.report.run.problem, null)
  })

  it('goes only to the application that recorded the request', async () => {
    const token = await recorded('/page')
    const profile = (await app.profiles.read(token)) ?? assert.fail()
    const imported = async (parts: Partial<typeof profile>, config: Record<string, unknown> = {}): Promise<string> => {
      const known = profile.data['config']
      assert.ok(typeof known === 'object' && known !== null)
      return problemOf({ ...profile, ...parts, data: { ...profile.data, config: { ...known, ...config } } })
    }
    const problemOf = async (given: typeof profile): Promise<string> => {
      const { whatToSend } = await import('../../../src/analysis/replay/replay.ts')
      const recordedBy = { service: profile.service, host: hostname() }
      const found = whatToSend(given, { profilerPath: '/_profiler', recordedBy })
      return 'reason' in found ? `${found.reason}: ${found.problem}` : 'sent'
    }
    assert.equal(await imported({}), 'sent')
    assert.match(await imported({ service: 'billing' }), /^elsewhere: .*by the service billing; this is/)
    assert.match(await imported({}, { host: 'other-machine' }), /^elsewhere: .*on the machine other-machine/)
    assert.match(await imported({}, { host: undefined }), /^elsewhere: .*on an unknown machine/)
    assert.match(await imported({ url: `${app.url}/_profiler/` }), /^impossible: This is a request to the profiler/)
  })

  it('says what cannot be used', async () => {
    const token = await recorded('/page')
    assert.equal((await refused({ token: 'abcdefghij' })).reason, 'gone')
    assert.match((await refused({ token, headers: [['Host', 'x']] })).problem, /"Host" stays as it was recorded/)
    assert.match((await refused({ token, headers: [['a b', 'x']] })).problem, /"a b" is not a name/)
    assert.match((await refused({ token, headers: [['a', 'x\r\nb: c']] })).problem, /character that cannot be sent/)
    assert.match((await refused({ token, headers: [['content-length', '1']] })).problem, /made by the sender/)
    for (const [fields, problem] of [
      [{ value: '1' }, /Unknown field "value"\. Did you mean "values"\?/],
      [{ headers: 'no colon' }, /"no colon" is not valid\. Use a name, a colon and a value/],
    ] as const) {
      const page = await post(token, fields)
      assert.equal(page.status, 400)
      assert.match(pageText(page.body), problem)
    }
    const typed = { headers: '\nX-Page: <1>\nno colon', text: '\n\na' }
    const order = await recorded('/orders', { method: 'POST', body: '{}' })
    const again = await post(order, typed)
    // Browsers leave out the first line break.
    assert.match(again.body, /<textarea[^>]*name="headers"[^>]*>\n\nX-Page: &lt;1&gt;\nno colon<\/textarea/)
    assert.match(again.body, /<textarea[^>]*name="text"[^>]*>\n\n\na<\/textarea/)
    assert.match((await app.send({ target: `/_profiler/${order}/replay` })).body, /name="text"[^>]*>\n\{\}<\/textarea/)
    const away = await askReplay({ url: new URL('http://127.0.0.1:1/_profiler') }, { token, isConfirmed: false })
    assert.ok(
      away.state === 'refused' &&
        /No application responds at http:\/\/127\.0\.0\.1:1: .*ECONNREFUSED/.test(away.problem),
    )
    const elsewhere = await askReplay({ url: new URL('http://example.org/_profiler') }, { token, isConfirmed: false })
    assert.ok(elsewhere.state === 'refused' && elsewhere.problem.startsWith('example.org is not this machine'))
    const notOurs = await askReplay({ url: new URL('/nothing', app.url) }, { token, isConfirmed: false })
    assert.ok(notOurs.state === 'refused' && /There is no profiler at/.test(notOurs.problem), JSON.stringify(notOurs))
  })

  it('is sent by nobody else', async () => {
    const token = await recorded('/page')
    const count = seen.length
    for (const from of [[], ['Origin: http://evil.example', 'Sec-Fetch-Site: cross-site'], ['Origin: null']]) {
      assert.equal((await post(token, {}, from)).status, 403)
    }
    assert.equal((await app.send({ method: 'PUT', target: `/_profiler/${token}/replay` })).status, 405)
    assert.equal(seen.length, count)
  })

  it('is not what a request says by itself', async () => {
    const token = await recorded('/page', { headers: { [replayHeader]: 'a'.repeat(32) } })
    assert.equal((await app.profiles.read(token))?.replayOf, null)
    assert.equal(seen.at(-1)?.headers[replayHeader], 'a'.repeat(32))
  })
})
