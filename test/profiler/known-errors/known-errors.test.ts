// Errors over the versions of an application, read from stored profiles alone.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Profile } from '../../../src/observe/profile.ts'
import type { ProfileStore } from '../../../src/profiles/profile-store.ts'
import { readMarks, withMark } from '../../../src/profiles/set-by-people.ts'
import type { ErrorMark, ErrorMarks, ErrorState } from '../../../src/profiles/set-by-people.ts'
import type { KnownError, ErrorsRequest } from '../../../src/profiles/known-errors/known-errors.ts'
import { errorId, readErrors, errorsScope, stateReason } from '../../../src/profiles/known-errors/known-errors.ts'
import { toSections } from '../../../src/observe/blocks/sections.ts'
import { errors as errorsQuestion } from '../../../src/analysis/questions/errors.ts'
import { codeSpan } from '../../../src/base/markdown-text.ts'
import { openEngine } from '../../../src/app/open-engine.ts'
import { makeProfile } from '../../support/profiles.ts'
import { formatClock } from '../../../src/base/html/components.ts'
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

async function only(profiles: ProfileStore, request?: ErrorsRequest): Promise<KnownError> {
  const { errors } = await readErrors(profiles, request)
  assert.equal(errors.length, 1)
  return errors[0] ?? assert.fail()
}

const stateOf = async (...parts: readonly Partial<Profile>[]): Promise<string> => {
  const { state, isBack, without } = await only(await storeOf(...parts))
  const name = isBack ? 'back' : state
  return without === null ? name : `${name}: ${without.requests} in ${without.version}`
}

describe('readErrors', () => {
  it('tells when an error was seen first and last, how often, where, and in which versions', async () => {
    const profiles = await storeOf(
      well('1.0'),
      failed('1.0', { route: 'basket' }),
      failed('1.1', { token: 'aaaaaaaaaaaa', errorMessage: 'no price for "cup"' }),
      failed('1.1', { token: 'bbbbbbbbbbbb', errorMessage: 'no price for "pot"' }),
    )
    assert.deepEqual(await readErrors(profiles), {
      errors: [
        {
          service: null,
          id: errorId(null, family, false),
          name: 'TypeError in src/prices.ts (find): no price for "…"',
          state: 'open',
          isBack: false,
          marks: [],
          strip: [...Array.from({ length: 8 }, () => 0), 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1],
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

  it('takes an error for resolved once a later version had requests of its routes that went well', async () => {
    assert.equal(await stateOf(failed('1'), well('2'), well('3'), well('3')), 'resolved: 3 in 2')
    assert.equal(await stateOf(failed('1'), failed('2'), well('2'), well('3')), 'resolved: 1 in 3')
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
    const { errors } = await readErrors(profiles)
    assert.deepEqual(pick(errors, 'state'), ['open', 'open'])
  })

  it('takes an error that came back for back, and one that went again for resolved', async () => {
    assert.equal(await stateOf(failed('1'), well('2'), well('2'), failed('3')), 'back: 2 in 2')
    assert.equal(await stateOf(failed('1'), well('2'), failed('3'), well('4')), 'resolved: 1 in 4')
  })

  it('orders versions by their first profile, so an older version that goes on running changes nothing', async () => {
    assert.equal(await stateOf(failed('2.0'), well('1.10'), failed('2.0')), 'resolved: 1 in 1.10')
  })

  it('counts errors without a version to the newest version seen until then', async () => {
    assert.equal(await stateOf(failed('1'), well('2'), failed(null)), 'open')
    assert.equal(await stateOf(failed(null), well('2')), 'resolved: 1 in 2')
  })

  it('takes errors that differ in their line only for one error, and names the families', async () => {
    const moved = family.replace(':12', ':15')
    const { families, state, count } = await only(await storeOf(failed('1'), failed('2', { errorFamily: moved })))
    assert.deepEqual([families, state, count], [[moved, family], 'open', 2])
  })

  it('tells services of one store apart, each with its own versions', async () => {
    const shop = { service: 'shop' }
    const stock = { service: 'stock' }
    assert.equal(await stateOf(failed('1', shop), well('2', stock)), 'open')
    const { errors } = await readErrors(await storeOf(failed('2', stock), failed('1', shop), well('2', shop)))
    assert.deepEqual(pick(errors, 'service', 'state'), [
      ['stock', 'open'],
      ['shop', 'resolved'],
    ])
  })

  it('tells commands from each other, and from requests without a route', async () => {
    const command = { method: 'COMMAND', route: null, handler: 'import', url: 'http://command/import' }
    assert.equal(
      await stateOf(failed('1', command), well('2', { route: null }), well('2', { ...command, handler: 'other' })),
      'open',
    )
    assert.equal(await stateOf(failed('1', command), well('2', command)), 'resolved: 1 in 2')
  })

  it('has errors that pages reported from browsers, fixed by views of the page alone', async () => {
    const report = { method: 'BROWSER', parentToken: 'aaaaaaaaaaaa' }
    assert.equal(await stateOf(failed('1', report), well('1', report), well('2')), 'open')
    assert.equal(await stateOf(failed('1', report), well('2'), well('2', report)), 'resolved: 1 in 2')
    // Pages of other servers: their reports have no request.
    const foreign = await storeOf(failed('1', { ...report, parentToken: null, route: null }))
    const { places, count, lastWell } = await only(foreign)
    assert.deepEqual([places, count, lastWell], [[{ route: null, command: null, isBrowser: true }], 1, null])
    assert.equal((await readErrors(foreign)).count, 1)
  })

  it('leaves out a 404, unless its status is asked for, and what was only logged', async () => {
    const missing = { status: 404, errorClass: 'NotFoundHttpError', errorFamily: 'NotFoundHttpError', route: null }
    assert.deepEqual((await readErrors(await storeOf(missing, { logErrorCount: 1 }))).errors, [])
    const asked = await readErrors(await storeOf(missing), { filter: { status: '4xx' } })
    assert.deepEqual(pick(asked.errors, 'name', 'state'), [['NotFoundHttpError', 'open']])
  })

  it('says when it last went well after the newest error', async () => {
    const open = await only(await storeOf(failed(null), well(null), well(null)))
    assert.equal(open.lastWell, start + 2000)
    assert.match(stateReason(open) ?? '', /^It went well after that, last at 2/)
    assert.equal((await only(await storeOf(well(null), failed(null)))).lastWell, null)
  })

  it('counts what a filter leaves, and reads the state from everything', async () => {
    const profiles = await storeOf(failed('1'), failed('1'), well('2'), failed('3'))
    const { state, isBack, count, firstTime } = await only(profiles, { filter: { version: '1' } })
    assert.deepEqual([state, isBack, count, firstTime], ['open', true, 2, start])
    assert.deepEqual((await readErrors(profiles, { filter: { version: '2' } })).errors, [])
    assert.deepEqual((await readErrors(profiles, { state: 'resolved' })).errors, [])
    assert.equal((await readErrors(profiles, { state: 'open' })).errors.length, 1)
  })

  it('lists those that came back first, then open ones, then resolved ones, or by what is asked for', async () => {
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
    for (const [sort, listed] of [
      ['state', ['back open', 'new open', 'old open', 'gone resolved']],
      ['count', ['back open', 'new open', 'old open', 'gone resolved']],
      ['last', ['new open', 'back open', 'old open', 'gone resolved']],
      ['first', ['new open', 'old open', 'back open', 'gone resolved']],
    ] as const) {
      const { errors } = await readErrors(profiles, { sort })
      assert.deepEqual(
        errors.map(({ name, state }) => `${name} ${state}`),
        listed,
        sort,
      )
    }
  })

  it('gives 200 errors at most, and counts the rest', async () => {
    const found = await readErrors(
      await storeOf(
        ...Array.from({ length: 230 }, (_, index) => failed('1', { errorFamily: `Error in src/${index}x.ts:1` })),
      ),
    )
    assert.deepEqual([found.errors.length, found.omitted], [200, 30])
    assert.equal(errorsScope(found), '230 errors in 230 profiles, the first 200 of which are shown.')
  })
})

describe('a state that was set by hand', () => {
  const at = (second: number, state: ErrorState, comment = ''): ErrorMark => ({
    state,
    comment,
    by: 'anna@web-1',
    time: start + second * 1000 + 500,
  })
  const stateWith = async (mark: ErrorMark, ...parts: readonly Partial<Profile>[]): Promise<readonly unknown[]> => {
    const marks = new Map([[errorId(null, family, false), [mark]]])
    const error = await only(await storeOf(...parts), { marks })
    return [error.state, error.isBack, stateReason(error)]
  }
  const when = `${formatClock(start + 500)} UTC`

  it('counts until the error is seen again, or for good where it is ignored', async () => {
    for (const [mark, parts, state, isBack, reason] of [
      [
        at(0, 'resolved', 'new prices'),
        [failed(null)],
        'resolved',
        false,
        `Set to resolved by anna@web-1 at ${when}: new prices`,
      ],
      [
        at(0, 'resolved'),
        [failed(null), failed(null)],
        'open',
        true,
        `Seen again: it was resolved by anna@web-1 at ${when}.`,
      ],
      [at(0, 'ignored'), [failed(null), failed(null)], 'ignored', false, `Set to ignored by anna@web-1 at ${when}.`],
      [at(0, 'open'), [failed('1')], 'open', false, `Set to open by anna@web-1 at ${when}.`],
    ] as const)
      assert.deepEqual(await stateWith(mark, ...parts), [state, isBack, reason])
  })

  it('yields to what versions say later', async () => {
    const mended = [failed('1'), well('2')]
    assert.deepEqual((await stateWith(at(1, 'open'), ...mended)).slice(0, 2), ['open', false])
    assert.deepEqual((await stateWith(at(0, 'open'), ...mended)).slice(0, 2), ['resolved', false])
    const back = [failed('1'), failed('1'), well('2')]
    assert.deepEqual((await stateWith(at(0, 'resolved'), ...back)).slice(0, 2), ['resolved', false])
  })

  it('is kept for the 500 errors that were marked last, with the newest 10 of each', () => {
    let marks: ErrorMarks = new Map()
    for (let index = 0; index < 510; index += 1)
      marks = readMarks(withMark(marks, `error${index}`, at(index, 'ignored')))
    for (let index = 0; index < 12; index += 1) marks = readMarks(withMark(marks, 'error400', at(600 + index, 'open')))
    assert.deepEqual([marks.size, marks.has('error9'), marks.has('error10')], [500, false, true])
    assert.deepEqual([marks.get('error400')?.length, marks.get('error400')?.[0]?.time], [10, at(611, 'open').time])
  })

  it('is nothing where the store has something else', () => {
    for (const stored of [null, 'x', 7, [], { a: 1 }]) assert.equal([...readMarks(stored).values()].flat().length, 0)
    const odd = [at(0, 'open'), null, { ...at(0, 'open'), state: 'closed' }, { ...at(0, 'open'), time: 'now' }]
    assert.equal(readMarks({ a: odd }).get('a')?.length, 1)
  })
})

describe('errors as Markdown', () => {
  it('keeps everything that was recorded in code spans', async () => {
    const hostile = '`\n# Do this now\u202e'
    const profiles = await storeOf(
      failed(hostile, { errorMessage: hostile, route: hostile, errorFamily: `E: ${hostile}` }),
      well('2', { route: hostile }),
    )
    const asked = { values: { id: null, sort: 'state' }, filter: {} }
    const found = (await errorsQuestion.ask({ profiles }, asked)) ?? assert.fail()
    const [section] = toSections(errorsQuestion.draw(found, asked), codeSpan)
    const [text = '', ...others] = section?.items ?? []
    assert.deepEqual(others, [])
    assert.doesNotMatch(text, /\n|\u202e/)
    assert.ok(text.startsWith('- `` `\\n# Do this now\\u202e ``: count 1, first seen (UTC) 2'), text)
    assert.ok(text.includes('origin ``E: `\\n# Do this now\\u202e``, in ``route `'), text)
    assert.match(text, /since `Not seen since 2, in 1 request that went well\.`, version `/)
  })
})
