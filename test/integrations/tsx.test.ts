// Programs that tsx compiles: it loads a module twice where one part of a program imports it and another requires it.

import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { describe, it } from 'node:test'
import { pathToFileURL } from 'node:url'
import { appFolder, register, serving } from '../support/registered-app.ts'

const tsx = pathToFileURL(createRequire(import.meta.resolve('./older/package.json')).resolve('tsx')).href

const program = `
import { DatabaseSync } from 'node:sqlite'
enum Table { Orders = 'orders' }
const database: DatabaseSync = new DatabaseSync(':memory:')
database.exec('CREATE TABLE ' + Table.Orders + ' (id)')
const orders = database.prepare('SELECT * FROM ' + Table.Orders)
${serving("console.warn('one line'); orders.all()")}`

interface Printed {
  readonly profile: {
    readonly data: {
      readonly database: { readonly queries: readonly unknown[] }
      readonly logger: { readonly records: readonly { readonly message: string }[] }
    }
  }
}

describe('a program that tsx compiles', () => {
  const orders = { before: [tsx, register], after: [register, tsx] }
  for (const [order, loaders] of Object.entries(orders)) {
    it(`has its queries and lines in the profile, with tsx ${order} fanlight/register`, async () => {
      await using folder = appFolder({ 'app.mts': program })
      const { stdout, stderr } = await folder.run([...loaders.flatMap((loader) => ['--import', loader]), 'app.mts'])
      const line = stdout.split('\n').find((printed) => printed.startsWith('{')) ?? assert.fail(stderr)
      const { profile } = JSON.parse(line) as Printed
      assert.equal(profile.data.database.queries.length, 1)
      assert.deepEqual(
        profile.data.logger.records.map(({ message }) => message),
        ['one line'],
      )
    })
  }
})
