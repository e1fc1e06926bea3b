// Kysely, Drizzle and Knex on a real MariaDB: `mysql2` below them tells of their statements, so nothing is handed over.

import { after, before, describe, it } from 'node:test'
import { eq } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/mysql2'
import { int, mysqlTable, text } from 'drizzle-orm/mysql-core'
import knexBuilder from 'knex'
import { Kysely, MysqlDialect } from 'kysely'
import callbackApi from 'mysql2'
import mysql from 'mysql2/promise'
import { expectCaptured } from '../../../../support/captured-queries.ts'
import { startMariadb, type DatabaseServer } from '../../../../support/database-servers.ts'

const users = mysqlTable('users', { id: int('id').primaryKey(), name: text('name') })

describe('mysql2Source, below query builders on a real MariaDB', () => {
  let server: DatabaseServer
  const settings = () => ({ socketPath: server.socket, user: 'root', database: 'test' })

  before(async () => {
    server = await startMariadb()
    const connection = await mysql.createConnection(settings())
    await connection.query('CREATE TABLE users (id int PRIMARY KEY, name text)')
    await connection.query("INSERT INTO users VALUES (1, 'Ann'), (2, 'Bob')")
    await connection.end()
  })
  after(async () => server.stop())

  it('keeps statements of Kysely', async () => {
    const dialect = new MysqlDialect({ pool: callbackApi.createPool(settings()) })
    await using kysely = new Kysely<{ users: { id: number; name: string } }>({ dialect })
    const work = async (): Promise<unknown> =>
      await kysely.selectFrom('users').select('id').where('name', '<>', 's3cret').execute()
    await expectCaptured(work, { library: 'mysql2' }, [
      ['select `id` from `users` where `name` <> ?', 2, /await kysely\.selectFrom/],
    ])
  })

  it('keeps statements of Drizzle', async () => {
    const pool = mysql.createPool(settings())
    const database = drizzle(pool)
    const work = async (): Promise<unknown> =>
      await database.update(users).set({ name: 's3cret' }).where(eq(users.id, 1)).execute()
    await expectCaptured(work, { library: 'mysql2' }, [
      ['update `users` set `name` = ? where `users`.`id` = ?', 1, /await database\.update/],
    ])
    await pool.end()
  })

  it('keeps statements of Knex', async () => {
    const knex = knexBuilder({ client: 'mysql2', connection: settings() })
    await knex.raw('SELECT 1')
    const work = async (): Promise<unknown> => await knex('users').where({ name: 's3cret!' })
    await expectCaptured(work, { library: 'mysql2' }, [
      ['select * from `users` where `name` = ?', 0, /await knex\('users'\)/],
    ])
    await knex.destroy()
  })
})
