// GraphQL operations in the profile, with the package `graphql` as it is.

import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import DataLoader from 'dataloader'
import { buildSchema, execute, graphql, parse, type GraphQLSchema } from 'graphql'
import { observeSqlite } from '../../../src/capture.ts'
import type { DatabaseData } from '../../../src/observe/outgoing/database-data.ts'
import { databasePanel } from '../../../src/pages/panels/database.ts'
import { graphqlText, graphqlPart } from '../../../src/capture/graphql-part.ts'
import { maxFields, maxOperations } from '../../../src/capture/graphql.ts'
import type { RecordedGraphql } from '../../../src/observe/request-record.ts'
import type { Profile } from '../../../src/observe/profile.ts'
import { describedPanel } from '../../../src/analysis/pages/panels.ts'
import type { PanelView } from '../../../src/pages/panel.ts'
import { profileOf, startWorking, type Work } from '../../support/captured.ts'
import { pageText } from '../../support/page-text.ts'
import { makeProfile } from '../../support/profiles.ts'

const schema = schemaOf(
  `type Query { user(name: String, password: String): User late: String sync: String }
   type User { name: String orders(first: Int): [Order] }
   type Order { id: ID price: String }
   type Mutation { rename(name: String!): String }`,
  {
    Query: {
      user: () => ({ name: 'Ada' }),
      late: async () => {
        await delay(1)
        throw new Error('No connection with Bearer abcdefghijklmnop1234')
      },
      sync: () => 'now',
    },
    User: { orders: async () => [{ id: 1 }, { id: 2 }, { id: 3 }] },
    Order: { price: async () => '1.00' },
    Mutation: { rename: () => 'done' },
  },
)

describe('GraphQL operations', () => {
  it('keeps operation, document, variables, steps, errors and the time of resolvers, masked', async () => {
    const { data, profile } = await captured(async () => {
      await graphql({
        schema,
        source: `query Orders($name: String, $password: String) { # of one user
          user(name: $name, password: $password) { name, orders(first: 3) { id price } } late }`,
        variableValues: { name: 'Ada', password: 'hunter2' },
      })
    })
    const [operation, ...others] = data.operations
    assert.deepEqual(others, [])
    assert.equal(operation?.kind, 'query')
    assert.equal(operation.name, 'Orders')
    assert.equal(
      operation.document,
      `query Orders($name: String, $password: String) { 
          user(name: $name, password: $password) { name, orders(first: 3) { id price } } late }`,
    )
    assert.deepEqual(operation.variables?.value, { name: 'Ada', password: '******' })
    for (const ms of [operation.parseMs, operation.validateMs, operation.executeMs]) assert.ok(ms !== null && ms >= 0)
    assert.equal(operation.errorCount, 1)
    assert.match(operation.errors[0] ?? '', /^No connection/)
    assert.doesNotMatch(JSON.stringify(profile), /hunter2|abcdefghijklmnop1234|of one user/)
    const calls = data.resolvers.map(({ name, count, failed }) => `${name} ${count} ${failed}`)
    assert.deepEqual(
      new Set(calls),
      new Set(['Order.price 3 0', 'Query.late 1 1', 'Query.user 1 0', 'User.orders 1 0']),
    )
  })

  it('lists the methods of the root that are called, failed or not, and no property below them', async () => {
    const rootValue = {
      user: () => ({ name: 'Ada' }),
      late: () => {
        throw new Error('too late')
      },
    }
    const plain = buildSchema('type Query { user: User late: String } type User { name: String }')
    const { data, profile } = await captured(async () =>
      graphql({ schema: plain, source: '{ user { name } other: user { name } late }', rootValue }),
    )
    assert.deepEqual(data.resolvers.map(({ name, count, failed }) => `${name} ${count} ${failed}`).sort(), [
      'Query.late 1 1',
      'Query.user 2 0',
    ])
    assert.match(drawn(data), /Query\.user 2 /)
    assert.equal(profile.errorMessage, 'too late')
  })

  it('keeps what is run without waiting, what cannot be parsed, and what is not valid', async () => {
    const document = parse('mutation { rename(name: "x") }')
    const { data } = await captured(() => {
      for (let turn = 0; turn < 2; turn += 1) void execute({ schema, document })
      return Promise.all([graphql({ schema, source: '{ user(' }), graphql({ schema, source: '{ nothing }' })])
    })
    assert.deepEqual(
      data.operations.map(({ kind, document: text, executeMs, errorCount }) => [
        kind,
        text,
        executeMs !== null,
        errorCount,
      ]),
      [
        ['mutation', 'mutation { rename(name: "x") }', true, 0],
        ['mutation', 'mutation { rename(name: "x") }', true, 0],
        [null, '{ user(', false, 1],
        ['query', '{ nothing }', false, 1],
      ],
    )
  })

  it('names the resolver whose calls each sent a query, and not one that gathers them', async () => {
    const database = observeSqlite(new DatabaseSync(':memory:'))
    database.exec('CREATE TABLE customers (id INTEGER, name TEXT)')
    const read = (id: number): unknown => database.prepare('SELECT name FROM customers WHERE id = ?').get(id)
    const many = (ids: readonly number[]): Promise<null[]> => {
      database.prepare(`SELECT * FROM customers WHERE id IN (${ids.map(() => '?').join()})`).all(...ids)
      return Promise.resolve(ids.map(() => null))
    }
    const orders = [{ id: 1 }, { id: 2 }, { id: 3 }]
    const shop = schemaOf(
      `type Query { orders: [Order] }
       type Order { customer: String seller: String }`,
      {
        Query: { orders: () => orders },
        Order: {
          customer: async (order: { id: number }) => {
            await delay(1)
            read(order.id)
            return null
          },
          seller: (order: { id: number }, _: unknown, context: { sellers: DataLoader<number, null> }) =>
            context.sellers.load(order.id),
        },
      },
    )
    const { profile, data } = await captured(async () => {
      const contextValue = { sellers: new DataLoader(many) }
      const [one, other] = ['query One { orders { customer seller } }', 'query Other { orders { customer } }']
      await graphql({ schema: shop, source: one, contextValue })
      await graphql({ schema: shop, source: other })
    })
    const { findings, groups } = profile.data['database'] as DatabaseData
    assert.deepEqual(
      findings
        .filter(({ kind }) => kind === 'n+1')
        .map(({ field, group, count }) => [field, groups[group]?.text, count]),
      [['Order.customer', 'SELECT name FROM customers WHERE id = ?', 6]],
    )
    assert.deepEqual(data.resolvers.map(({ name, operation, count }) => `${operation} ${name} ${count}`).sort(), [
      '0 Order.customer 3',
      '0 Order.seller 3',
      '0 Query.orders 1',
      '1 Order.customer 3',
      '1 Query.orders 1',
    ])
    const page = pageText(String(describedPanel(graphqlPart).render(data, view(profile))))
    assert.match(page, /N\+1:.*the resolver Order\.customer sent one query 6 times.*dataloader/s)
    for (const operation of ['1. One', '2. Other']) assert.ok(page.includes(`Order.customer ${operation} 3`))
    assert.match(
      pageText(String(databasePanel.render(profile.data['database'] as DatabaseData, view(profile)))),
      /Each call of the resolver Order\.customer sent one/,
    )
  })

  it('shows them as spans of the request', async () => {
    const { profile } = await captured(async () => graphql({ schema, source: 'query Sync { sync }' }))
    const { spans } = profile.data['time'] as { readonly spans: readonly { readonly name: string }[] }
    assert.equal(spans.filter(({ name }) => name === 'query Sync').length, 1)
  })

  it('is held within bounds: many operations, long documents, many fields, deep variables', async () => {
    const fields = Array.from({ length: maxFields + 50 }, (_, index) => `f${index}`)
    const wide = schemaOf(`type Query { ${fields.map((name) => `${name}: Int`).join(' ')} }`, {
      Query: Object.fromEntries(fields.map((name) => [name, () => 1])),
    })
    let deep: object = {}
    for (let level = 0; level < 5000; level += 1) deep = { deep }
    const { data, profile } = await captured(async () => {
      await graphql({
        schema: wide,
        source: `{ ${fields.join(' ')} }`,
        variableValues: { deep, long: 'x'.repeat(1e6) },
      })
      for (let turn = 0; turn < maxOperations + 10; turn += 1) await graphql({ schema, source: '{ sync }' })
      await graphql({ schema, source: `{ ${'{'.repeat(3000)}${'"'.repeat(20_001)}` })
    })
    assert.equal(data.operations.length, maxOperations)
    assert.equal(data.dropped, 12)
    assert.equal(data.resolvers.length, maxFields)
    assert.equal(data.droppedCalls, 50 + 60)
    assert.ok(JSON.stringify(profile).length < 300_000)
  })

  it('hears nothing of graphql 16 without load hooks', async () => {
    const older = createRequire(new URL('../../integrations/older/package.json', import.meta.url))
    const { buildSchema: build, graphql: run } = older('graphql') as {
      readonly buildSchema: typeof buildSchema
      readonly graphql: typeof graphql
    }
    const { profile } = await captured(async () => run({ schema: build('type Query { a: Int }'), source: '{ a }' }))
    assert.equal(profile.data['graphql'], undefined)
    assert.match(drawn(undefined), /No GraphQL operations/)
  })
})

describe('graphqlText', () => {
  const cases: Readonly<Record<string, readonly [string, string]>> = {
    'a document as it was sent, without comments': [
      '{ a: b @include(if: $x) { # why\n ...F } }',
      '{ a: b @include(if: $x) { \n ...F } }',
    ],
    'values that are masked by their names': [
      '{ login(password: "hunter2", nested: { token: """a\nb""" }, tokens: ["x"], pin: 1234) }',
      '{ login(password: "******", nested: { token: "******" }, tokens: ["x"], pin: ******) }',
    ],
    'what is not whole': ['} ] ) "open', '} ] ) "open"'],
    nothing: ['', ''],
  }
  const maskValue = (name: string, value: string): string =>
    ['password', 'token', 'pin'].includes(name) ? '******' : value
  for (const [name, [source, expected]] of Object.entries(cases)) {
    it(name, () => assert.equal(graphqlText(source, maskValue), expected))
  }
})

describe('the GraphQL panel', () => {
  it('draws operations with their errors, and resolvers by time', async () => {
    const { data } = await captured(async () => {
      await graphql({ schema, source: 'query Late($n: Int) { late }', variableValues: {} })
      await graphql({ schema, source: '{ late sync }' })
    })
    const text = drawn(data)
    assert.match(text, /query Late/)
    assert.match(text, /Query\.late 2\. query 1/)
    assert.equal(describedPanel(graphqlPart).badge?.(data)?.tone, 'error')
  })

  it('escapes what operations hold', () => {
    const operation = {
      kind: '<i>',
      name: '<b>',
      document: '<script>',
      isCut: true,
      variables: { value: { '<u>': '<s>' } },
      startMs: 0,
      parseMs: null,
      validateMs: null,
      executeMs: null,
      errors: ['<p>'],
      errorCount: 30,
    }
    const resolvers = [{ name: '<q>', count: 1, totalMs: 1, slowestMs: 1, failed: 1 }]
    const markup = String(
      describedPanel(graphqlPart).render({ operations: [operation], dropped: 0, resolvers, droppedCalls: 1 }, view()),
    )
    assert.doesNotMatch(markup, /<(?:i|b|u|s|q|script)>/)
    assert.match(pageText(markup), /29 more errors not kept.*not ended|not ended.*29 more errors not kept/s)
  })
})

async function captured(work: Work): Promise<{ readonly data: RecordedGraphql; readonly profile: Profile }> {
  await using app = await startWorking(work)
  const profile = await profileOf(app)
  // Only the collector keeps something under the name.
  return { data: profile.data['graphql'] as RecordedGraphql, profile }
}

function view(profile: Profile = makeProfile()): PanelView {
  return { profile, linkTo: () => '/database' }
}

function drawn(data: RecordedGraphql | undefined): string {
  return pageText(String(describedPanel(graphqlPart).render(data, view())))
}

type Resolvers = Readonly<Record<string, Readonly<Record<string, (...given: never[]) => unknown>>>>

function schemaOf(source: string, resolvers: Resolvers): GraphQLSchema {
  const built = buildSchema(source)
  for (const [type, fields] of Object.entries(resolvers)) {
    const known = built.getType(type)
    if (known === undefined || !('getFields' in known)) throw new Error(`there is no type ${type}`)
    for (const [name, resolve] of Object.entries(fields)) Object.assign(known.getFields()[name] ?? {}, { resolve })
  }
  return built
}
