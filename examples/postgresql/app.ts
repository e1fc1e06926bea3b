// An application whose lock and currencies are in PostgreSQL. Run schema.sql, then start it with
// `DATABASE_URL=postgresql://… APP_ENV=dev node examples/postgresql/app.ts`; in your project, import from 'fanlight' and
// 'fanlight/currency'. `fanlight run lock-on "moving house" --module examples/postgresql/app.ts` closes it.

import pg from 'pg'
import { activeCurrency, currency, sampleCurrencies } from '../../src/currency.ts'
import { createApp, json, maintenance, RouteCollection, run, type FrontController } from '../../src/index.ts'
import { PostgresCurrencyStore } from './currency-store.ts'
import { PostgresLockStore } from './lock-store.ts'

const routes = new RouteCollection().get('home', '/', (exchange) =>
  json(exchange.get(activeCurrency)?.currency ?? null),
)

export const frontController: FrontController = (context) => {
  const connectionString = process.env['DATABASE_URL']
  // A pool without a listener ends the process when an idle connection is cut.
  const pool = new pg.Pool({ connectionString }).on('error', () => undefined)
  const lock = new PostgresLockStore({ connectionString })
  const currencies = new PostgresCurrencyStore(pool)
  const setLock = (value: number, reason = ''): Promise<void> =>
    lock.write({ value, reason, retryAfterSeconds: null, changedAt: new Date().toISOString() })
  return createApp({
    context,
    routes,
    plugins: [
      // Named first, it is stopped last.
      { name: 'database', stop: async () => void (await Promise.all([lock.close(), pool.end()])) },
      maintenance({ store: lock }),
      currency({ store: currencies }),
    ],
    commands: {
      'lock-on': ({ args }) => setLock(1, args[0]),
      'lock-off': () => setLock(0),
      'fill-currencies': () => currencies.upsert(sampleCurrencies()),
    },
  })
}

if (import.meta.main) await run(frontController)
