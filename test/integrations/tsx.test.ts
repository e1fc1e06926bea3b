// Programs that tsx compiles: it loads a module twice where one part of a program imports it and another requires it.

import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { describe, it } from 'node:test'
import { pathToFileURL } from 'node:url'
import { appFolder, asking, printedBy, register, serving } from '../support/registered-app.ts'
import { pick } from '../support/pick.ts'

const tsx = pathToFileURL(createRequire(import.meta.resolve('./older/package.json')).resolve('tsx')).href

const program = `
import { DatabaseSync } from 'node:sqlite'
enum Table { Orders = 'orders' }
const database: DatabaseSync = new DatabaseSync(':memory:')
database.exec('CREATE TABLE ' + Table.Orders + ' (id)')
const orders = database.prepare('SELECT * FROM ' + Table.Orders)
${serving("console.warn('one line'); orders.all()")}`

/** Decorators applied by hand: those of TypeScript would need a setting. */
const cats = `
import 'reflect-metadata'
import { Controller, Get, Module } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
class Cats {
  one(): string {
    const cat = [{ id: 1, name: 'Tom' }].find(({ id }) => id === 9)
    return cat!.name.trim()
  }
}
Get('one')(Cats.prototype, 'one', Object.getOwnPropertyDescriptor(Cats.prototype, 'one')!)
Controller()(Cats)
class Root {}
Module({ controllers: [Cats] })(Root)
void (async () => {
  const app = await NestFactory.create(Root, { logger: false })
  await app.init()
  ${asking('app.getHttpServer()', '/one', '', 'text/markdown')}
})()
`

interface Shown {
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
      const { profile } = JSON.parse(line) as Shown
      assert.equal(profile.data.database.queries.length, 1)
      assert.deepEqual(pick(profile.data.logger.records, 'message'), ['one line'])
    })
  }

  it('has the errors of Nest, whose modules tsx makes CommonJS of', async () => {
    await using folder = appFolder({ 'app.cts': cats })
    const { text, notes } = printedBy(await folder.run(['--import', tsx, '--import', register, 'app.cts']))
    const section = /## Where to change it\n([^]*?)\n## /.exec(text)?.[1]
    assert.match(section ?? text, /^1\. `app\.cts:7 – find\(\) gives undefined where nothing matches`$/m)
    assert.deepEqual(notes, [])
  })
})
