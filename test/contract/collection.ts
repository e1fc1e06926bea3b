// What the collections of every store have to do, one test each. Engines run it from `test/stores/`.

import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import type { Engine } from '../../src/stores/engine.ts'
import type { Collection, CollectionContent } from '../../src/stores/collections.ts'
import { until } from '../support/until.ts'

type Collections = Pick<Engine, 'collection' | 'errorMarks'>

/** Tries it on an empty collection; `other` is the same as another process has it. */
type Check = (collection: Collection, other: Collection, open: Collections['collection']) => Promise<void>

const rules: Readonly<Record<string, Check>> = {
  'gives back records of every form as they were, frozen, and in the order of their keys': async (
    collection,
    other,
  ) => {
    const records = {
      b: { rate: '163.450000000000000001', deep: [{ text: '"\u0000 ü' }] },
      a: null,
      'c.d:e-F_1': 'text',
    }
    assert.equal(await collection.write(records), true)
    for (const one of [collection, other]) {
      const { records: found } = await one.readAll()
      assert.deepEqual(
        [...found],
        [
          ['a', null],
          ['b', records.b],
          ['c.d:e-F_1', 'text'],
        ],
      )
      const read = await one.read('b')
      assert.deepEqual(read, records.b)
      assert.ok(Object.isFrozen(read) && Object.isFrozen((read as typeof records.b).deep[0]))
    }
  },
  'has nothing at first, and nothing for keys that are unknown or malformed': async (collection) => {
    assert.deepEqual(await collection.readAll(), { version: null, records: new Map() })
    await collection.write({ EUR: 1 })
    for (const key of ['USD', 'eur', '', '%', 'E\u0000R', "' OR 1=1 --", '__proto__', '@version', 'x'.repeat(201)]) {
      assert.equal(await collection.read(key), undefined, key)
    }
  },
  'replaces records of known keys and leaves others alone': async (collection) => {
    await collection.write({ one: 1, two: 2 })
    const { version } = await collection.readAll()
    await collection.write({ two: 22 })
    const after = await collection.readAll()
    assert.deepEqual(
      [...after.records],
      [
        ['one', 1],
        ['two', 22],
      ],
    )
    assert.notEqual(after.version, version)
  },
  'keeps collections apart': async (collection, _other, open) => {
    await collection.write({ key: 1 })
    assert.deepEqual(await open('others').readAll(), { version: null, records: new Map() })
    assert.equal(open('records'), collection)
  },
  'writes while nobody else wrote, and says so': async (collection, other) => {
    assert.equal(await collection.write({ key: 1 }, { ifVersion: null }), true)
    assert.equal(await other.write({ key: 2 }, { ifVersion: null }), false)
    const { version } = await other.readAll()
    assert.equal(await collection.write({ key: 3 }, { ifVersion: version }), true)
    assert.equal(await other.write({ key: 4, more: 4 }, { ifVersion: version }), false)
    assert.deepEqual([...(await other.readAll()).records], [['key', 3]])
  },
  'loses no change of many writers that read first': async (collection, other) => {
    const add = async (writer: Collection, name: string): Promise<void> => {
      for (;;) {
        const { version, records } = await writer.readAll()
        const names = [...((records.get('names') as readonly string[] | undefined) ?? []), name]
        if (await writer.write({ names }, { ifVersion: version })) return
      }
    }
    const names = Array.from({ length: 8 }, (_, index) => `writer ${index}`)
    await Promise.all(names.map((name, index) => add(index % 2 === 0 ? collection : other, name)))
    assert.deepEqual([...((await collection.read('names')) as readonly string[])].sort(), names)
  },
  'refuses keys, records and numbers of them that it cannot keep, and writes nothing': async (collection) => {
    const many = Object.fromEntries(Array.from({ length: 1001 }, (_, index) => [`k${index}`, 1]))
    for (const [wrong, message] of [
      [
        { good: 1, 'bad key': 1 },
        /^The collection records of .* was given the key "bad key"; allowed: 1 to 200 letters/,
      ],
      [{ good: 1, '@version': 1 }, /the key "@version"/],
      [{ good: 1, bad: undefined }, /a record "bad" that JSON cannot hold; allowed: what JSON\.stringify\(\) takes/],
      [{ good: 1, bad: 1n }, /a record "bad"/],
      [many, /was given 1001 records; allowed: at most 1000 in one write/],
    ] as const) {
      await assert.rejects(collection.write(wrong), { code: 'ERR_STORE_RECORD', message })
    }
    assert.equal((await collection.readAll()).records.size, 0)
  },
  'refuses names that it cannot keep': async (_collection, _other, open) => {
    for (const name of ['', 'Records', '1st', 'a b', 'node', '@recording', 'x'.repeat(51)]) {
      const message = /^A collection cannot be called .*; allowed: 1 to 50 lower-case letters, digits and dashes/
      assert.throws(() => open(name), { code: 'ERR_STORE_RECORD', message })
    }
  },
  'takes 1000 records at once': async (collection, other) => {
    const many = Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`k${index}`, index]))
    await collection.write(many)
    assert.equal((await other.readAll()).records.size, 1000)
  },
  'tells watchers what there is and each change, those by another process too': async (collection, other) => {
    await other.write({ key: 1 })
    const [first, second] = [new Watcher(collection), new Watcher(collection)]
    await Promise.all([first.hears(1), second.hears(1)])
    await collection.write({ key: 2 })
    await other.write({ key: 3 })
    await Promise.all([first.hears(3), second.hears(3)])
    first.stop()
    first.stop()
    await other.write({ key: 4 })
    await second.hears(4)
    assert.deepEqual([first.last, first.errors, second.errors], [3, [], []])
    second.stop()
  },
  'reports a watcher that throws to that watcher, and tells the others': async (collection) => {
    const fault = new Error('watcher')
    const [throwing, good] = [new Watcher(collection, fault), new Watcher(collection)]
    await collection.write({ key: 5 })
    await good.hears(5)
    assert.deepEqual([new Set(throwing.errors), good.errors], [new Set([fault]), []])
    throwing.stop()
    good.stop()
  },
}

class Watcher {
  last: unknown
  readonly errors: unknown[] = []
  readonly stop: () => void

  /** With a fault it throws that each time. */
  constructor(collection: Collection, fault?: Error) {
    const onChange = ({ records }: CollectionContent): void => {
      this.last = records.get('key')
      if (fault !== undefined) throw fault
    }
    this.stop = collection.watch(onChange, (error) => this.errors.push(error))
  }

  hears(value: unknown): Promise<void> {
    return until(() => this.last === value)
  }
}

/** Declares the suite for one kind of store. `open` gives it as two processes have it; the same twice where no other sees it. */
export function describeCollections(
  name: string,
  open: (test: TestContext) => Promise<readonly [Collections, Collections]>,
): void {
  describe(`${name} has collections; each`, () => {
    for (const [rule, check] of Object.entries(rules)) {
      it(rule, async (test) => {
        const [one, other] = await open(test)
        await check(one.collection('records'), other.collection('records'), (called) => one.collection(called))
      })
    }

    it('keeps the marks of errors for all processes, also those that are set at the same time', async (test) => {
      const [one, other] = await open(test)
      assert.equal((await one.errorMarks.read()).size, 0)
      const mark = (comment: string) => ({ state: 'ignored' as const, comment, by: 'anna@web-1', time: 1 })
      await Promise.all([
        one.errorMarks.add('aaaaaaaaaaaa', mark('1')),
        other.errorMarks.add('bbbbbbbbbbbb', mark('2')),
      ])
      await other.errorMarks.add('aaaaaaaaaaaa', mark('3'))
      for (const { errorMarks } of [one, other]) {
        const marks = await errorMarks.read()
        assert.deepEqual(marks.get('aaaaaaaaaaaa'), [mark('3'), mark('1')])
        assert.deepEqual(marks.get('bbbbbbbbbbbb'), [mark('2')])
      }
    })
  })
}
