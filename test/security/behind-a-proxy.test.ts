// Threats T120–T178: proxies, tunnels and foreign hosts that lead the world to the profiler, the toolbar and the debug error page.

import assert from 'node:assert/strict'
import { networkInterfaces } from 'node:os'
import { describe, it } from 'node:test'
import type { AccessQuestion } from '../../src/pages/profiler-access.ts'
import { httpClient } from '../support/agent-client.ts'
import { attackedApp, profilePages, tokenOf } from '../support/attacked-app.ts'
import type { RawResponse } from '../support/raw-client.ts'
import { startApp, type RunningApp } from '../support/running-app.ts'
import { runFile } from '../support/running-process.ts'
import { requestBytes, wire } from '../support/wire.ts'

const running = await attackedApp()
const token = tokenOf(await running.send({ target: '/first' }))

const formats = ['text/html', 'application/json', 'text/markdown', 'text/plain']

/** What a client sees of the profiler, of the toolbar and of an error. */
interface Sight {
  readonly profiler: boolean
  readonly toolbar: boolean
  readonly error: boolean
}

const nothing: Sight = { profiler: false, toolbar: false, error: false }
const everything: Sight = { profiler: true, toolbar: true, error: true }

async function sight(
  app: RunningApp,
  headers: readonly string[],
  version = '1.1',
  host?: string,
  asked: readonly string[] = formats,
): Promise<Sight> {
  const named = headers.some((line) => /^host:/i.test(line)) ? headers : [`Host: 127.0.0.1:${app.port}`, ...headers]
  const ask = async (target: string, ...more: string[]): Promise<RawResponse> => {
    const bytes = requestBytes(`GET ${target} HTTP/${version}`, [...named, ...more])
    const [response] = (await wire(app.port, bytes, host === undefined ? {} : { host })).responses
    assert.ok(response, target)
    return response
  }
  const profiler = await ask('/_profiler/')
  assert.ok(profiler.status === 200 || profiler.status === 403)
  const toolbar = await ask('/products', 'User-Agent: Mozilla/5.0')
  assert.equal(toolbar.status, 200)
  const shown = new Set<boolean>()
  for (const format of asked) {
    const error = await ask('/error', `Accept: ${format}`)
    assert.equal(error.status, 500)
    shown.add(/outer trouble|inner trouble|running-app/.test(error.body))
    const miss = await ask('/nope', `Accept: ${format}`)
    assert.equal(miss.status, 404)
    shown.add(miss.body.includes('No route'))
  }
  assert.equal(shown.size, 1, 'every format shows the same')
  return {
    profiler: profiler.status === 200,
    toolbar: toolbar.body.includes('fanlight-toolbar'),
    error: shown.has(true),
  }
}

/** The address that was printed at the start, and what it is exchanged for. */
async function enter(app: RunningApp, ...headers: string[]): Promise<{ response: RawResponse; cookie: string }> {
  const response = await app.send({ target: app.app.profilerEntry ?? '', headers })
  return { response, cookie: `Cookie: ${(response.header('set-cookie') ?? '').split(';')[0]}` }
}

describe('a proxy on the same machine', () => {
  it('shows everything to this machine', async () => {
    assert.deepEqual(await sight(running, []), everything)
  })

  for (const header of [
    'X-Forwarded-For: 203.0.113.9',
    'X-Forwarded-For: 127.0.0.1',
    'x-forwarded-for:',
    'X-Forwarded-Host: shop.example',
    'X-Forwarded-Proto: https',
    'X-Forwarded-Anything: 1',
    'Forwarded: for=203.0.113.9',
    'X-Real-IP: 203.0.113.9',
    'VIA: 1.1 proxy',
    'CF-Connecting-IP: 203.0.113.9',
    'True-Client-IP: 203.0.113.9',
    'CDN-Loop: cloudflare',
    'X-Original-Host: shop.example',
    'X-HAProxy-Current-Host: shop.example',
    'X-Render-Origin-Server: Render',
    'X-Varnish: 32770',
    'X-BlueCoat-Via: 0a1b',
    'X-Kong-Request-Id: 0a1b',
    'Z-Forwarded-For: 203.0.113.9',
    'Proxy-Connection: keep-alive',
    'X-HTTP-Host-Override: shop.example',
    'X-Envoy-External-Address: 203.0.113.9',
    'X-Azure-ClientIP: 203.0.113.9',
    'X-Appengine-User-IP: 203.0.113.9',
    'X-Arr-ClientIP: 203.0.113.9',
    'CF-Ray: 230b030023ae2822-SJC',
    'CloudFront-Viewer-Address: 203.0.113.9:443',
    'X-Amzn-Trace-Id: Root=1-67891233-abcdef012345678912345678',
    'X-Amz-Cf-Id: zq',
    'Fastly-SSL: 1',
    'Fly-Forwarded-Port: 443',
    'X-Akamai-Edgescape: georegion=1',
    'X-Request-Start: t=1700000000',
    'X-Vercel-Id: fra1::zq',
    'X-NF-Client-Connection-IP: 203.0.113.9',
    'Tailscale-User-Login: ann@shop.example',
    'ngrok-skip-browser-warning: 1',
    'DO-Connecting-IP: 203.0.113.9',
    'Client-IP: 203.0.113.9',
    'X-Remote-Addr: 203.0.113.9',
    'WL-Proxy-Client-IP: 203.0.113.9',
    'X_Forwarded_For: 203.0.113.9',
    'X-Original-Forwarded-For: 203.0.113.9',
    'X-Original-Proto: https',
    'X-Goog-Authenticated-User-Email: ann@shop.example',
    'X-Goog-Iap-Jwt-Assertion: zq',
    'X-Auth-Request-User: ann',
    'X-Localtunnel-Agent-Ips: ["203.0.113.9"]',
    'X-Replit-User-Id: 5',
    'X-WAWS-Unencoded-URL: /',
    'X-Edge-IP: 203.0.113.9',
  ]) {
    it(`T120: shows nothing where it is not trusted and adds "${header}"`, async () => {
      // In which format nobody is shown anything has nothing to do with the field.
      assert.deepEqual(await sight(running, [header], '1.1', undefined, ['text/html']), nothing)
      const page = await running.send({ target: `/_profiler/${token}.json`, headers: [header] })
      assert.equal(page.status, 403)
    })
  }

  it('T120: is not seen in fields that clients of this machine send', async () => {
    const own = [
      'X-Request-Id: 1',
      // No request may change debug with a path that is not its own (SPEC 1.3).
      'X-Original-URL: /',
      'X-Rewrite-URL: /',
      'X-Client-Version: 2',
      'X-User-Id: 3',
      'Origin-Trial: 4',
      'X-Originality: 5',
      'Flyer: 6',
    ]
    assert.deepEqual(await sight(running, own), everything)
  })

  it('T121: shows nothing where it speaks HTTP/1.0 and adds nothing', async () => {
    assert.deepEqual(await sight(running, [], '1.0'), nothing)
  })

  it('T122: shows nothing where it is trusted and does not name the client, or names none that can be read', async () => {
    await using trusting = await startApp({ env: { APP_TRUSTED_PROXIES: '127.0.0.1' } })
    for (const headers of [
      [],
      ['X-Forwarded-For: unknown'],
      ['X-Forwarded-For: unix:'],
      ['X-Forwarded-For:'],
      ['X-Forwarded-For: 203.0.113.5, unknown'],
      ['X-Forwarded-For: 127.0.0.1, unknown'],
      ['X-Forwarded-For: 203.0.113.5'],
      ['X-Forwarded-Proto: https'],
    ])
      assert.deepEqual(await sight(trusting, headers), nothing, headers[0])
    assert.deepEqual(await sight(trusting, ['X-Forwarded-For: 127.0.0.1']), everything)
    assert.deepEqual(await sight(trusting, ['X-Forwarded-For: 127.0.0.1', 'Via: 1.0 proxy'], '1.0'), everything)
  })

  it('T122: names no client to the application where the proxy names none', async () => {
    await using trusting = await startApp({ env: { APP_TRUSTED_PROXIES: '127.0.0.1' } })
    const own = tokenOf(await trusting.send({ target: '/api', headers: ['X-Forwarded-For: 203.0.113.5, unknown'] }))
    assert.equal((await trusting.profiles.read(own))?.ip, '')
  })
})

describe('a host that is not allowed', () => {
  it('T123: gets the public error page (DNS rebinding), and the profile has the error', async () => {
    for (const host of ['evil.example', `evil.example:${running.port}`, '127.0.0.1.nip.io', 'localhost.'])
      assert.deepEqual(await sight(running, [`Host: ${host}`]), nothing, host)
    const answer = await running.send({ target: '/error', headers: ['Host: evil.example', 'Accept: text/html'] })
    assert.match(answer.body, /<title>Error 500 Internal Server Error<\/title>/)
    const pages = await profilePages(running, tokenOf(answer))
    assert.ok(pages.some(({ body }) => body.includes('inner trouble')))
    assert.ok(
      running.log.lines.some(
        ({ message, context }) =>
          message.startsWith('Showed no details of an error') &&
          context['reason'] === 'the host is not in APP_ALLOWED_HOSTS',
      ),
    )
  })

  it('T123: gets nothing by another site, another origin, or twice the same field', async () => {
    for (const header of ['Sec-Fetch-Site: cross-site', 'Origin: http://evil.example', 'Origin: null'])
      assert.deepEqual(await sight(running, [header]), nothing, header)
  })

  it('T124: gets nothing on any address of the machine with HOST=0.0.0.0, but with the key', async () => {
    await using open = await startApp({ env: { HOST: '0.0.0.0', APP_ALLOWED_HOSTS: '127.0.0.1,localhost' } })
    assert.deepEqual(await sight(open, []), everything)
    assert.deepEqual(await sight(open, ['Host: evil.example']), nothing)
    const refused = await open.send({ target: '/_profiler/', headers: ['Host: evil.example'] })
    assert.match(refused.body, /by a name of your own, add the name to APP_ALLOWED_HOSTS\./)
    const { cookie } = await enter(open)
    const addresses = Object.values(networkInterfaces()).flatMap((list) => list ?? [])
    for (const { address } of addresses.filter(({ internal, family }) => !internal && family === 'IPv4')) {
      assert.deepEqual(await sight(open, [], '1.1', address), nothing)
      assert.deepEqual(await sight(open, [cookie], '1.1', address), everything)
    }
  })
})

describe('the key', () => {
  it('T125: is exchanged for a cookie by the first visit, and is then in no address', async () => {
    await using locked = await startApp({ env: { APP_PROFILER_KEY: 'on' } })
    const entry = locked.app.profilerEntry ?? ''
    assert.match(entry, /^\/_profiler\/\?key=[\w-]{32}$/)
    const { response, cookie } = await enter(locked)
    assert.equal(response.status, 302)
    assert.equal(response.header('location'), '/_profiler/')
    assert.equal(response.header('cache-control'), 'no-store')
    assert.equal(response.header('referrer-policy'), 'no-referrer')
    assert.match(
      response.header('set-cookie') ?? '',
      new RegExp(`^fanlight_profiler_${locked.port}=[\\w-]{43}; Path=/; HttpOnly; SameSite=Strict$`),
    )
    assert.ok(!cookie.includes(entry.slice(-32)))
    const deep = await locked.send({ target: `/_profiler/runs?by=version&key=${entry.slice(-32)}&url=a%26b` })
    assert.equal(deep.header('location'), '/_profiler/runs?by=version&url=a%26b')
    assert.deepEqual(await sight(locked, [cookie]), everything)
    assert.deepEqual(await sight(locked, [cookie, 'X-Forwarded-For: 203.0.113.9', 'Via: 1.1 tunnel']), everything)
  })

  it('T125: is needed by this machine, too: a proxy may add nothing', async () => {
    await using locked = await startApp({ env: { APP_PROFILER_KEY: 'on' } })
    await using other = await startApp({ env: { APP_PROFILER_KEY: 'on' } })
    const { cookie } = await enter(locked)
    const value = cookie.slice(cookie.indexOf('=') + 1)
    for (const headers of [
      [],
      [`Cookie: fanlight_profiler_${locked.port}=`],
      [`Cookie: fanlight_profiler_${locked.port}=${value.slice(1)}`],
      [`Cookie: fanlight_profiler_${locked.port}=${value}x`],
      [`Cookie: fanlight_profiler_${locked.port}=${'\xff'.repeat(43)}`],
      [`Cookie: fanlight_profiler_1=${value}`],
      [(await enter(other)).cookie.replace(String(other.port), String(locked.port))],
    ])
      assert.deepEqual(await sight(locked, headers), nothing, headers[0])
    for (const key of ['', 'x', value, encodeURIComponent(other.app.profilerEntry?.slice(-32) ?? '')]) {
      const answer = await locked.send({ target: `/_profiler/?key=${key}` })
      assert.equal(answer.status, 403, key)
      assert.equal(answer.header('set-cookie'), undefined)
    }
  })

  it('T126: is in no log line and no profile', async () => {
    await using locked = await startApp({ env: { APP_PROFILER_KEY: 'on' } })
    const { response, cookie } = await enter(locked)
    assert.equal(response.status, 302)
    const page = await locked.send({
      target: '/products',
      headers: [cookie, `Referer: http://x${locked.app.profilerEntry}`],
    })
    const seen = [JSON.stringify(locked.log.lines)]
    seen.push(JSON.stringify(await locked.profiles.read(tokenOf(page))))
    for (const secret of [locked.app.profilerEntry?.slice(-32) ?? '', cookie.slice(cookie.indexOf('=') + 1)]) {
      assert.ok(secret.length > 30)
      assert.ok(!seen.some((text) => text.includes(secret)))
    }
  })

  it('T126: may be one of your own, which is never printed', async () => {
    const own = 'a-key-of-my-own-0123456789'
    await using locked = await startApp({ env: { APP_PROFILER_KEY: own } })
    assert.equal(locked.app.profilerEntry, '/_profiler/?key=$APP_PROFILER_KEY')
    assert.deepEqual(await sight(locked, []), nothing)
    const answer = await locked.send({ target: `/_profiler/?key=${own}` })
    const cookie = `Cookie: ${(answer.header('set-cookie') ?? '').split(';')[0]}`
    assert.deepEqual(await sight(locked, [cookie]), everything)
    assert.ok(!JSON.stringify(locked.app.context).includes(own))
  })

  it('T127: opens nothing for a foreign host, site or origin, and nothing that the application refuses', async () => {
    let isAllowed = true
    await using locked = await startApp({ env: { APP_PROFILER_KEY: 'on' }, access: () => isAllowed })
    const { cookie } = await enter(locked)
    for (const header of ['Host: evil.example', 'Origin: http://evil.example', 'Sec-Fetch-Site: cross-site']) {
      assert.deepEqual(await sight(locked, [cookie, header]), nothing, header)
      assert.equal((await enter(locked, header)).response.header('set-cookie'), undefined, header)
    }
    isAllowed = false
    assert.deepEqual(await sight(locked, [cookie]), nothing)
  })

  it('T127: is printed with an allowed host where the server listens on every address', async () => {
    await using shop = await runFile('app/main.ts', {
      HOST: '0.0.0.0',
      APP_ALLOWED_HOSTS: '*.example.org,127.0.0.1,localhost',
    })
    const [, entry = ''] =
      /Profiler: +(http:\/\/127\.0\.0\.1:\d+\/_profiler\/\?key=[\w-]{32})\n/.exec(shop.output) ?? []
    const answer = await fetch(entry, { redirect: 'manual' })
    assert.equal(answer.status, 302)
    assert.equal(answer.headers.get('location'), '/_profiler/')
  })

  it('T127: is not there with HOST on this machine, or switched off', async () => {
    for (const env of [{}, { APP_PROFILER_KEY: 'off', HOST: '0.0.0.0', APP_ALLOWED_HOSTS: '127.0.0.1' }]) {
      await using open = await startApp({ env })
      assert.equal(open.app.profilerEntry, '/_profiler/')
      assert.deepEqual(await sight(open, []), everything)
      assert.deepEqual(await sight(open, ['Via: 1.1 tunnel']), nothing)
    }
  })
})

describe('work on this machine', () => {
  const key = 'a-key-of-my-own-0123456789'
  const forms = ['replay', 'explain/0']

  it('T178: is refused to what a proxy forwarded, whatever the key allows', async () => {
    await using locked = await startApp({ env: { APP_PROFILER_KEY: key } })
    const recorded = tokenOf(await locked.send({ target: '/products' }))
    const post = async (target: string, version: string, ...more: string[]): Promise<RawResponse> => {
      const own = `127.0.0.1:${locked.port}`
      const page = [`Origin: http://${own}`, 'Sec-Fetch-Site: same-origin', `Authorization: Bearer ${key}`]
      const bytes = requestBytes(`POST ${target} HTTP/${version}`, [
        `Host: ${own}`,
        ...page,
        'Content-Length: 0',
        ...more,
      ])
      const [response] = (await wire(locked.port, bytes)).responses
      assert.ok(response, target)
      return response
    }
    const targets = ['/_profiler/recording', ...forms.map((form) => `/_profiler/${recorded}/${form}`)]
    for (const target of targets) {
      assert.notEqual((await post(target, '1.1')).status, 403, target)
      assert.equal((await post(target, '1.0')).status, 403, target)
      for (const header of [
        'X-Forwarded-For: 203.0.113.9',
        'X-Forwarded-For: 127.0.0.1',
        'Via: 1.1 tunnel',
        'Cf-Ray: 1',
      ])
        assert.equal((await post(target, '1.1', header)).status, 403, `${target} ${header}`)
    }
  })

  it('T178: is refused to agents behind a proxy, which may read with the key', async () => {
    await using locked = await startApp({ env: { APP_PROFILER_KEY: key } })
    const recorded = tokenOf(await locked.send({ target: '/products' }))
    const authorization = `Bearer ${key}`
    for (const headers of [
      { 'x-forwarded-for': '203.0.113.9', via: '1.1 tunnel' },
      { 'x-original-host': 'shop.example' },
    ]) {
      await using agent = await httpClient(locked.url, { authorization, ...headers })
      assert.match((await agent.ask('find')).text, /products/)
      const refused = await agent.ask('replay', { token: recorded, confirm: true })
      assert.match(refused.text, /Only clients on this machine/)
    }
    await using near = await httpClient(locked.url, { authorization })
    assert.match((await near.ask('replay', { token: recorded })).text, /- replay: status `200`/)
  })

  it('T178: is done for a client of this machine that a trusted proxy names', async () => {
    await using trusting = await startApp({ env: { APP_TRUSTED_PROXIES: '127.0.0.1' } })
    const from = { 'x-forwarded-for': '127.0.0.1' }
    const recorded = (await fetch(`${trusting.url}/products`, { headers: from })).headers.get('x-debug-token')
    await using agent = await httpClient(trusting.url, from)
    assert.match((await agent.ask('replay', { token: recorded, without_masked: true })).text, /- replay: status `200`/)
  })
})

describe('pages that show the inside', () => {
  it('T128: are in a window that no other site has a hold on', async () => {
    const opener = async (target: string, ...headers: string[]): Promise<string | undefined> =>
      (await running.send({ target, headers })).header('cross-origin-opener-policy')
    for (const target of ['/_profiler/', `/_profiler/${token}`, '/error', '/nope'])
      assert.equal(await opener(target), 'same-origin', target)
    assert.equal(await opener('/products'), undefined)
    assert.equal(await opener('/error', 'Via: 1.1 tunnel'), undefined)
  })

  it('T129: are not waited for by pages of the application', async () => {
    const access: AccessQuestion = async () => new Promise<boolean>(() => undefined)
    await using hanging = await startApp({ access })
    const page = await hanging.send({ target: '/products', headers: ['User-Agent: Mozilla/5.0'] })
    assert.equal(page.status, 200)
    assert.ok(!page.body.includes('fanlight-toolbar'))
    assert.ok(!(await hanging.send({ target: '/error' })).body.includes('outer trouble'))
    const failures = hanging.log.lines.filter(({ message }) => message.startsWith('The access option'))
    assert.deepEqual(
      failures.map(({ context }) => context['message']),
      ['no result within 200 ms', 'no result within 200 ms'],
    )
  })
})
