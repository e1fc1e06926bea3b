// The session panel of an own application: values of the key `session`, cookies in both directions.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { exchangeKey, type Exchange } from '../../../src/index.ts'
import { type SessionData, sessionPart } from '../../../src/observe/collectors/session.ts'
import { describedPanel } from '../../../src/analysis/pages/panels.ts'
import { profileOf, startWorking } from '../../support/captured.ts'
import { pageText } from '../../support/page-text.ts'
import { pick } from '../../support/pick.ts'

interface Session {
  [name: string]: unknown
}
const session = exchangeKey<Session | null>('session')

async function seen(
  work: (exchange: Exchange) => unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<SessionData | undefined> {
  await using app = await startWorking(work, { cookieSecrets: ['0123456789abcdef0123456789abcdef'] })
  const { data } = await profileOf(app, headers)
  return data['session'] as SessionData | undefined
}

function drawn(data: SessionData | undefined): string {
  return pageText(String(describedPanel(sessionPart).render(data, {} as never)))
}

describe('the session of an own application', () => {
  it('shows what changed in it, with values masked before and after', async () => {
    const data = await seen((exchange) => {
      const current: Session = { cart: [1], theme: 'dark', password: 'hunter2', note: 'x' }
      exchange.set(session, current)
      current['cart'] = [1, 2]
      current['password'] = 'hunter3'
      current['added'] = true
      delete current['note']
    })
    const changes = data?.session?.entries.map(({ name, change, before, after }) => [
      name,
      change,
      before?.value ?? null,
      after?.value ?? null,
    ])
    assert.deepEqual(changes, [
      ['cart', 'changed', [1], [1, 2]],
      ['theme', 'none', null, 'dark'],
      ['password', 'changed', '******', '******'],
      ['note', 'removed', 'x', null],
      ['added', 'added', null, true],
    ])
    // It has no id, so it may as well be new.
    assert.equal(data?.session?.state, 'unknown')
    assert.doesNotMatch(JSON.stringify(data), /hunter/)
    assert.match(drawn(data), /^Key Change Before After cart changed/)
  })

  it('tells a session that ended, one that is new, and one with a new id', async () => {
    const states = await Promise.all(
      [
        (exchange: Exchange): void => {
          exchange.set(session, { id: 'abc', a: 1 })
          exchange.set(session, null)
        },
        (exchange: Exchange): void => exchange.set(session, {}),
        (exchange: Exchange): void => {
          exchange.set(session, { id: 'abc' })
          exchange.set(session, { id: 'def' })
        },
      ].map(async (work) => (await seen(work, { Cookie: 'sid=abc' }))?.session?.state),
    )
    assert.deepEqual(states, ['destroyed', 'created', 'renewed'])
  })

  it('lists flash messages that were read, and those that are left', async () => {
    const data = await seen((exchange) => {
      const current: Session = { flash: { info: ['Saved'], error: ['Too late'] } }
      exchange.set(session, current)
      current['flash'] = { error: ['Too late'], notice: ['token=abcdefghijklmnop1234'] }
    })
    const messages = data?.flash.map(({ kind, text, state }) => `${kind} ${text} ${state}`)
    assert.deepEqual(messages, ['info Saved read', 'error Too late left', 'notice token=****** left'])
    assert.match(drawn(data), /Flash messages.*Saved.*read by this request/s)
  })

  it('says of each cookie what came, whether its signature fits, and what the response does with it', async () => {
    const received = await seen(
      ({ cookies }) => {
        cookies.set('kept', 'one')
        cookies.set('seen', 'yes', { maxAgeSeconds: 60, signed: true })
        cookies.delete('old')
      },
      { Cookie: `kept=one; old=1; plain=2; forged=value.${'A'.repeat(43)}` },
    )
    const rows = received?.cookies.map(({ name, receivedBytes, signature, set }) => [
      name,
      receivedBytes,
      signature,
      set?.change ?? null,
      set?.lifetimeSeconds ?? null,
    ])
    assert.deepEqual(rows, [
      ['kept', 3, null, 'same', null],
      ['old', 1, null, 'deleted', 0],
      ['plain', 1, null, null, null],
      ['forged', 49, 'invalid', null, null],
      ['seen', null, null, 'new', 60],
    ])
    assert.equal(received?.cookies[0]?.set?.attributes, 'Path=/; HttpOnly; SameSite=Lax')
    assert.deepEqual(describedPanel(sessionPart).badge?.(received as SessionData), {
      count: 1,
      tone: 'warning',
      hint: '1 wrong cookie',
    })
    const text = drawn(received)
    assert.match(text, /forged.*does not fit/s)
    assert.doesNotMatch(JSON.stringify(received), /"(?:one|yes)"/)
  })

  it('takes a cookie that this application has signed', async () => {
    await using app = await startWorking(({ cookies }) => cookies.set('cart', '17', { signed: true }), {
      cookieSecrets: ['0123456789abcdef0123456789abcdef'],
    })
    const first = await app.app.inject({})
    const cookie = first.headers.get('set-cookie')?.split(';', 1)[0] ?? ''
    const { data } = await profileOf(app, { Cookie: cookie })
    const { cookies } = data['session'] as SessionData
    assert.deepEqual(
      cookies.map(({ name, signature, set }) => [name, signature, set?.change]),
      [['cart', 'valid', 'same']],
    )
  })

  it('names what browsers drop', async () => {
    const data = await seen((exchange) => {
      for (const field of [
        'a=1; SameSite=None',
        '__Host-b=1; Secure; Path=/x',
        '__secure-d=1',
        `c=${'x'.repeat(5000)}`,
      ]) {
        exchange.addHeader('set-cookie', field)
      }
    })
    assert.deepEqual(
      data?.cookies.map(({ set }) => set?.problem),
      [
        'Browsers drop it: SameSite=None needs Secure.',
        'Browsers drop it: the prefix __Host- needs the path / and no domain.',
        'Browsers drop it: the prefix __secure- needs Secure.',
        'Browsers drop it: name and value are longer than 4096 bytes.',
      ],
    )
  })

  it('survives a hostile session, and holds it within bounds', async () => {
    const data = await seen((exchange) => {
      const many = Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`k${index}`, 'x'.repeat(10_000)]))
      const hostile: Session = { loop: null, ...many, big: 1n }
      hostile['loop'] = hostile
      Object.defineProperty(hostile, 'bad', {
        enumerable: true,
        get: () => {
          throw new Error('no')
        },
      })
      exchange.set(session, hostile)
    })
    const { entries = [], dropped } = data?.session ?? {}
    assert.ok(entries.length <= 100)
    assert.equal(entries.length + (dropped ?? 0), 303)
    assert.ok(JSON.stringify(data).length < 256 * 1024)
  })
})

it('is found by a hash of its id and by its user, which lead on from a profile', async () => {
  const user = exchangeKey<object>('user')
  const ids = ['aardvark-4711', 'buffalo-4712']
  const work = (exchange: Exchange): void => {
    const index = Number(exchange.request.header('x-client') ?? 0)
    exchange.set(session, { id: ids[index], cart: [] })
    exchange.set(user, index === 0 ? { id: 7, name: 'Zoë & Co' } : { id: 8 })
  }
  await using app = await startWorking(work)
  const profiles = []
  for (const client of ['0', '1', '0']) profiles.push(await profileOf(app, { 'x-client': client }))
  const [first, other, third] = profiles
  assert.match(first?.session ?? '', /^[0-9a-f]{12}$/)
  assert.deepEqual([third?.session, first?.user, other?.user], [first?.session, 'Zoë & Co', '8'])
  assert.notEqual(first?.session, other?.session)
  assert.doesNotMatch(JSON.stringify(profiles), /aardvark|buffalo/)
  const { body } = await app.send({ target: `/_profiler/${first?.token}` })
  const links = [...body.matchAll(/<a href="(\/_profiler\/\?(?:user|session)=[^"]*)"/g)].map(([, address]) => address)
  assert.equal(links.length, 2)
  for (const link of links) {
    const list = await app.send({ target: (link ?? '').replace('/?', '/index.json?') })
    const { items } = JSON.parse(list.body) as { readonly items: readonly { readonly token: string }[] }
    assert.deepEqual(pick(items, 'token'), [third?.token, first?.token])
  }
})
