// Reads and writes of caches, as `lru-cache` (from 11.4), `bentocache` and the client-side cache of `redis` publish them.

import { type ActivityStart } from '../../observe/activities/activity.ts'
import { beginActivity } from '../../observe/activities/begin-activity.ts'
import { cache, type CacheFacts, type CacheOutcome } from '../../capture/activities/cache.ts'
import { deepStackFrames, stackFrames, cacheKey } from '../../capture/begin-query.ts'
import { markCallSite } from '../../observe/call-site.ts'
import { isOwn, type CaptureOwner } from '../../observe/owner.ts'
import { Channels, isMessage, traced, type ChannelListener, type Message } from '../../observe/tracing-source.ts'

export function cacheSource(owner: CaptureOwner): Channels {
  const lruStart = lruStarts()
  const note = (start: (message: Message) => ActivityStart<CacheFacts> | undefined): ChannelListener => {
    return (message) => {
      if (isMessage(message) && isOwn(owner)) beginActivity(cache, () => start(message))
    }
  }
  return new Channels('cache', {
    'lru-cache:metrics': note(lruStart),
    ...traced(
      owner,
      'lru-cache',
      (message) => beginActivity(cache, () => lruStart(message)),
      (access) => access.end(),
    ),
    ...traced(
      owner,
      'bentocache.cache.operation',
      (message) => beginActivity(cache, () => bentoStart(message)),
      (access, message) => access.end({ outcome: bentoOutcome(message) }),
    ),
    'node-redis:cache:request': note(redisStart),
  })
}

/** A key that no cache has. */
const probe = Symbol('probe')

/** Whether it is a cache of `lru-cache` that publishes what it does. */
export function isPublished(target: object): boolean {
  const has: unknown = Reflect.get(target, 'has')
  if (Reflect.get(target, Symbol.toStringTag) !== 'LRUCache' || typeof has !== 'function') return false
  const status: { readonly cache?: unknown } = {}
  Reflect.apply(has, target, [probe, { status }])
  return status.cache === target
}

/** They have no names: they are numbered in the order of their first use. */
function lruStarts(): (message: Message) => ActivityStart<CacheFacts> | undefined {
  const names = new WeakMap<object, string | null>()
  let count = 0
  /** `null` for a cache inside of bentocache. */
  const nameOf = (cache: unknown): string | null => {
    if (!isMessage(cache)) return ''
    const known = names.get(cache)
    if (known !== undefined) return known
    const isInner = /[\\/]node_modules[\\/]bentocache[\\/]/.test(markCallSite(deepStackFrames).stack ?? '')
    const name = isInner ? null : String((count += 1))
    names.set(cache, name)
    return name
  }
  return (message) => {
    // Setting and reading delete what has expired.
    if (message['op'] === 'delete' && message['delete'] !== 'delete') return undefined
    const cache = message['key'] === probe ? null : nameOf(message['cache'])
    if (cache === null) return undefined
    const [operation, key] = [String(message['op']), cacheKey(message['key'])]
    const facts = { library: 'lru-cache', cache, operation, key, outcome: lruOutcome(message) }
    return { facts, site: stackFrames }
  }
}

function lruOutcome(message: Message): CacheOutcome | null {
  const operation = String(message['op'])
  if (!['get', 'has', 'peek', 'memo', 'fetch'].includes(operation)) return null
  if (message['returnedStale'] === true) return 'stale'
  // Without a method that fetches, `fetch` only reads.
  const state = message[operation] === 'get' ? message['get'] : message[operation]
  return state === 'hit' || (state === 'fetching' && message['value'] !== undefined) ? 'hit' : 'miss'
}

function bentoStart({ operation, key, keys, store }: Message): ActivityStart<CacheFacts> {
  const shown = Array.isArray(keys) ? keys.join(', ') : key
  const [name, of] = [String(operation), cacheKey(store)]
  const facts = { library: 'bentocache', cache: of, operation: name, key: cacheKey(shown), outcome: null }
  return { facts, site: deepStackFrames }
}

function bentoOutcome({ hit, graced }: Message): CacheOutcome | null {
  if (typeof hit !== 'boolean') return null
  return hit ? (graced === true ? 'stale' : 'hit') : 'miss'
}

/** It names no key. What it does not have is a query, too. */
function redisStart({ result }: Message): ActivityStart<CacheFacts> {
  const outcome = result === 'hit' ? 'hit' : 'miss'
  return { facts: { library: 'redis', cache: null, operation: 'get', key: null, outcome }, site: deepStackFrames }
}
