// What handlers of the table do beyond answering: log lines, requests to others, queries, errors after the response.

import { AsyncLocalStorage } from 'node:async_hooks'
import { DatabaseSync } from 'node:sqlite'
import { Writable } from 'node:stream'
import { pino, type Logger } from 'pino'
import winston from 'winston'

/** What an application keeps of a request by its own means. */
export const ownContext: AsyncLocalStorage<string> = new AsyncLocalStorage<string>()

const nowhere = (): Writable => new Writable({ write: (_chunk, _encoding, done) => done() })
const pinoLog: Logger = pino({ base: { password: 'pino-hunter2' } }, nowhere())
const winstonLog = winston.createLogger({ transports: [new winston.transports.Stream({ stream: nowhere() })] })

/** One line by each logger, each with a secret. */
export function writeLogLines(): void {
  console.warn('console counts %d lamps', 3, { password: 'console-hunter2' })
  pinoLog.info({ token: 'pino-token-hunter2' }, 'pino counts lamps')
  winstonLog.warn('winston counts lamps', { password: 'winston-hunter2' })
}

/** Asks whatever the environment names: another server, PostgreSQL, Redis, and SQLite in memory. */
export async function callOthers(): Promise<Record<string, unknown>> {
  return { fetched: await fetchOther(), sqlite: querySqlite(), pg: await queryPostgres(), redis: await askRedis() }
}

async function fetchOther(): Promise<number | null> {
  const url = process.env['CONFORMANCE_OTHER']
  if (url === undefined) return null
  const response = await fetch(`${url}/stock?password=fetch-hunter2`)
  await response.arrayBuffer()
  return response.status
}

function querySqlite(): unknown {
  const database = new DatabaseSync(':memory:')
  database.exec('CREATE TABLE lamps (id INTEGER, title TEXT)')
  database.prepare('INSERT INTO lamps VALUES (?, ?)').run(7, 'reading lamp')
  const row = database.prepare('SELECT title FROM lamps WHERE id = ?').get(7)
  database.close()
  return row?.['title'] ?? null
}

async function queryPostgres(): Promise<unknown> {
  const host = process.env['CONFORMANCE_POSTGRES']
  if (host === undefined) return null
  const { default: pg } = await import('pg')
  const client = new pg.Client({ host, user: 'test', database: 'postgres' })
  await client.connect()
  try {
    const { rows } = await client.query<{ sum: number }>('SELECT 3 + $1::int AS sum', [4])
    return rows[0]?.sum
  } finally {
    await client.end()
  }
}

async function askRedis(): Promise<unknown> {
  const path = process.env['CONFORMANCE_REDIS']
  if (path === undefined) return null
  const { createClient } = await import('redis')
  const client = createClient({ socket: { path, tls: false } })
  await client.connect()
  try {
    await client.set('lamp', 'on')
    return await client.get('lamp')
  } finally {
    client.destroy()
  }
}

/** Throws from a timer: nobody can catch it. */
export function throwLater(): void {
  setTimeout(() => {
    throw new Error('thrown from a timer')
  }, 1)
}

/** Rejects where nobody waits. */
export function rejectUnawaited(): void {
  void Promise.reject(new Error('nobody waits for this'))
}
