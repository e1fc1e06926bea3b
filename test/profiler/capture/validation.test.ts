// What validators found wrong, in the profile: schemas of routes, `valibot`, `zod` and `ajv` as they are.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Ajv } from 'ajv'
import * as v from 'valibot'
import * as z from 'zod'
import { observe } from '../../../src/capture.ts'
import { json, RouteCollection, type Reply } from '../../../src/index.ts'
import type { Activities } from '../../../src/observe/activities/activity.ts'
import type { ValidationFacts } from '../../../src/capture/activities/validation.ts'
import { validation as kind } from '../../../src/capture/activities/validation.ts'
import { activityTools } from '../../support/activities.ts'
import { profileOf, type Work } from '../../support/captured.ts'
import { pageText } from '../../support/page-text.ts'
import { startApp } from '../../support/running-app.ts'
import { until } from '../../support/until.ts'

const wrong = { name: 7, items: [{ title: '' }], password: 'hunter2' }

describe('validation', () => {
  for (const captureBody of [true, false]) {
    it(`shows what the schemas of a route found; values of a body where captureBody is true: ${captureBody}`, async () => {
      const routes = new RouteCollection()
      routes.post('order', '/orders', ({ valid }) => json(valid.body), {
        body: v.object({ name: v.string(), password: v.pipe(v.string(), v.minLength(9)) }),
        query: z.object({ page: z.coerce.number() }),
        captureBody,
      })
      await using app = await startApp({ routes })
      const response = await fetch(`${app.url}/orders?page=2`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(wrong),
      })
      assert.equal(response.status, 422)
      await response.text()
      let data: Activities<ValidationFacts> | undefined
      await until(async () => {
        const profile = await app.profiles.read(response.headers.get('x-debug-token') ?? '')
        return (data = profile?.data['validation'] as Activities<ValidationFacts> | undefined) !== undefined
      })
      assert.deepEqual(facts(data), [
        'zod query',
        'valibot body name: Invalid type: Expected string but received … | password: Invalid length: Expected >=9 but received 7',
      ])
      const body = data?.entries.at(-1)
      assert.deepEqual(body?.input, captureBody ? { ...wrong, password: '******' } : null)
      assert.deepEqual(
        body?.faults.map(({ received }) => received),
        captureBody ? ['7', '******'] : [null, null],
      )
      assert.equal(data?.entries[0]?.input, null)
      assert.doesNotMatch(JSON.stringify(data), /hunter2/)
    })
  }

  it('shows what observed schemas of valibot found, each check once', async () => {
    const made = v.object({ name: v.string(), items: v.array(v.object({ title: v.pipe(v.string(), v.nonEmpty()) })) })
    const schema = observe(made)
    assert.equal(schema, made)
    assert.equal(observe(schema), made)
    const data = await captured(async () => {
      assert.throws(() => v.parse(schema, wrong))
      assert.equal(v.safeParse(schema, { name: 'Ada', items: [] }).success, true)
      await assert.rejects(v.parseAsync(schema, {}))
      await schema['~standard'].validate('text')
    })
    assert.deepEqual(facts(data), [
      'valibot null name: Invalid type: Expected string but received … | items[0].title: Invalid length: Expected !0 but received 0',
      'valibot null',
      'valibot null name: Invalid key: Expected "name" but received undefined | items: Invalid key: Expected "items" but received undefined',
      'valibot null : Invalid type: Expected Object but received "…"',
    ])
    assert.deepEqual(data?.entries[2]?.input, {})
    assert.equal(data?.entries[3]?.input, null)
    assert.match(data?.entries[0]?.callSite ?? '', /^test\/profiler\/capture\/validation\.test\.ts:\d+$/)
  })

  it('shows what observed schemas of zod found', async () => {
    const schema = observe(z.object({ name: z.string(), items: z.array(z.object({ title: z.string().min(1) })) }))
    const data = await captured(async () => {
      assert.throws(() => schema.parse(wrong))
      assert.equal(schema.safeParse({ name: 'Ada', items: [] }).success, true)
      await assert.rejects(schema.parseAsync({ items: [] }))
      await schema.safeParseAsync({ name: 'Ada' })
      await schema['~standard'].validate({ name: 1, items: [] })
    })
    assert.deepEqual(
      data?.entries.map(({ library, faults }) => [library, faults.map(({ path, received }) => `${path} ${received}`)]),
      [
        ['zod', ['name 7', 'items[0].title ""']],
        ['zod', []],
        ['zod', ['name null']],
        ['zod', ['items null']],
        ['zod', ['name 1']],
      ],
    )
  })

  it('shows what an observed Ajv found, and what broke', async () => {
    const ajv = observe(new Ajv({ allErrors: true }))
    ajv.addKeyword({
      keyword: 'breaks',
      validate: () => {
        throw new RangeError('the rule is gone')
      },
    })
    const order = {
      type: 'object',
      required: ['id'],
      properties: { name: { type: 'string' }, 'a/b': { type: 'number' } },
    }
    const data = await captured(async () => {
      const check = ajv.compile(order)
      assert.equal(check({ name: 7, 'a/b': 'x' }), false)
      assert.equal(check.errors?.length, 3)
      assert.equal(check({ id: 1 }), true)
      assert.equal(ajv.validate(order, {}), false)
      assert.equal(ajv.errors?.length, 1)
      await assert.rejects(async () => ajv.validate({ $async: true, type: 'string' }, 7))
      assert.throws(() => ajv.validate({ breaks: true }, 7))
    })
    assert.deepEqual(facts(data), [
      `ajv null : must have required property 'id' | name: must be string | ["a/b"]: must be number`,
      'ajv null',
      `ajv null : must have required property 'id'`,
      'ajv null : must be string',
      'ajv null',
    ])
    assert.equal(data?.entries.at(-1)?.error, 'RangeError: the rule is gone')
  })

  it('keeps 50 validations, 20 faults of each, and a part of the input', async () => {
    const schema = observe(z.array(z.string()))
    const many = Array.from({ length: 1000 }, (_, index) => index)
    const data = await captured(() => {
      for (let turn = 0; turn < 60; turn += 1) schema.safeParse(many)
    })
    assert.equal(data?.entries.length, 50)
    assert.equal(data.dropped, 10)
    assert.equal(data.entries[0]?.faults.length, 20)
    assert.equal(data.entries[0]?.faultCount, 1000)
    assert.ok(JSON.stringify(data).length < 300_000)
  })
})

describe('the validation panel', () => {
  it('shows faults with their places, and escapes what was received', () => {
    const entry = {
      library: 'zod',
      part: 'body',
      hasValues: true,
      startMs: 1,
      durationMs: 2,
      error: null,
      callSite: 'src/order.ts:7',
    }
    const fault = { path: 'items[0]', message: 'too <b> but received …', received: '"<script>"' }
    const markup = String(
      activityTools(kind).panel.render(
        {
          entries: [
            { ...entry, input: { items: ['<script>'] }, faults: [fault], faultCount: 3 },
            { ...entry, input: null, faults: [], faultCount: 0, error: 'TypeError: broke' },
            { ...entry, input: null, faults: [], faultCount: 0, part: null },
            { ...entry, hasValues: false, input: null, faults: [{ ...fault, received: null }], faultCount: 1 },
          ],
          dropped: 1,
        },
        {} as never,
      ),
    )
    assert.doesNotMatch(markup, /<script>|too <b>/)
    const text = pageText(markup)
    assert.match(text, /4 of 5 validations recorded/)
    assert.match(text, /3 errors body 2\.00 ms zod · .*items\[0\] too <b> "<script>"/)
    assert.match(text, /2 more errors not kept/)
    assert.match(
      text,
      /threw body 2\.00 ms zod.*TypeError: broke.*valid zod 2\.00 ms.*Where Error items\[0\] too <b> Values are kept where the body is recorded\./,
    )
  })
})

async function captured(work: Work): Promise<Activities<ValidationFacts> | undefined> {
  const failures: unknown[] = []
  const routes = new RouteCollection()
  const handle = async (exchange: Parameters<Work>[0]): Promise<Reply> => {
    try {
      await work(exchange)
    } catch (thrown) {
      failures.push(thrown)
    }
    return json({})
  }
  routes.get('work', '/', async (exchange) => handle(exchange as Parameters<Work>[0]), { captureBody: true })
  await using app = await startApp({ routes })
  const profile = await profileOf(app)
  assert.deepEqual(failures, [])
  // Only the collector keeps something under the name.
  return profile.data['validation'] as Activities<ValidationFacts> | undefined
}

function facts(data: Activities<ValidationFacts> | undefined): readonly string[] {
  return (data?.entries ?? []).map(({ library, part, faults }) =>
    [`${library} ${part}`, faults.map(({ path, message }) => `${path}: ${message}`).join(' | ')]
      .filter((text) => text !== '')
      .join(' '),
  )
}
