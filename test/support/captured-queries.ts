// What a profile says of statements to databases and caches, in the shapes that the suites of real servers compare.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { DatabaseQuery } from '../../src/profiler/capture/database-data.ts'
import type { DatabaseData } from '../../src/profiler/capture/database-data.ts'
import type { Profile } from '../../src/profiler/profile.ts'
import { profileOf, startWorking, type Work } from './captured.ts'
import type { RunningApp } from './running-app.ts'

const root = join(import.meta.dirname, '../..')

/** The statements of a profile; of one without any, an empty list. */
export function databaseOf(profile: Profile): DatabaseData {
  const empty: DatabaseData = { queries: [], groups: [], findings: [], dropped: 0, durationMs: 0 }
  // Only the collector keeps something under the name.
  return (profile.data['database'] as DatabaseData | undefined) ?? empty
}

/** A statement together with what its group says. */
export interface CapturedQuery extends DatabaseQuery {
  readonly text: string
  readonly system: string
  readonly library: string
  readonly namespace: string | null
}

/** What one request did. */
export interface CapturedWork extends DatabaseData {
  readonly profile: Profile
  readonly captured: readonly CapturedQuery[]
}

/** Serves one request that does `work`, and hands out the statements of its profile. */
export async function capture(work: Work): Promise<CapturedWork> {
  await using app = await startWorking(work)
  const profile = await profileOf(app)
  const data = databaseOf(profile)
  const captured = data.queries.map((statement) => {
    const group = data.groups[statement.group]
    if (group === undefined) throw new Error(`there is no group ${statement.group}`)
    return { ...group, ...statement }
  })
  return { ...data, profile, captured }
}

/** The texts of the statements of several requests that run side by side; each finds its name in the header `x-who`. */
export async function captureSideBySide(
  app: RunningApp,
  names: readonly string[],
): Promise<readonly (readonly string[])[]> {
  const profiles = await Promise.all(names.map((name) => profileOf(app, { 'x-who': name })))
  return profiles.map((profile) => {
    const { queries, groups } = databaseOf(profile)
    return queries.map(({ group }) => groups[group]?.text ?? '')
  })
}

/** The line of code that a call site names: `src/prices.ts:12`. */
export function codeAt(callSite: string | null): string {
  const place = /^(?<file>.+):(?<line>\d+)$/.exec(callSite ?? '')?.groups
  if (place === undefined) throw new Error(`"${callSite}" names no line`)
  const lines = readFileSync(join(root, place['file'] ?? ''), 'utf8').split('\n')
  return lines[Number(place['line']) - 1]?.trim() ?? ''
}

/** Kind and count of what was found, `n+1 3`. */
export function findingsOf({ findings }: DatabaseData): readonly string[] {
  return findings.map(({ kind, count }) => `${kind} ${count}`)
}
