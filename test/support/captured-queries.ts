// What a profile says of statements to databases and caches, in the shapes that the suites of real servers compare, and what holds for
// every library that sends some.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import type { DatabaseQuery, DatabaseData } from '../../src/observe/outgoing/database-data.ts'
import type { Profile } from '../../src/observe/profile.ts'
import { profileOf, startWorking, withoutCode, type Work } from './captured.ts'
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
  const profile = withoutCode(await profileOf(app))
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

/** What is the same of all statements of a library. */
type Common = Partial<Pick<CapturedQuery, 'system' | 'library' | 'namespace'>>

/**
 * Serves one request that does `work`, and expects its statements: the text, the rows and the code of the call of each. All of them have a
 * time, and nothing that is called `s3cret` is in the profile.
 */
export async function expectCaptured(
  work: Work,
  common: Common,
  statements: readonly (readonly [text: string, rows: number | null, code?: RegExp])[],
): Promise<CapturedWork> {
  const done = await capture(work)
  const names = Object.keys(common) as (keyof Common)[]
  assert.deepEqual(
    done.captured.map((one) => [one.text, one.rows, Number(one.durationMs) > 0, ...names.map((name) => one[name])]),
    statements.map(([text, rows]) => [text, rows, true, ...names.map((name) => common[name])]),
  )
  for (const [index, [, , code]] of statements.entries())
    if (code !== undefined) assert.match(codeAt(done.captured[index]?.callSite ?? null), code)
  assert.doesNotMatch(JSON.stringify(done.profile), /s3cret/)
  return done
}

/** Declares what repeats are called: `send` sends the same text, with the number as its value. */
export function itTellsRepeats(send: (id: number) => unknown): void {
  it('tells an N+1 from the very same statement sent again', async () => {
    for (const [ids, finding] of [
      [[1, 2, 3], 'n+1 3'],
      [[1, 1, 1], 'duplicate 3'],
    ] as const) {
      const data = await capture(async () => {
        for (const id of ids) await send(id)
      })
      assert.deepEqual(findingsOf(data), [finding])
    }
  })
}

/** Declares that requests side by side have their own statements: what `work` sends for the name of one, and the texts of that. */
export function itKeepsApart(
  way: string,
  work: (who: string) => Promise<unknown>,
  textsOf: (who: string) => readonly string[],
): void {
  it(`gives each of several requests its own statements, ${way}`, async () => {
    await using app = await startWorking(({ request }) => work(request.header('x-who') ?? ''))
    const names = ['ann', 'bob', 'cid', 'dan', 'eve', 'fay']
    // Which of those that wait side by side begins first is the library's to say.
    const seen = (await captureSideBySide(app, names)).map((texts) => texts.toSorted())
    assert.deepEqual(
      seen,
      names.map((who) => [...textsOf(who)].sort()),
    )
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
