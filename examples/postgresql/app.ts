// An application whose lock is in PostgreSQL. Run schema.sql, then start it with
// `DATABASE_URL=postgresql://… APP_ENV=dev node examples/postgresql/app.ts`; in your project, import from 'fanlight'.
// `fanlight run lock-on "moving house" --module examples/postgresql/app.ts` closes it.

import { createApp, maintenance, RouteCollection, run, text, type FrontController } from '../../src/index.ts'
import { PostgresLockStore } from './lock-store.ts'

const routes = new RouteCollection().get('home', '/', () => text('Open.\n'))

export const frontController: FrontController = (context) => {
  const lock = new PostgresLockStore({ connectionString: process.env['DATABASE_URL'] })
  const setLock = (value: number, reason = ''): Promise<void> =>
    lock.write({ value, reason, retryAfterSeconds: null, changedAt: new Date().toISOString() })
  return createApp({
    context,
    routes,
    plugins: [
      // Named first, it is stopped last.
      { name: 'database', stop: () => lock.close() },
      maintenance({ store: lock }),
    ],
    commands: {
      'lock-on': ({ args }) => setLock(1, args[0]),
      'lock-off': () => setLock(0),
    },
  })
}

if (import.meta.main) await run(frontController)
