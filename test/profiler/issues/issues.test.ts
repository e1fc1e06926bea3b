// Issues: errors over the versions of an application, read from stored profiles alone.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Profile } from '../../../src/profiler/profile.ts'
import type { ProfileStore } from '../../../src/profiler/profile-store.ts'
import type { Issue, IssueRequest } from '../../../src/profiler/issues/issues.ts'
import { readIssues, issuesScope, stateReason } from '../../../src/profiler/issues/issues.ts'
import { toSections } from '../../../src/profiler/blocks/sections.ts'
import { issues } from '../../../src/profiler/questions/issues.ts'
import { codeSpan } from '../../../src/errors/markdown-text.ts'
import { openEngine } from '../../../src/stores/open-engine.ts'
import { makeProfile } from '../../support/profiles.ts'
import { pick } from '../../support/pick.ts'

const start = Date.now() - 3_600_000
const family = 'TypeError in src/prices.ts:12 (find): no price for "…"'

/** A store with these profiles, a second after another. */
async function storeOf(...parts: readonly Partial<Profile>[]): Promise<ProfileStore> {
  const { profiles } = await openEngine('memory:')
  await profiles.write(parts.map((part, index) => makeProfile({ time: start + index * 1000, ...part })))
  return profiles
}

const well = (version: string | null, more: Partial<Profile> = {}): Partial<Profile> => ({ version, ...more })
const failed = (version: string | null, more: Partial<Profile> = {}): Partial<Profile> => ({
  version,
  status: 500,
  errorClass: 'TypeError',
  errorFamily: family,
  errorMessage: 'no price for "tea"',
  ...more,
})

async function only(profiles: ProfileStore, request?: IssueRequest): Promise<Issue> {
  const { issues } = await readIssues(profiles, request)
  assert.equal(issues.length, 1)
  return issues[0] ?? assert.fail()
}

const stateOf = async (...parts: readonly Partial<Profile>[]): Promise<string> => {
  const { state, without } = await only(await storeOf(...parts))
  return without === null ? state : `${state}: ${without.requests} in ${without.version}`
}

describe('readIssues', () => {
  it('tells when an error was seen first and last, how often, where, and in which versions', async () => {
    const profiles = await storeOf(
      well('1.0'),
      failed('1.0', { route: 'basket' }),
      failed('1.1', { token: 'aaaaaaaaaaaa', errorMessage: 'no price for "cup"' }),
      failed('1.1', { token: 'bbbbbbbbbbbb', errorMessage: 'no price for "pot"' }),
    )
    assert.deepEqual(await readIssues(profiles), {
      issues: [
        {
          service: null,
          name: 'TypeError in src/prices.ts (find): no price for "…"',
          state: 'open',
          count: 3,
          firstTime: start + 1000,
          lastTime: start + 3000,
          lastToken: 'bbbbbbbbbbbb',
          lastMessage: 'no price for "pot"',
          families: [family],
          places: [
            { route: 'order_list', command: null, isBrowser: false },
            { route: 'basket', command: null, isBrowser: false },
          ],
          firstVersion: '1.0',
          lastVersion: '1.1',
          without: null,
          lastWell: null,
        },
      ],
      omitted: 0,
      count: 4,
      isCut: false,
    })
  })

  it('takes an error for fixed once a later version had requests of its routes that went well', async () => {
    assert.equal(await stateOf(failed('1'), well('2'), well('3'), well('3')), 'fixed: 3 in 2')
    assert.equal(await stateOf(failed('1'), failed('2'), well('2'), well('3')), 'fixed: 1 in 3')
  })

  it('leaves it open without such requests', async () => {
    assert.equal(await stateOf(failed('1')), 'open')
    assert.equal(await stateOf(well('1'), failed('2')), 'open', 'an earlier version says nothing')
    assert.equal(await stateOf(failed('1'), well('1')), 'open', 'the same version')
    assert.equal(await stateOf(failed('1'), well('2', { route: 'other' })), 'open', 'another route')
    assert.equal(await stateOf(failed('1'), well('2', { route: null })), 'open', 'no route')
    assert.equal(await stateOf(failed(null), well(null)), 'open', 'no version')
  })

  it('does not count requests that failed otherwise: they may never have come so far', async () => {
    const profiles = await storeOf(failed('1'), failed('2', { errorFamily: 'RangeError in src/basket.ts:3' }))
    const { issues } = await readIssues(profiles)
    assert.deepEqual(pick(issues, 'state'), ['open', 'open'])
  })

  it('takes an error that came back for regressed, and one that went again for fixed', async () => {
    assert.equal(await stateOf(failed('1'), well('2'), well('2'), failed('3')), 'regressed: 2 in 2')
    assert.equal(await stateOf(failed('1'), well('2'), failed('3'), well('4')), 'fixed: 1 in 4')
  })

  it('orders versions by their first profile, so an older version that goes on running changes nothing', async () => {
    assert.equal(await stateOf(failed('2.0'), well('1.10'), failed('2.0')), 'fixed: 1 in 1.10')
  })

  it('counts errors without a version to the newest version seen until then', async () => {
    assert.equal(await stateOf(failed('1'), well('2'), failed(null)), 'open')
    assert.equal(await stateOf(failed(null), well('2')), 'fixed: 1 in 2')
  })

  it('takes errors that differ in their line only for one issue, and names the families', async () => {
    const moved = family.replace(':12', ':15')
    const { families, state, count } = await only(await storeOf(failed('1'), failed('2', { errorFamily: moved })))
    assert.deepEqual([families, state, count], [[moved, family], 'open', 2])
  })

  it('tells services of one store apart, each with its own versions', async () => {
    const shop = { service: 'shop' }
    const stock = { service: 'stock' }
    assert.equal(await stateOf(failed('1', shop), well('2', stock)), 'open')
    const { issues } = await readIssues(await storeOf(failed('2', stock), failed('1', shop), well('2', shop)))
    assert.deepEqual(pick(issues, 'service', 'state'), [
      ['stock', 'open'],
      ['shop', 'fixed'],
    ])
  })

  it('tells commands from each other, and from requests without a route', async () => {
    const command = { method: 'COMMAND', route: null, handler: 'import', url: 'http://command/import' }
    assert.equal(
      await stateOf(failed('1', command), well('2', { route: null }), well('2', { ...command, handler: 'other' })),
      'open',
    )
    assert.equal(await stateOf(failed('1', command), well('2', command)), 'fixed: 1 in 2')
  })

  it('has errors that pages reported from browsers, fixed by views of the page alone', async () => {
    const report = { method: 'BROWSER', parentToken: 'aaaaaaaaaaaa' }
    assert.equal(await stateOf(failed('1', report), well('1', report), well('2')), 'open')
    assert.equal(await stateOf(failed('1', report), well('2'), well('2', report)), 'fixed: 1 in 2')
    // Pages of other servers: their reports have no request.
    const foreign = await storeOf(failed('1', { ...report, parentToken: null, route: null }))
    const { places, count, lastWell } = await only(foreign)
    assert.deepEqual([places, count, lastWell], [[{ route: null, command: null, isBrowser: true }], 1, null])
    assert.equal((await readIssues(foreign)).count, 1)
  })

  it('makes no issue of a 404, nor of an error that was only logged', async () => {
    const missing = { status: 404, errorClass: 'NotFoundHttpError', errorFamily: 'NotFoundHttpError', route: null }
    assert.deepEqual((await readIssues(await storeOf(missing, { logErrorCount: 1 }))).issues, [])
  })

  it('says when it last went well after the newest error', async () => {
    const open = await only(await storeOf(failed(null), well(null), well(null)))
    assert.equal(open.lastWell, start + 2000)
    assert.match(stateReason(open) ?? '', /^It went well after that, last at 2/)
    assert.equal((await only(await storeOf(well(null), failed(null)))).lastWell, null)
  })

  it('counts what a filter leaves, and reads the state from everything', async () => {
    const profiles = await storeOf(failed('1'), failed('1'), well('2'), failed('3'))
    const { state, count, firstTime } = await only(profiles, { filter: { version: '1' } })
    assert.deepEqual([state, count, firstTime], ['regressed', 2, start])
    assert.deepEqual((await readIssues(profiles, { filter: { version: '2' } })).issues, [])
    assert.deepEqual((await readIssues(profiles, { state: 'fixed' })).issues, [])
    assert.equal((await readIssues(profiles, { state: 'regressed' })).issues.length, 1)
  })

  it('lists regressed ones first, then open ones, then fixed ones', async () => {
    const named = (name: string, version: string): Partial<Profile> =>
      failed(version, { route: name, errorFamily: name })
    const profiles = await storeOf(
      named('gone', '1'),
      named('back', '1'),
      named('old', '1'),
      well('2', { route: 'gone' }),
      well('2', { route: 'back' }),
      named('back', '3'),
      named('new', '3'),
    )
    const { issues } = await readIssues(profiles)
    assert.deepEqual(
      issues.map(({ name, state }) => `${name} ${state}`),
      ['back regressed', 'new open', 'old open', 'gone fixed'],
    )
  })

  it('gives 200 issues at most, and counts the rest', async () => {
    const found = await readIssues(
      await storeOf(
        ...Array.from({ length: 230 }, (_, index) => failed('1', { errorFamily: `Error in src/${index}x.ts:1` })),
      ),
    )
    assert.deepEqual([found.issues.length, found.omitted], [200, 30])
    assert.equal(issuesScope(found), '230 issues in all 230 profiles, the first 200 of which are shown.')
  })
})

describe('issues as Markdown', () => {
  it('keeps everything that was recorded in code spans', async () => {
    const hostile = '`\n# Do this now\u202e'
    const profiles = await storeOf(
      failed(hostile, { errorMessage: hostile, route: hostile, errorFamily: `E: ${hostile}` }),
      well('2', { route: hostile }),
    )
    const asked = { values: {}, filter: {} }
    const found = (await issues.ask({ profiles }, asked)) ?? assert.fail()
    const [section] = toSections(issues.draw(found, asked), codeSpan)
    const [text = '', ...others] = section?.items ?? []
    assert.deepEqual(others, [])
    assert.doesNotMatch(text, /\n|\u202e/)
    assert.ok(text.startsWith('- ``E: `\\n# Do this now\\u202e``: state `fixed`, count 1, first seen (UTC) 2'), text)
    assert.match(text, /since `Not seen since 2, in 1 request that went well\.`, version `/)
  })
})
