// The packages `mongodb` and `mongoose` with a service that answers in place of a database: what the libraries tell of the
// commands they send is theirs, what comes back is made up.

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { MongoClient } from 'mongodb'
import mongoose from 'mongoose'
import { observeMongo } from '../../../src/capture.ts'
import { capture, findingsOf, expectCaptured, itKeepsApart, itTellsRepeats } from '../../support/captured-queries.ts'
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
    const work = async (): Promise<void> => {
      const users = client.db().collection('users')
      await users.find({ name: 's3cret', age: { $gt: 3 } }).toArray()
      await users.aggregate([{ $match: { name: 's3cret' } }]).toArray()
      await users.updateOne({ name: 's3cret' }, { $set: { name: 's3cret' } })
      await users.insertOne({ name: 's3cret' })
      await assert.rejects(client.db().command({ explode: 1 }), /no such command/)
    }
    const { captured } = await expectCaptured(work, { namespace: 'shop' }, [
      ['users.find({ name: ?, age: { $gt: ? } })', 2, /await users\.find/],
      ['users.aggregate([{ $match: { name: ? } }])', 2],
      ['users.update([{ name: ? }])', 1, /await users\.updateOne/],
      ['users.insert()', 1],
      ['shop.explode()', null],
    ])
    assert.match(captured[4]?.error ?? '', /no such command/)
  })

  itTellsRepeats((id) => client.db().collection('users').findOne({ id }))

  itKeepsApart(
    'while they wait for two connections',
    async (who) => Promise.all([1, 2, 3].map(() => client.db().collection(who).findOne({ a: 1 }))),
    (who) => Array<string>(3).fill(`${who}.find({ a: ? })`),
  )

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
    const work = async (): Promise<void> => {
      await User.find({ name: 's3cret' }).exec()
      await User.aggregate([{ $match: { name: 's3cret' } }]).exec()
      await new User({ name: 's3cret' }).save()
      await User.insertMany([{ name: 's3cret' }])
      await User.updateOne({ name: 's3cret' }, { name: 's3cret' })
    }
    await expectCaptured(work, { library: 'mongoose', namespace: 'shop' }, [
      ['users.find({ name: ? })', 2, /await User\.find/],
      ['users.aggregate([{ $match: { name: ? } }])', 2],
      ['users.save()', null],
      ['users.insertMany()', 1],
      ['users.updateOne({ name: ? })', null],
    ])
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
