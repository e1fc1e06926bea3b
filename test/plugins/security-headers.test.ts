// Security headers: what each response has, what an application changes, and the nonce of a page.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  createApp,
  cspNonce,
  html,
  json,
  loadRuntimeContext,
  maintenance,
  RouteCollection,
  securityHeaders,
} from '../../src/index.ts'
import { TrustedProxies } from '../../src/base/http/trusted-proxies.ts'
import type { App, SecurityHeadersOptions } from '../../src/index.ts'

const shared = json('shared')
const routes = new RouteCollection()
  .get(
    'page',
    '/',
    (exchange) => html`<script nonce="${cspNonce(exchange)}" data-again="${cspNonce(exchange)}"></script>`,
  )
  .get('shared', '/shared', () => shared)
  .get('own', '/own', () =>
    json('own', { headers: { 'Referrer-Policy': 'origin', 'content-security-policy': 'sandbox' } }),
  )
  .get('fail', '/fail', () => {
    throw new Error('no luck')
  })

async function start(options?: SecurityHeadersOptions, more: Record<string, string> = {}): Promise<App> {
  const env = {
    APP_ENV: 'prod',
    APP_STORE: 'memory:',
    APP_ALLOWED_HOSTS: 'localhost',
    ...more,
  }
  const { context } = loadRuntimeContext({ cwd: '.', env })
  return createApp({
    context,
    routes,
    plugins: [securityHeaders(options), maintenance()],
    log: { write: () => undefined },
  })
}

const https = {
  url: '/shared',
  headers: { 'x-forwarded-proto': 'https' },
  trustedProxies: new TrustedProxies(['127.0.0.1']),
}
const policy =
  "default-src 'self'; script-src 'self'; style-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

describe('securityHeaders()', () => {
  it('adds them to every response, errors too, and keeps what a reply has', async () => {
    const app = await start()
    for (const [url, status] of [
      ['/shared', 200],
      ['/fail', 500],
      ['/nowhere', 404],
    ] as const) {
      const { headers, ...response } = await app.inject(url)
      assert.equal(response.status, status)
      assert.equal(headers.get('x-content-type-options'), 'nosniff')
      assert.equal(headers.get('x-frame-options'), 'DENY')
      assert.equal(headers.get('cross-origin-opener-policy'), 'same-origin')
      assert.equal(headers.get('cross-origin-resource-policy'), 'same-origin')
      assert.equal(headers.get('referrer-policy'), status === 200 ? 'same-origin' : 'no-referrer')
      assert.equal(headers.get('strict-transport-security'), undefined)
    }
    const closed = await start({}, { APP_LOCK: '1' })
    const page = await closed.inject('/shared')
    assert.equal(page.status, 503)
    assert.equal(page.headers.get('x-frame-options'), 'DENY')
    assert.match(page.headers.get('content-security-policy') ?? '', /^default-src 'none'/)
    await closed.close()
    const again = await app.inject('/shared')
    assert.equal(again.headers.get('content-security-policy'), policy)
    assert.equal(again.rawHeaders.filter((name) => name === 'x-frame-options').length, 1)
    const own = await app.inject('/own')
    assert.equal(own.headers.get('referrer-policy'), 'origin')
    assert.equal(own.headers.get('content-security-policy'), 'sandbox')
    await app.close()
  })

  it('names a new nonce for each page that asks for one', async () => {
    const app = await start()
    const nonces = new Set<string>()
    for (let count = 0; count < 3; count += 1) {
      const { body, headers } = await app.inject('/')
      const [, nonce = '', again] = /nonce="([\w-]{36})" data-again="([\w-]{36})"/.exec(body) ?? []
      assert.equal(again, nonce)
      const named = headers.get('content-security-policy')
      assert.ok(named?.includes(`script-src 'self' 'nonce-${nonce}'; style-src 'self' 'nonce-${nonce}'; object-src`))
      nonces.add(nonce)
    }
    assert.equal(nonces.size, 3)
    await app.close()
  })

  it('is changed by name, and sends HSTS over HTTPS only', async () => {
    const cases: readonly [SecurityHeadersOptions, string, string | undefined][] = [
      [{}, 'strict-transport-security', 'max-age=31536000'],
      [{ hstsMaxAgeSeconds: 0 }, 'strict-transport-security', 'max-age=0'],
      [{ headers: { 'referrer-policy': 'no-referrer' } }, 'referrer-policy', 'no-referrer'],
      [{ headers: { 'permissions-policy': 'camera=()' } }, 'permissions-policy', 'camera=()'],
      [{ headers: { 'x-frame-options': false } }, 'x-frame-options', undefined],
      [{ contentSecurityPolicy: false }, 'content-security-policy', undefined],
      [{ reportOnly: true }, 'content-security-policy', undefined],
      [{ reportOnly: true }, 'content-security-policy-report-only', policy],
      [
        { contentSecurityPolicy: { 'img-src': "'self' data:", 'frame-ancestors': false } },
        'content-security-policy',
        policy.replace("frame-ancestors 'none'", "img-src 'self' data:"),
      ],
    ]
    for (const [options, name, value] of cases) {
      const app = await start(options)
      assert.equal((await app.inject(https)).headers.get(name), value, JSON.stringify(options))
      await app.close()
    }
  })

  it('refuses what is no directive or field', () => {
    const wrong: readonly [object, RegExp][] = [
      [
        { contentSecurityPolicy: { 'img-src': "'self'; script-src *" } },
        /Option "contentSecurityPolicy" of securityHeaders\(\) is an object; allowed: false, or a record/,
      ],
      [{ contentSecurityPolicy: { imgSrc: "'self'" } }, /names such as 'img-src'/],
      [{ contentSecurityPolicy: { 'img-src': 'self' } }, /keywords in quotes/],
      [{ contentSecurityPolicy: { 'script-src': "'self' unsafe-inline" } }, /keywords in quotes/],
      [{ contentSecurityPolicy: true }, /Option "contentSecurityPolicy" .* is true/],
      [{ headers: { 'x-a': 'one\r\nx-b: two' } }, /Option "headers"/],
      [{ hstsMaxAgeSeconds: -1 }, /Option "hstsMaxAgeSeconds" .* is -1; allowed: a whole number from 0/],
      [{ reportsOnly: true }, /"reportsOnly" .* is unknown. Did you mean "reportOnly"/],
    ]
    for (const [options, message] of wrong)
      assert.throws(() => securityHeaders(options as SecurityHeadersOptions), message)
  })
})
