// A small application on a store in Redis, run as a process: it follows a collection, calls the store within a request, and lets
// what it knows of its settings out in every way a careless one does.

import type { Redis } from 'ioredis'
import {
  createApp,
  dump,
  json,
  maintenance,
  RouteCollection,
  run,
  type App,
  type Plugin,
  type RuntimeContext,
} from '../../src/index.ts'
import { lazy } from '../../src/http/kernel/lazy.ts'
import { openEngine } from '../../src/app/open-engine.ts'

async function makeApp(context: RuntimeContext): Promise<App> {
  const own = lazy(() => ownClient(context.store))
  let rates: ReadonlyMap<string, unknown> = new Map()
  const follower: Plugin = {
    name: 'rates',
    start: async ({ openStore }) => {
      const collection = (await openStore()).engine.collection('rates')
      collection.watch(
        ({ version, records }) => {
          rates = records
          if (records.size === 0) collection.write({ USD: '1' }, { ifVersion: version }).catch(() => undefined)
        },
        () => undefined,
      )
    },
  }
  return createApp({
    context,
    plugins: [maintenance(), follower],
    routes: ({ openStore }) => {
      const routes = new RouteCollection()
      routes.get('rate', '/rate', () => json(rates.get('USD') ?? null))
      routes.get('store', '/store', async () => {
        const { engine } = await openStore()
        await engine.lock.read()
        await engine.collection('rates').write({ CHF: '0.9' })
        await engine.collection('rates').readAll()
        await (await own()).set('fanlight:own', '1')
        return json({ done: true })
      })
      routes.post('read', '/read', async ({ request }) => json(await request.body.text()))
      routes.get('settings', '/settings', () => {
        dump(context)
        dump({ ...process.env })
        return json({ done: true })
      })
      routes.get('fail', '/fail', ({ log }) => {
        const settings = context
        log.error('Failed with {settings}.', { settings })
        throw Object.assign(new Error(`failed with ${settings.store}`), { settings, url: settings.store })
      })
      return routes
    },
  })
}

/** A client of the application's own, whose commands belong to its requests. */
async function ownClient(address: string): Promise<Redis> {
  const { parseRedisAddress } = await import('../../src/redis/redis-address.ts')
  const { loadSockets } = await import('../../src/redis/redis-command.ts')
  const read = parseRedisAddress(address, '/')
  const [host] = read.hosts
  if (host === undefined) throw new Error('no host')
  const client = (await loadSockets(read))(host)
  await client.connect()
  return client as Redis
}

/** Uses a store and leaves it open: the process must still end. */
async function leaveOpen(address: string): Promise<void> {
  const engine = await openEngine(address, { onWarning: () => undefined, isServing: true })
  const ignored = (): void => undefined
  engine.lock.watch(ignored, ignored)
  await Promise.allSettled([engine.lock.read(), engine.collection('rates').read('EUR'), engine.profiles.find({})])
  console.log('used')
}

if (import.meta.main) {
  const { LEAVE_OPEN: address } = process.env
  await (address === undefined ? run(makeApp) : leaveOpen(address))
}
