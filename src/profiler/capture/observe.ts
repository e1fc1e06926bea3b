// Observes objects of libraries that publish nothing.

import { bullmqParts } from './observed/bullmq.ts'
import { mailTransporter } from './observed/nodemailer.ts'
import { cronerJob, nodeCronTask } from './observed/cron.ts'
import type { Observable } from './observed/observable.ts'
import { eta, ejs, handlebars, nunjucks } from './observed/templates.ts'
import { ajv, standardSchema } from './observed/validators.ts'
import { webSocketClient, webSocketServer } from './sources/websockets.ts'
import { beginActivity } from '../activities/begin-activity.ts'
import { cache, type CacheOutcome } from '../activities/cache.ts'
import { stackFrames } from './begin-query.ts'
import { cacheKey } from './begin-cache-access.ts'
import { wrapMethod } from './observed/wrap-method.ts'

/** A `Map` in which an application caches values. */
const cacheMap: Observable = {
  what: 'a Map that serves as a cache',
  fits: (target) => target instanceof Map,
  observe: (target) => {
    if (target instanceof Map) observeMap(target)
  },
}

/** Everything that can be observed. The first that fits is taken. */
const observables: readonly Observable[] = [
  cacheMap,
  eta,
  ejs,
  nunjucks,
  handlebars,
  mailTransporter,
  ajv,
  standardSchema,
  webSocketServer,
  webSocketClient,
  bullmqParts,
  nodeCronTask,
  cronerJob,
]

/**
 * Records in the profile what `target` does while requests are recorded. Hand it over once, where you make it: a `Map` that serves as a cache,
 * an engine of templates, a queue or worker of BullMQ, a scheduled task.
 * Returns the same object; a second call changes nothing. Throws a TypeError for anything else, which names what is allowed.
 */
export function observe<Target extends object>(target: Target): Target {
  const known = Object(target) === target ? observables.find(({ fits }) => fits(target)) : undefined
  if (known === undefined) {
    const allowed = observables.map(({ what }) => what).join(', ')
    throw new TypeError(`observe() cannot observe ${kindOf(target)}; it observes: ${allowed}`)
  }
  known.observe(target)
  return target
}

/** Never the value, which may hold secrets: `a Pool`, `a function`, `undefined`. */
function kindOf(target: unknown): string {
  if (target === undefined || target === null) return String(target)
  if (typeof target !== 'object') return `a ${typeof target}`
  const name: unknown = Reflect.get(Object(Reflect.get(target, 'constructor')), 'name')
  return typeof name === 'string' && name !== '' && name !== 'Object' ? `a ${name}` : 'a plain object'
}

function observeMap(map: Map<unknown, unknown>): void {
  const { has } = map
  const read = (key: unknown): CacheOutcome => (Reflect.apply(has, map, [key]) ? 'hit' : 'miss')
  for (const operation of ['get', 'has']) {
    wrapMethod(map, operation, (_own, [key], run) => {
      noteAccess(operation, key, () => read(key))
      return run()
    })
  }
  for (const operation of ['set', 'delete', 'clear']) {
    wrapMethod(map, operation, (_own, [key], run) => {
      noteAccess(operation, key)
      return run()
    })
  }
}

function noteAccess(operation: string, key: unknown, outcome: () => CacheOutcome | null = () => null): void {
  beginActivity(cache, () => ({
    facts: { library: null, cache: 'Map', operation, key: cacheKey(key), outcome: outcome() },
    site: stackFrames,
  }))
}
