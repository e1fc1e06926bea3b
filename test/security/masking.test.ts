// Threats T96–T101: secrets that hide behind percent signs, in URLs inside URLs, under unusual names and in vendors' forms. Each is
// looked for in profiles, on their pages and in the log of production, and what is harmless must still be there.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { carelessRoutes } from '../support/careless-app.ts'
import { request, type RawRequest } from '../support/raw-client.ts'
import { startApp, type RunningApp } from '../support/running-app.ts'
import { runFile } from '../support/running-process.ts'

const secret = 'zqMasked0815zqMasked0815zqMasked0815'
const encode = encodeURIComponent

async function read(app: RunningApp, target: string): Promise<string> {
  const { status, body } = await app.send({ target: `/_profiler/${target}` })
  assert.equal(status, 200, target)
  return body
}

/** What is recorded of a request: its profile, those of its sub-requests, and its page. */
async function recorded(app: RunningApp, sent: RawRequest): Promise<string> {
  const token = (await app.send(sent)).header('x-debug-token') ?? ''
  const profile = await read(app, `${token}.json`)
  const texts = [profile, await read(app, `${token}?panel=request`)]
  const { childTokens } = JSON.parse(profile) as { readonly childTokens: readonly string[] }
  for (const child of childTokens) texts.push(await read(app, `${child}.json`))
  return texts.join('\n')
}

/** What is said of all requests together: the list, and the log. */
async function assertListsMasked(app: RunningApp): Promise<void> {
  assertMasked(await read(app, '?limit=200'), 'the list')
  assertMasked(JSON.stringify(app.log.lines), 'the log')
}

function assertMasked(text: string, what: string): void {
  const place = text.indexOf('zqMasked')
  assert.ok(place < 0, `${what}: …${text.slice(Math.max(0, place - 150), place + 50)}…`)
}

const posted = (target: string, value: unknown): RawRequest => ({
  method: 'POST',
  target,
  headers: ['Content-Type: application/json'],
  body: JSON.stringify(value),
})

/** Parts of a query that end with an ordinary pair. */
const queries: Readonly<Record<string, string>> = {
  'a URL with a token': `redirect_uri=${encode(`https://h/cb?access_token=${secret}`)}`,
  'a relative URL': `next=${encode(`/cb?access_token=${secret}`)}`,
  'a URL in a URL': `next=${encode(`https://h/?to=${encode(`https://i/?api_key=${secret}`)}`)}`,
  'an address encoded twice': `next=${encode(encode(`/cb?token=${secret}`))}`,
  'more levels than are read': `next=${encode(encode(encode(encode(encode(encode(`/cb?token=${secret}`))))))}`,
  'a password in an address': `next=${encode(`https://u:${secret}@h/`)}`,
  'a token after a space': `q=%20ghp_${secret}`,
  'a header as a value': `q=Bearer+${secret}`,
  JSON: `filter=${encode(JSON.stringify({ user: { password: secret } }))}`,
  'JSON that is not encoded': `filter={'password':'${secret}'}`,
  'broken UTF-8': `next=${encode(`/cb?token=${secret}`)}%ff%zz`,
  'no name': encode(`{"password":"${secret}"}`),
  'a name': `${encode(`{"password":"${secret}"}`)}=`,
}

describe('masking of what is percent-encoded', () => {
  it('T96: hides secrets in the query of a request', async () => {
    await using app = await startApp({ routes: carelessRoutes() })
    for (const [what, query] of Object.entries(queries)) {
      const text = await recorded(app, { target: `/page?${query}&page=zqPlain` })
      assertMasked(text, what)
      assert.ok(text.includes('&page=zqPlain') && text.includes('******'), what)
    }
    await assertListsMasked(app)
  })

  it('T97: hides secrets in the path of a request', async () => {
    await using app = await startApp({ routes: carelessRoutes() })
    for (const segment of [`%20ghp_${secret}`, encode(`{"token":"${secret}"}`), encode(`Bearer ${secret}`)]) {
      const text = await recorded(app, { target: `/zqPlain/${segment}/zqEnd%20` })
      // The page of debug, whose sub-request is not its own profile, shows the address to the client that sent it.
      assertMasked(text, segment)
      assert.ok(text.includes('/zqPlain/******/zqEnd%20'), segment)
    }
    await assertListsMasked(app)
  })

  it('T98: hides card numbers, whatever separates their digits', async () => {
    await using app = await startApp({ routes: carelessRoutes() })
    for (const number of ['4111%201111%201111%201111', '4111+1111+1111+1111', '4111%2D1111%2D1111%2D1111']) {
      const text = await recorded(app, { target: `/page?n=${number}&page=zqPlain` })
      assert.doesNotMatch(text, /4111\D{1,3}1111/, number)
      assert.ok(text.includes('?n=******&page=zqPlain'), number)
    }
    for (const text of [await read(app, '?limit=50'), JSON.stringify(app.log.lines)])
      assert.doesNotMatch(text, /4111\D{1,3}1111/)
  })

  it('T99: hides secrets of a referer from the log of production', async () => {
    await using running = await runFile('test/support/careless-app.ts', { APP_ENV: 'prod' })
    let output = ''
    for (const stream of [running.child.stdout, running.child.stderr]) {
      stream?.on('data', (chunk: Buffer) => (output += chunk.toString()))
    }
    const port = Number(new URL(running.url).port)
    for (const query of Object.values(queries)) {
      const referer = `http://shop.example/zqPlain?${query}&page=zqEnd`
      await request(port, { target: `/nope?${query}`, headers: [`Referer: ${referer}`] })
    }
    assert.equal(await running.end(), 0)
    assertMasked(output, 'the log')
    assert.ok(output.includes('http://shop.example/zqPlain?redirect_uri=******&page=zqEnd'), output.slice(0, 2000))
  })
})

describe('masking by name and by form', () => {
  const names =
    'password_confirmation password2 passwordHash secret_key_base private_key_pem privateKey db_pass smtpPass auth_key ' +
    'signingKey token_hash tokens_by_user otp_code verificationCode clientSecretValue user_credentials x-api-key-old PASSWD_OLD'

  it('T100: hides values by what their names hold', async () => {
    await using app = await startApp({ routes: carelessRoutes() })
    for (const name of names.split(' ')) {
      const value = { [name]: secret, harmless: 'zqPlain' }
      const text = [
        await recorded(app, posted('/json', { deep: [value] })),
        await recorded(app, posted('/order', { place: 'log', name, text: secret })),
        await recorded(app, { target: `/page?${name}=${secret}&user%5B${name}%5D=${secret}&page=zqPlain` }),
      ].join('\n')
      assertMasked(text, name)
      assert.ok(text.includes('harmless: \\"zqPlain\\"'), name)
    }
    await assertListsMasked(app)
  })

  it('T100: shows headers and values that only look like secrets', async () => {
    await using app = await startApp({ routes: carelessRoutes() })
    const response = await app.send({
      target: '/page?max_tokens=zq1&status_code=zq2&primary_key=zq3&is_private=zq4&token_type=zq5',
      headers: [
        'Upgrade-Insecure-Requests: 1',
        'X-Fanlight-Profile: zq6',
        'Access-Control-Request-Method: zq7',
        'Private-Token: zq8',
      ],
    })
    const { body } = await app.send({ target: `/_profiler/${response.header('x-debug-token')}.json` })
    const profile = JSON.parse(body) as { data: { request: Record<'headers' | 'query', [string, string][]> } }
    const { headers, query } = profile.data.request
    assert.deepEqual(
      query.map(([, value]) => value),
      ['zq1', 'zq2', 'zq3', 'zq4', 'zq5'],
    )
    const shown = new Map(headers.map(([name, value]) => [name.toLowerCase(), value]))
    assert.deepEqual(
      ['upgrade-insecure-requests', 'x-fanlight-profile', 'access-control-request-method', 'private-token'].map(
        (name) => shown.get(name),
      ),
      ['1', 'zq6', 'zq7', '******'],
    )
  })

  it('T101: hides tokens of vendors, webhooks, connection strings and XML', async () => {
    await using app = await startApp({ routes: carelessRoutes() })
    for (const text of [
      `glpat-${secret}`,
      `npm_${secret}`,
      `pypi-AgEIcHlwaS5vcmc${secret}`,
      `whsec_${secret}`,
      `xapp-1-A0-1-${secret}`,
      `SG.${secret}.${secret}`,
      `ya29.a0${secret}`,
      `sk-proj-${secret}`,
      `sk-ant-api03-${secret}`,
      `hf_${secret}`,
      `https://hooks.slack.com/services/T0/B0/${secret}`,
      `https://discord.com/api/webhooks/1/${secret}`,
      `https://shop.webhook.office.com/webhookb2/1@2/IncomingWebhook/${secret}/3`,
      `AccountName=shop;AccountKey=${secret}/a+b==;EndpointSuffix=core.windows.net`,
      `<login><user>ann</user><password>${secret}</password></login>`,
      `<password><![CDATA[${secret}]]></password>`,
    ]) {
      for (const place of ['message', 'log-message', 'property', 'log'] as const) {
        assertMasked(
          await recorded(app, posted('/order', { place, name: 'detail', text: `zqPlain ${text}` })),
          `${place}: ${text}`,
        )
      }
    }
    await assertListsMasked(app)
    assert.ok(JSON.stringify(app.log.lines).includes('zqPlain ******'))
  })
})
