// The GraphQL panel in a browser: one operation, many, none.

import assert from 'node:assert/strict'
import { it } from 'node:test'
import { buildSchema, graphql } from 'graphql'
import { json, RouteCollection } from '../../src/index.ts'
import { assertAccessible, assertNoSidewaysScrolling, everyLook, openPage } from '../support/browser.ts'
import { forAll } from '../support/for-all.ts'
import { startApp } from '../support/running-app.ts'

const name = 'aFieldWithAVeryLongNameThatDoesNotFitIntoANarrowWindowAtAll'
const schema = buildSchema(`type Query { ${name}(id: ID, password: String): String }`)
Object.assign(schema.getQueryType()?.getFields()[name] ?? {}, {
  resolve: () => {
    throw new Error('There is no such field in the database, whatever its name is')
  },
})

const routes = new RouteCollection()
routes.get('operations', '/operations/{count<\\d+>}', async ({ request: { params } }) => {
  for (let index = 0; index < Number(params.count); index += 1) {
    await graphql({
      schema,
      source: `query Orders($id: ID, $password: String) { ${name}(id: $id, password: $password) }`,
      variableValues: { id: 'x'.repeat(300), password: 'hunter2' },
    })
  }
  return json({})
})
const app = await forAll(startApp({ routes }))

it('the GraphQL panel: shows operations, masked variables, errors and resolvers, in every look', async (test) => {
  const addresses: string[] = []
  for (const count of [0, 1, 70]) {
    const token = (await app.send({ target: `/operations/${count}` })).header('x-debug-token') ?? ''
    addresses.push(`${app.url}/_profiler/${token}?panel=graphql`)
  }
  const [none = '', one = '', many = ''] = addresses
  for (const look of everyLook) {
    const page = await openPage(test, look, app.url)
    const check = async (): Promise<void> => {
      await assertNoSidewaysScrolling(page)
      await assertAccessible(page)
    }
    await page.goto(none)
    assert.match(await page.locator('main').innerText(), /No GraphQL operations/)
    await check()
    await page.goto(one)
    const text = await page.locator('main').innerText()
    assert.match(text, /Orders/)
    assert.match(text, /There is no such field/)
    assert.match(text, /\*{6}/)
    assert.doesNotMatch(text, /hunter2/)
    assert.equal(await page.locator('.blocks tbody tr').count(), 1)
    await check()
    await page.goto(many)
    assert.match(await page.locator('main').innerText(), /50 of 70 operations recorded/)
    await check()
  }
})
