// The reads and writes of caches, and how much of what was read was there.

import { runsOf } from '../../base/members.ts'
import { formatDuration } from '../../base/html/components.ts'
import { type Blocks, type Line, heading, place, recorded, table, text } from '../../observe/blocks/blocks.ts'
import type { ActivityKind, Happening } from '../../observe/activities/activity.ts'

export type CacheOutcome = 'hit' | 'miss' | 'stale'

export interface CacheFacts {
  /** `lru-cache`, `bentocache`; `null` for caches of the application. */
  readonly library: string | null
  /** Which of several caches; `null` if it has no name. */
  readonly cache: string | null
  /** As the library calls it: `get`, `getOrSet`, `set`, `delete`. */
  readonly operation: string
  /** `null` if it is about no single key. */
  readonly key: string | null
  /** Of reads; `null` for others. `stale`: an expired value was returned. */
  readonly outcome: CacheOutcome | null
}

type Access = CacheFacts & Happening

export const cache: ActivityKind<CacheFacts> = {
  name: 'cache',
  title: 'Cache',
  noun: ['access', 'accesses'],
  most: 500,
  empty:
    'No cache was read or written. lru-cache, bentocache and the client-side cache of redis are captured as they are; hand over keyv, node-cache, cache-manager or a Map with observe(), and report caches of your own with beginCacheAccess().',
  remark: (entries) => {
    const { reads, hits } = tallyOf(entries)
    return `${hits} of ${reads} ${reads === 1 ? 'read' : 'reads'} hit`
  },
  draw: ({ entries }) => [
    {
      kind: 'figures',
      rows: figures(entries).flatMap((value, index) => (value === '–' ? [] : [[value, titles[index] ?? '']])),
    },
    ...byCache(entries),
    heading('In the order they began'),
    table(
      'Accesses in the order they began',
      'row',
      [{ number: 'Start' }, { number: 'Time' }, 'Result', 'Access'],
      runsOf(entries, isSame).map((run) => cellsOf(run, new Set(entries.map(nameOf)).size === 1)),
    ),
  ],
}

const titles = ['Reads that hit', 'Writes and others', 'Total time'] as const

/** A stale value counts as a hit. */
function tallyOf(entries: readonly Access[]): { readonly reads: number; readonly hits: number } {
  const reads = entries.filter(({ outcome }) => outcome !== null)
  return { reads: reads.length, hits: reads.filter(({ outcome }) => outcome !== 'miss').length }
}

/** In the order of the titles. */
function figures(entries: readonly Access[]): readonly string[] {
  const { reads, hits } = tallyOf(entries)
  const others = entries.length - reads
  const hit = reads === 0 ? '–' : `${hits} of ${reads} (${Math.floor((hits / reads) * 100)} %)`
  return [hit, others === 0 ? '–' : String(others), time(entries)]
}

/** `–` if no access was timed. */
function time(entries: readonly Access[]): string {
  const times = entries.flatMap(({ durationMs }) => durationMs ?? [])
  return times.length === 0 ? '–' : formatDuration(times.reduce((sum, ms) => sum + ms, 0))
}

/** Of a single one its name. */
function byCache(entries: readonly Access[]): Blocks {
  const caches = [...Map.groupBy(entries, nameOf)]
  if (caches.length < 2) return caches.map(([name]) => text(['Cache:', recorded(name)]))
  const rows = caches.map(([name, own]) => ({ cells: [{ recorded: name }, ...figures(own)] }))
  const heads = ['Cache', ...titles.map((number) => ({ number }))]
  return [heading('Caches'), { kind: 'table', name: 'Caches', noun: 'cache', heads, rows }]
}

/** `prices`, `users (bentocache)`, `lru-cache 2`. */
function nameOf({ library, cache: name }: Access): string {
  if (library === null) return name ?? 'without a name'
  if (name === null) return library
  return library === 'lru-cache' ? `${library} ${name}` : `${name} (${library})`
}

/** Equal accesses in a row share a line. */
function isSame(one: Access, other: Access): boolean {
  return (['library', 'cache', 'operation', 'key', 'outcome', 'callSite', 'error'] as const).every(
    (name) => one[name] === other[name],
  )
}

/** Milliseconds below which it does not matter how long an access ran. */
const leastMs = 0.1

const tones = { hit: 'success', stale: 'info', miss: 'warning' } as const

function cellsOf(run: readonly [Access, ...Access[]], isOne: boolean): readonly Line[] {
  const [first] = run
  const { startMs, outcome, operation, key, callSite, error } = first
  return [
    formatDuration(startMs),
    // A cache in memory has nothing to wait for.
    (first.durationMs ?? 0) < leastMs ? null : time(run),
    outcome === null ? null : { mark: outcome, tone: tones[outcome] },
    [
      run.length === 1 ? null : { strong: `${run.length} ×` },
      { recorded: operation },
      key === null ? null : { code: key },
      isOne ? null : { quiet: { recorded: nameOf(first) } },
      place(callSite),
      error === null ? null : { failure: error },
    ],
  ]
}
