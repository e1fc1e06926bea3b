// Decisions about access through an application: rules, their votes, the 403 and what the profile says.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { AccessDeniedError, accessRules, exchangeKey, RouteCollection, text } from '../../../src/index.ts'
import type { AccessData } from '../../../src/capture/activities/access.ts'
import { access as kind } from '../../../src/capture/activities/access.ts'
import { activityTools } from '../../support/activities.ts'
import type { Work } from '../../support/captured.ts'
import { pageText } from '../../support/page-text.ts'
import { startApp } from '../../support/running-app.ts'
import { pick } from '../../support/pick.ts'

interface User {
  readonly id: number
  readonly username: string
  readonly roles: readonly string[]
}
class Order {
  readonly id = 7
  readonly owner: number
  constructor(owner: number) {
    this.owner = owner
  }
}
const ada: User = { id: 17, username: 'ada', roles: ['editor'] }
const user = exchangeKey<User>('user')

const access = accessRules<User, 'show' | 'edit' | 'remove', Order>({
  locked: (_user, action) =>
    action === 'remove' ? { vote: 'denied', reason: 'orders are never removed' } : 'abstained',
  owner: async ({ id }, _action, { owner }) =>
    owner === id ? 'granted' : { vote: 'abstained', reason: 'the order is of another user' },
  editors: ({ roles }, action) => (action === 'show' && roles.includes('editor') ? 'granted' : 'abstained'),
})

const { panel, recorded, drawn } = activityTools(kind)
const seen = async (work: Work): Promise<AccessData | undefined> => (await recorded(work)).data

describe('accessRules', () => {
  it('asks in order: a denial decides, else a grant, and nobody is let in where all abstain', async () => {
    const own = await access.decide(ada, 'edit', new Order(17))
    assert.deepEqual(own, {
      isGranted: true,
      by: 'owner',
      reason: null,
      votes: [
        { rule: 'locked', vote: 'abstained', reason: null },
        { rule: 'owner', vote: 'granted', reason: null },
        { rule: 'editors', vote: 'abstained', reason: null },
      ],
    })
    const denied = await access.decide(ada, 'remove', new Order(17))
    assert.deepEqual([denied.isGranted, denied.by, denied.reason], [false, 'locked', 'orders are never removed'])
    assert.equal(denied.votes.length, 1)
    const unclear = await access.decide(ada, 'edit', new Order(1))
    assert.deepEqual([unclear.isGranted, unclear.by], [false, null])
    assert.equal((await access.decide(ada, 'show', new Order(1))).by, 'editors')
  })

  it('throws a 403 that names what decided', async () => {
    await access.ensure(ada, 'edit', new Order(17))
    await assert.rejects(access.ensure(ada, 'remove', new Order(17)), (thrown) => {
      assert.ok(thrown instanceof AccessDeniedError)
      assert.equal(thrown.statusCode, 403)
      assert.equal(
        thrown.message,
        '"remove" of Order 7 is denied: the rule "locked" denied it, because orders are never removed',
      )
      assert.equal(thrown.decision.by, 'locked')
      return true
    })
    await assert.rejects(access.ensure(ada, 'edit', new Order(1)), {
      message: '"edit" of Order 7 is denied: no rule granted it (locked, owner, editors abstained)',
    })
  })

  it('says what a rule may be and give', async () => {
    // Code without types.
    const untyped = accessRules as (rules: unknown) => ReturnType<typeof accessRules>
    assert.throws(
      () => untyped({}),
      /^TypeError: accessRules\(\) got an object; allowed: an object with a function for each rule$/,
    )
    assert.throws(
      () => untyped({ owner: true }),
      /^TypeError: The rule "owner" of accessRules\(\) is true; allowed: a function$/,
    )
    const wrong = untyped({ owner: () => true })
    await assert.rejects(wrong.decide(null, 'edit', null), {
      name: 'TypeError',
      message: `The rule "owner" gave true; allowed: 'granted', 'denied', 'abstained', or { vote, reason }`,
    })
  })
})

describe('the panel Access', () => {
  it('shows the user, each decision with who decided and why, and the line that asked', async () => {
    const data = await seen(async (exchange) => {
      exchange.set(user, ada)
      await access.decide(ada, 'show', new Order(1))
      await assert.rejects(access.ensure(ada, 'remove', new Order(17)))
    })
    assert.deepEqual(data?.user, { id: '17', name: 'ada', roles: ['editor'] })
    assert.deepEqual(
      data?.entries.map(({ user: by, action, subject, outcome, by: rule, reason }) => [
        by,
        action,
        subject,
        outcome,
        rule,
        reason,
      ]),
      [
        ['ada', 'show', 'Order 7', 'granted', 'editors', null],
        ['ada', 'remove', 'Order 7', 'denied', 'locked', 'orders are never removed'],
      ],
    )
    assert.match(data?.entries[0]?.callSite ?? '', /access-rules\.test\.ts:\d+$/)
    const page = drawn(data)
    assert.match(page, /ada.*17.*editor.*granted.*show.*Order 7.*denied.*remove.*orders are never removed/s)
    assert.deepEqual(panel.badge?.(data as AccessData), {
      count: 1,
      tone: 'warning',
      hint: '1 denied of 2 decisions',
    })
  })

  it('shows what a rule throws, and never counts it as granted', async () => {
    const failing = accessRules({ store: () => Promise.reject(new Error('No connection, password=hunter2')) })
    const data = await seen(() => assert.rejects(failing.decide({ id: 1 }, 'edit', 'report')))
    assert.deepEqual(
      data?.entries.map(({ user: by, subject, outcome, error }) => [by, subject, outcome, error]),
      [['1', '"report"', 'denied', 'Error: No connection, password=******']],
    )
  })

  it('masks, bounds and survives users and subjects of every kind', async () => {
    const hostile = {
      get id(): never {
        throw new Error('no')
      },
    }
    const any = accessRules({ yes: () => 'granted' })
    const data = await seen(async (exchange) => {
      exchange.set(exchangeKey('user'), hostile)
      const token = `sk_live_${'a1'.repeat(20)}`
      for (const subject of [hostile, Order, [1, 2], token, null, 5n])
        await any.decide('ben', 'x'.repeat(5000), subject)
      for (let turn = 0; turn < 250; turn += 1) await any.decide(null, 'read', null)
    })
    assert.deepEqual(data?.user, { id: null, name: null, roles: [] })
    assert.deepEqual(pick(data.entries.slice(0, 6), 'subject'), [
      'an object',
      'Order',
      'a list of 2',
      '"******"',
      null,
      '5',
    ])
    assert.equal(data.entries[0]?.action.length, 200)
    assert.equal(data.entries.length + data.dropped, 256)
    assert.ok(JSON.stringify(data).length < 200_000)
  })

  it('masks what the application hides of a user, and keeps 50 roles', async () => {
    const roles = Array.from({ length: 60 }, (_, index) => ({ name: `role ${index}` }))
    const { data } = await recorded(
      async (exchange) => {
        exchange.set(exchangeKey('user'), { sub: 'u-1', username: 'ada', roles })
        await accessRules({ yes: () => 'granted' }).decide({ username: 'ada' }, 'read', null)
      },
      { redact: { keys: ['username'] } },
    )
    assert.deepEqual([data?.user?.id, data?.user?.name, data?.user?.roles.length], ['u-1', '******', 50])
    assert.equal(data?.entries[0]?.user, '******')
  })

  it('is absent where nobody is known, and its page says what is captured', async () => {
    assert.equal(await seen(() => undefined), undefined)
    assert.match(drawn(undefined), /No user is known, and nothing was decided/)
  })
})

describe('a denied request', () => {
  const routes = (): RouteCollection =>
    new RouteCollection().get('order', '/order', () => text('shown'), {
      guard: () => access.ensure(ada, 'edit', new Order(1)),
    })

  it('is a 403 whose page names the cause, and says nothing outside debug', async () => {
    {
      await using app = await startApp({ routes: routes() })
      const response = await app.app.inject({ url: '/order', headers: { accept: 'text/html' } })
      assert.equal(response.status, 403)
      assert.match(pageText(response.body), /AccessDeniedError.*no rule granted it.*locked, owner, editors/s)
    }
    await using app = await startApp({ routes: routes(), env: { APP_ENV: 'prod' } })
    const response = await app.app.inject({ url: '/order', headers: { accept: 'text/html' } })
    assert.equal(response.status, 403)
    assert.doesNotMatch(response.body, /owner|Order|denied/)
  })
})
