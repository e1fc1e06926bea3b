// A listener takes part in every request. These two respond early, time every response, and log the slow ones. They run in the order of
// the list, after those of plugins; onResponse runs in reverse.

import { setTimeout as wait } from 'node:timers/promises'
import { createApp, exchangeKey, RouteCollection, run, text, type Listener } from '../src/index.ts'

/** Slower responses are logged, in milliseconds. */
const slowMs = 200

/** What belongs to one request is kept on its exchange. */
const startedAt = exchangeKey<number>('started at')

const timing: Listener = {
  name: 'timing',

  onRequest(exchange) {
    exchange.set(startedAt, performance.now())
  },

  onResponse(exchange, reply) {
    const ms = performance.now() - (exchange.get(startedAt) ?? NaN)
    reply.setHeader('server-timing', `app;dur=${ms.toFixed(1)}`)
  },

  onTerminate(exchange) {
    const ms = performance.now() - (exchange.get(startedAt) ?? NaN)
    if (ms > slowMs) exchange.log.warn('{handler} took {ms} ms.', { handler: exchange.handlerName, ms: Math.round(ms) })
  },
}

const robots: Listener = {
  name: 'robots',

  // A reply from here is sent as it is: no route is looked up, and onResponse does not run.
  onRequest(exchange) {
    return exchange.request.path === '/robots.txt' ? text('User-agent: *\nDisallow: /\n') : undefined
  },
}

const routes = new RouteCollection()
  .get('quick', '/', () => text('Look at the header "server-timing", then try /slow and the log.\n'))
  .get('slow', '/slow', async () => {
    await wait(slowMs * 2)
    return text('That took a while.\n')
  })

await run((context) => createApp({ context, routes, listeners: [timing, robots] }))
