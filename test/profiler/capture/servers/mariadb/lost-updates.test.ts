// Rows of a real MariaDB that overlapping requests wrote over each other.

import assert from 'node:assert/strict'
import { it } from 'node:test'
import mysql from 'mysql2/promise'
import { startMariadb } from '../../../../support/database-servers.ts'
import { kindsIn, startTurns, type Step } from '../../../../support/taking-turns.ts'

it('finds lost updates of mysql2, with values in the text and beside it', async (test) => {
  const server = await startMariadb()
  const settings = { socketPath: server.socket, user: 'root', database: 'test' }
  const pool = mysql.createPool({ ...settings, connectionLimit: 2 })
  const turns = await startTurns()
  test.after(async () => {
    await turns.close()
    await pool.end()
    await server.stop()
  })
  await pool.query('CREATE TABLE items (id int PRIMARY KEY, stock int)')
  await pool.query('INSERT INTO items VALUES (1, 10), (2, 10)')
  const [read, update] = ['SELECT stock FROM items WHERE id = ?', 'UPDATE items SET stock = ? WHERE id = ?']
  const steps: Readonly<Record<string, Step>> = {
    read: () => pool.query(read, [1]),
    write: () => pool.query(update, [9, '1']),
    ask: () => pool.execute(read, [1]),
    set: () => pool.execute(update, [8, 1]),
    other: () => pool.query(update, [9, 2]),
    count: () => pool.query('UPDATE items SET stock = stock - ? WHERE id = ?', [1, 1]),
    begun: async () => {
      const lent = await pool.getConnection()
      await lent.beginTransaction()
      await lent.query(update, [7, 1])
      await lent.rollback()
      lent.release()
    },
  }
  const kinds = async (order: string): Promise<readonly string[]> => kindsIn(await turns.run(order.split(', '), steps))
  for (const order of ['a read, b read, b write, a write', 'a ask, b set, a write'])
    assert.deepEqual(await kinds(order), ['a lost_update'], order)
  for (const order of ['a read, b other, a write', 'a read, b count, a count', 'a read, b begun, a write'])
    assert.deepEqual(await kinds(order), [], order)
})
