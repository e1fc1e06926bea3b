// A listener takes part in every request. These two answer early, time every answer, and log the slow ones. Their order in
// the list is the order in which they run, after the library's own.

import { setTimeout as wait } from 'node:timers/promises'
import { createApp, exchangeKey, RouteCollection, run, text, type Listener } from '../src/index.ts'

/** Slower answers than this are logged, in milliseconds. */
const slowMs = 200

/** Whatever belongs to one request lives on its exchange, in a place of its own. */
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
