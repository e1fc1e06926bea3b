// The packages `mongodb` and `mongoose` with a service that answers in place of a database: what the libraries tell of the
// commands they send is theirs, what comes back is made up.

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { MongoClient } from 'mongodb'
import mongoose from 'mongoose'
import { observeMongo } from '../../../src/capture.ts'
import { startWorking } from '../../support/captured.ts'
import { capture, captureSideBySide, codeAt, findingsOf } from '../../support/captured-queries.ts'
import { startMongoAnswers, type MongoAnswers } from '../../support/mongo-answers.ts'

interface Named {
  name: string
}

let service: MongoAnswers
before(async () => {
  service = await startMongoAnswers((command) => {
    if ('explode' in command) return { ok: 0, errmsg: 'no such command', code: 59 }
    if ('find' in command || 'aggregate' in command) {
      return { cursor: { id: 0n, ns: 'shop.users', firstBatch: [{ name: 's3cret' }, { name: 'Bob' }] } }
    }
    return { n: 1, nModified: 1 }
  })
})
after(async () => service[Symbol.asyncDispose]())

describe('observeMongo, with the package mongodb and answers that are made up', () => {
  let client: MongoClient

  before(async () => {
    client = observeMongo(new MongoClient(service.url, { monitorCommands: true, maxPoolSize: 2 }))
    await client.connect()
  })
  after(async () => client.close())

  it('keeps operation, collection and the names of the filter, rows, time, failures, the line of the call', async () => {
    const { captured, profile } = await capture(async () => {
      const users = client.db().collection('users')
      await users.find({ name: 's3cret', age: { $gt: 3 } }).toArray()
      await users.aggregate([{ $match: { name: 's3cret' } }]).toArray()
      await users.updateOne({ name: 's3cret' }, { $set: { name: 's3cret' } })
      await users.insertOne({ name: 's3cret' })
      await assert.rejects(client.db().command({ explode: 1 }), /no such command/)
    })
    assert.deepEqual(
      captured.map(({ text, rows, namespace, durationMs }) => [text, rows, namespace, Number(durationMs) > 0]),
      [
        ['users.find({ name: ?, age: { $gt: ? } })', 2, 'shop', true],
        ['users.aggregate([{ $match: { name: ? } }])', 2, 'shop', true],
        ['users.update([{ name: ? }])', 1, 'shop', true],
        ['users.insert()', 1, 'shop', true],
        ['shop.explode()', null, 'shop', true],
      ],
    )
    assert.match(captured[4]?.error ?? '', /no such command/)
    assert.match(codeAt(captured[0]?.callSite ?? null), /await users\.find/)
    assert.match(codeAt(captured[2]?.callSite ?? null), /await users\.updateOne/)
    assert.doesNotMatch(JSON.stringify(profile), /s3cret/)
  })

  it('tells an N+1 from the very same command sent again', async () => {
    const data = await capture(async () => {
      for (const id of [1, 2, 3]) await client.db().collection('users').findOne({ id })
      for (const id of [1, 1]) await client.db().collection('carts').findOne({ id })
    })
    assert.deepEqual(findingsOf(data), ['n+1 3', 'duplicate 2'])
  })

  it('gives each of several requests its own commands, while they wait for two connections', async () => {
    await using app = await startWorking(async ({ request }) => {
      const who = request.header('x-who') ?? ''
      await Promise.all([1, 2, 3].map(() => client.db().collection(who).findOne({ a: 1 })))
    })
    const names = ['ann', 'bob', 'cid', 'dan', 'eve']
    assert.deepEqual(
      await captureSideBySide(app, names),
      names.map((who) => Array.from({ length: 3 }, () => `${who}.find({ a: ? })`)),
    )
  })

  it('refuses a client that tells nothing', async () => {
    await using silent = new MongoClient(service.url)
    assert.throws(() => observeMongo(silent), /monitorCommands: true/)
  })
})

describe('mongooseSource, with the package mongoose and answers that are made up', () => {
  let connection: mongoose.Connection

  let User: ReturnType<typeof modelOf>

  before(async () => {
    connection = await mongoose.createConnection(service.url, { autoIndex: false, autoCreate: false }).asPromise()
    User = modelOf(connection)
  })
  after(async () => connection.close())

  it('keeps operation, collection and the names of the filter, rows, time, the line of the call', async () => {
    const { captured, profile } = await capture(async () => {
      await User.find({ name: 's3cret' }).exec()
      await User.aggregate([{ $match: { name: 's3cret' } }]).exec()
      await new User({ name: 's3cret' }).save()
      await User.insertMany([{ name: 's3cret' }])
      await User.updateOne({ name: 's3cret' }, { name: 's3cret' })
    })
    assert.deepEqual(
      captured.map(({ library, text, rows, namespace, durationMs }) => [
        library,
        text,
        rows,
        namespace,
        Number(durationMs) > 0,
      ]),
      [
        ['mongoose', 'users.find({ name: ? })', 2, 'shop', true],
        ['mongoose', 'users.aggregate([{ $match: { name: ? } }])', 2, 'shop', true],
        ['mongoose', 'users.save()', null, 'shop', true],
        ['mongoose', 'users.insertMany()', 1, 'shop', true],
        ['mongoose', 'users.updateOne({ name: ? })', null, 'shop', true],
      ],
    )
    assert.match(codeAt(captured[0]?.callSite ?? null), /await User\.find/)
    assert.doesNotMatch(JSON.stringify(profile), /s3cret/)
  })

  it('keeps why an operation failed, and tells an N+1 from the very same operation', async () => {
    const data = await capture(async () => {
      for (const name of ['s3cret1', 's3cret2', 's3cret3']) await User.findOne({ name }).exec()
      await User.countDocuments({ _id: 's3cret' }).exec()
    })
    assert.deepEqual(findingsOf(data), ['n+1 3'])
    assert.match(data.captured[3]?.error ?? '', /Cast to ObjectId failed/)
    assert.doesNotMatch(JSON.stringify(data.profile), /s3cret/)
  })
})

/** Its type follows from the schema. */
function modelOf(connection: mongoose.Connection) {
  return connection.model('User', new mongoose.Schema<Named>({ name: String }))
}
