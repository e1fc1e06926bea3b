import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { text } from '../../src/base/http/reply.ts'
import { requestCollector } from '../../src/observe/collectors/request.ts'
import { Redactor } from '../../src/base/redact/redactor.ts'
import type { Profile } from '../../src/observe/profile.ts'
import { assembleProfile } from '../../src/profiles/assemble-profile.ts'
import { recordOf } from '../../src/profiles/make-record.ts'
import { exchangeOf } from '../support/exchange.ts'
import { testProfiler } from '../support/profiler.ts'
import { pick } from '../support/pick.ts'

const cyclic: Record<string, unknown> = {}
cyclic['self'] = cyclic

describe('assembleProfile', () => {
  const shared = { text: 'one' }
  for (const [what, data] of Object.entries({
    'values that JSON has no form for': {
      a: undefined,
      b: () => 1,
      c: Symbol('c'),
      d: [undefined, () => 1, Symbol('d')],
    },
    numbers: { a: Number.NaN, b: [Number.POSITIVE_INFINITY, 1.5, -3], c: 2 ** 60 },
    'objects with a form of their own': {
      at: new Date(0),
      url: new URL('http://localhost/a'),
      inner: { toJSON: () => ['x'] },
    },
    'objects of classes': { map: new Map([[1, 2]]), error: new Error('no'), bytes: new Uint8Array([1, 2]) },
    'a name that objects have': JSON.parse('{ "__proto__": { "a": "b" }, "toJSON": "c" }') as object,
    'an object that is there twice': { one: shared, other: [shared] },
    'a list with holes': { list: Object.assign([], { length: 2, 1: 'b' }) },
    'what is too large to be copied at once': { texts: Array.from({ length: 20 }, () => 'x y '.repeat(1000)) },
  })) {
    it(`keeps ${what} as JSON does`, async () => {
      const kept = await keptOf(data)
      assert.deepEqual(JSON.parse(JSON.stringify(kept.data['odd'])), JSON.parse(JSON.stringify(data)))
      assert.deepEqual(kept.data.notes, [])
      assert.equal(Object.getPrototypeOf(kept.data['odd']), Object.prototype)
    })
  }

  for (const [what, data] of Object.entries({ cyclic, big: { number: 1n } })) {
    it(`leaves out data that JSON refuses: ${what}`, async () => {
      const { odd, notes } = (await keptOf(data)).data
      assert.equal(odd, undefined)
      assert.deepEqual(pick(notes as { source: string }[], 'source'), ['collector odd'])
    })
  }

  it('masks what it copies, and changes nothing of the data', async () => {
    const data = { text: 'sent Bearer zqsecret1abcdef', list: [{ at: 'Bearer zqsecret2abcdef' }] }
    const before = structuredClone(data)
    const { odd } = (await keptOf(data)).data
    assert.ok(!JSON.stringify(odd).includes('zqsecret'))
    assert.deepEqual(data, before)
  })

  it('links a request and its sub-requests both ways, nested ones too', async () => {
    const { profiler, engine } = await testProfiler({ builtIn: [requestCollector(new Redactor())] })
    const exchange = exchangeOf()
    profiler.onRequest(exchange)
    const child = exchange.createChild('error handler')
    const grandchild = child.createChild('inner')
    profiler.onTerminate(exchange)
    await profiler.find({})
    const token = exchange.recording!.token
    const [parent, middle, inner] = await Promise.all(
      [exchange, child, grandchild].map(async ({ recording }) => engine.profiles.read(recording!.token)),
    )
    assert.deepEqual(parent?.childTokens, [child.recording!.token])
    assert.deepEqual([middle?.parentToken, middle?.childTokens], [token, [grandchild.recording!.token]])
    assert.equal(inner?.parentToken, child.recording!.token)
    const { subRequests } = parent!.data['request'] as { subRequests: { token: string; handler: string }[] }
    assert.deepEqual(pick(subRequests, 'token', 'handler'), [[child.recording!.token, 'error handler']])
  })

  it('says that no answer was sent when the client went away before its first byte', async () => {
    const { profiler } = await testProfiler()
    for (const [sent, status] of [
      [{ bytes: 0, aborted: true }, 0],
      [{ bytes: 10, aborted: true }, 200],
      [{ bytes: 0, aborted: false }, 200],
    ] as const) {
      const exchange = exchangeOf()
      profiler.onRequest(exchange)
      exchange.reply = text('hello')
      exchange.sent = sent
      profiler.onTerminate(exchange)
      assert.equal((await profiler.read(exchange.recording!.token))?.status, status)
    }
  })
})

/** The profile of a request of which one built-in collector gathers this. */
async function keptOf(data: unknown): Promise<Profile> {
  const { profiler } = await testProfiler()
  const exchange = exchangeOf()
  profiler.onRequest(exchange)
  const record = recordOf(exchange, exchange.recording!, { collectors: [], redactor: new Redactor() })
  return assembleProfile(record, [{ name: 'odd', collect: () => data as object }], { redactor: new Redactor() })
}
