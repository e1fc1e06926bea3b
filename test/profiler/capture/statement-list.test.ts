// The statements of one request as lists: what stands in them, and what they share with those of others.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { AssumedSite } from '../../../src/profiler/capture/assumed-site.ts'
import { CallSites } from '../../../src/profiler/capture/call-site.ts'
import { databaseData } from '../../../src/profiler/capture/database-data.ts'
import { StatementKind } from '../../../src/profiler/capture/statement-kind.ts'
import { StatementList, type PackedStatements } from '../../../src/profiler/capture/statement-list.ts'
import type { DatabaseData } from '../../../src/profiler/capture/statements.ts'
import { Redactor } from '../../../src/framework/redact/redactor.ts'
import { recordedExchange } from '../../support/recorded-exchange.ts'

const redactor = new Redactor()
const sites = new CallSites('/srv/app')
const [prices, users] = ['SELECT * FROM prices WHERE code = ?', 'SELECT * FROM users WHERE id = ?'].map(kindOf) as [
  StatementKind,
  StatementKind,
]
const site = new AssumedSite('src/prices.ts:12')

function kindOf(text: string): StatementKind {
  return new StatementKind({ system: 'sqlite', library: 'test', namespace: null, text: { text, shape: text }, key: '' })
}

function newList(): StatementList {
  return new StatementList(recordedExchange().recording)
}

function pack(list: StatementList): PackedStatements {
  return list.pack(0, sites)
}

/** As the thread that makes profiles reads it. */
function read(list: StatementList): DatabaseData {
  return databaseData(structuredClone(pack(list)), redactor)
}

describe('StatementList', () => {
  it('keeps rows, errors, keys and places of statements that end in another order', () => {
    const list = newList()
    const first = list.begin(prices, '[3:EUR,', site, null, 0)
    const second = list.begin(users, null, null, null, 0)
    const third = list.begin(prices, '[3:EUR,', site, null, 0)
    const running = list.begin(users, '', null, null, 0)
    list.fail(third, new RangeError('the disk is full'))
    list.end(second, 7)
    list.end(first, null)
    const { statements, findings } = read(list)
    assert.deepEqual(
      statements.map(({ group, rows, error, callSite }) => [group, rows, error, callSite]),
      [
        [0, null, null, 'src/prices.ts:12 (assumed)'],
        [1, 7, null, null],
        [0, null, 'RangeError: the disk is full', 'src/prices.ts:12 (assumed)'],
        [1, null, null, null],
      ],
    )
    assert.deepEqual(
      statements.map(({ durationMs }) => durationMs !== null),
      [true, true, true, false],
    )
    assert.equal(running, 3)
    assert.deepEqual(
      findings.map(({ group }) => group),
      [0],
    )
  })

  it('names what it shares with the last request by the very same object', () => {
    const [one, other] = [newList(), newList()]
    for (const list of [one, other]) {
      list.end(list.begin(prices, '[1,', site, null, 0), 1)
      list.end(list.begin(users, '[2,', null, null, 0), 1)
    }
    assert.equal(pack(one).more[0], pack(other).more[0])
  })

  it('leaves what it shares as it is when more statements come', () => {
    const [one, other] = [newList(), newList()]
    for (const list of [one, other]) list.begin(prices, null, site, null, 0)
    const common = pack(one).more[0]
    const before = structuredClone(common)
    one.begin(users, null, new AssumedSite('src/users.ts:3'), null, 0)
    assert.deepEqual(
      read(one).statements.map(({ callSite }) => callSite),
      ['src/prices.ts:12 (assumed)', 'src/users.ts:3 (assumed)'],
    )
    assert.deepEqual(common, before)
    assert.deepEqual(
      read(other).groups.map(({ text }) => text),
      [prices.facts.text.text],
    )
  })

  it('counts like queries and failures', () => {
    const list = newList()
    for (let count = 0; count < 3; count += 1) list.fail(list.begin(prices, null, null, null, 0), new Error('no'))
    list.begin(users, null, null, null, 0)
    assert.deepEqual(list.tally(), { alike: 3, failed: 3 })
  })
})
