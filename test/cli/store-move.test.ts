import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import type { Profile, ProfileSummary } from '../../src/profiler/profile.ts'
import type { ProfileStore } from '../../src/profiler/profile-store.ts'
import type { Engine } from '../../src/stores/engine.ts'
import { moveProfiles } from '../../src/stores/move-profiles.ts'
import { openEngine } from '../../src/stores/open-engine.ts'
import { makeLockState } from '../contract/lock-store.ts'
import { cliFolder, cliNow } from '../support/cli-run.ts'
import { makeCurrency } from '../support/currencies.ts'
import { PartialStore } from '../support/partial-store.ts'
import { makePageProfile, makeProfile, makeToken } from '../support/profiles.ts'
import { until } from '../support/until.ts'

/** Of all kinds, in the order in which they are written: with findings and without, sub-requests with and without their request. */
function mixedProfiles(count: number, begin: number): readonly Profile[] {
  const lost = makeToken()
  return Array.from({ length: count }, (_, index) => {
    const parentToken = index % 7 === 3 ? lost : null
    return makePageProfile(index, { parentToken, time: begin + (index % 5) * 10 })
  })
}

async function writeAll(store: ProfileStore, profiles: readonly Profile[]): Promise<void> {
  for (let done = 0; done < profiles.length; done += 100) await store.write(profiles.slice(done, done + 100))
}

/** Every summary, the newest first. */
async function summariesOf(store: ProfileStore): Promise<readonly ProfileSummary[]> {
  const found: ProfileSummary[] = []
  for (let after: string | null | undefined; after !== null;) {
    const page = await store.find({ withSubRequests: true }, { limit: 200, ...(after === undefined ? {} : { after }) })
    found.push(...page.items)
    after = page.next
  }
  return found
}

const tokensOf = (list: readonly { readonly token: string }[]): readonly string[] => list.map(({ token }) => token)

const settings = { onProgress: () => undefined, signal: new AbortController().signal, now: Date.now() }

describe('fanlight store move', () => {
  it('takes everything over in its order, once, and leaves the source as it is', async () => {
    await using folder = await cliFolder()
    const from = await folder.engine()
    const written = mixedProfiles(210, Date.now() - 10_000)
    await writeAll(from.profiles, written)
    await from.currencies.upsert([makeCurrency(), makeCurrency({ code: 'USD', is_default: false })])
    await from.lock.write(makeLockState())
    const first = await folder.run(['store', 'move', 'APP_STORE', 'sqlite:new.db'])
    assert.deepEqual([first.exitCode, first.stderr], [0, ''])
    assert.match(
      first.stdout,
      /^Moving sqlite:\/\S+fanlight\.db to sqlite:new\.db\.\nlock {8}moved\nhistory {5}nothing to move\ncurrencies {2}2 moved\n(?:profiles {4}\d+ of 210\n)*profiles {4}210 of 210\nprofiles {4}210 profiles moved\.\n$/,
    )
    const second = await folder.run(['store', 'move', 'APP_STORE', 'sqlite:new.db'])
    assert.match(
      second.stdout,
      /^lock {8}the same already\nhistory {5}nothing to move\ncurrencies {2}the same already\nprofiles {4}0 profiles moved\.\n +210: there already\.\n$/m,
    )
    const to = await openEngine('sqlite:new.db', { directory: folder.path })
    for (const { profiles, lock, currencies } of [from, to]) {
      assert.deepEqual(tokensOf(await summariesOf(profiles)), tokensOf(written).toReversed())
      assert.equal((await currencies.list()).length, 2)
      assert.deepEqual(await lock.read(), makeLockState())
    }
    assert.deepEqual(await summariesOf(to.profiles), await summariesOf(from.profiles))
    for (const profile of written) assert.deepEqual(await to.profiles.read(profile.token), profile)
    assert.deepEqual((await to.profiles.stats()).longer, (await from.profiles.stats()).longer)
    await to.close()
  })

  it('goes on after the process was killed in the middle of a write', async () => {
    await using folder = await cliFolder()
    const from = await folder.engine()
    const written = mixedProfiles(150, Date.now())
    await writeAll(from.profiles, written)
    await (await openEngine('sqlite:new.db', { directory: folder.path })).close()
    using target = new DatabaseSync(join(folder.path, 'new.db'))
    // The hundredth profile never ends.
    target.exec(`CREATE TRIGGER hang AFTER INSERT ON profile WHEN new.seq = 100 BEGIN
      INSERT INTO totals (count) SELECT sum(x) FROM (WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT x FROM c);
    END`)
    const main = join(import.meta.dirname, '../../src/cli/main.ts')
    const args = [main, 'store', 'move', 'APP_STORE', 'sqlite:new.db']
    const child = execFile(process.execPath, args, { cwd: folder.path, env: folder.env })
    const ended = once(child, 'exit')
    const count = (): unknown => target.prepare('SELECT count(*) AS count FROM profile').get()?.['count']
    await until(() => count() === 64)
    child.kill('SIGKILL')
    await ended
    target.exec('DROP TRIGGER hang')
    assert.equal(count(), 64)
    const again = await folder.run(['store', 'move', 'APP_STORE', 'sqlite:new.db'])
    assert.match(again.stdout, /^profiles {4}86 profiles moved\.\n {12}64: there already\.$/m)
    const moved = target.prepare('SELECT token FROM profile ORDER BY seq').all()
    assert.deepEqual(
      moved.map(({ token }) => token),
      tokensOf(written),
    )
  })

  it('stops when it is told to, says how to go on, and then does', async () => {
    const [from, to] = [await openEngine('memory:'), await openEngine('memory:')]
    const written = mixedProfiles(200, Date.now())
    await writeAll(from.profiles, written)
    const stop = new AbortController()
    const progress: (readonly number[])[] = []
    const onProgress = (done: number, total: number): void => {
      progress.push([done, total])
      stop.abort()
    }
    await assert.rejects(moveProfiles(from.profiles, to.profiles, { ...settings, signal: stop.signal, onProgress }), {
      message: 'stopped after 64 of 200 profiles',
    })
    assert.deepEqual(progress, [[64, 200]])
    const { moved, known } = await moveProfiles(from.profiles, to.profiles, settings)
    assert.deepEqual([moved, known], [136, 64])
    assert.deepEqual(tokensOf(await summariesOf(to.profiles)), tokensOf(written).toReversed())
  })

  it('ends with 1 when it was stopped, and says how to go on', async () => {
    await using folder = await cliFolder()
    await (await folder.engine()).profiles.write(mixedProfiles(20, Date.now()))
    const stopSignal = AbortSignal.abort()
    const { exitCode, stderr } = await folder.run(['store', 'move', 'APP_STORE', 'sqlite:new.db'], { stopSignal })
    assert.equal(exitCode, 1)
    assert.equal(stderr, 'fanlight: stopped after 0 of 20 profiles; the same command goes on from there\n')
  })

  it('moves the newest that fit, and takes no room from what is there', async () => {
    const [from, to] = [await openEngine('memory:'), await openEngine('memory:', { maxProfiles: 100 })]
    const written = mixedProfiles(120, Date.now())
    await writeAll(from.profiles, written)
    const own = makeProfile()
    await to.profiles.write([own])
    const nothing = { found: 120, tooOld: 0, refused: [], unreadable: 0, evicted: 0 }
    const first = await moveProfiles(from.profiles, to.profiles, settings)
    assert.deepEqual(first, { ...nothing, moved: 99, known: 0, passed: 0, noRoom: 21 })
    const moved = [...tokensOf(written).slice(21).toReversed(), own.token]
    assert.deepEqual(tokensOf(await summariesOf(to.profiles)), moved)
    const second = await moveProfiles(from.profiles, to.profiles, settings)
    assert.deepEqual(second, { ...nothing, moved: 0, known: 99, passed: 21, noRoom: 0 })
    assert.deepEqual(tokensOf(await summariesOf(to.profiles)), moved)
  })

  it('says how many do not fit, and how many are too old', async () => {
    await using folder = await cliFolder()
    const old = makeProfile({ time: Date.parse(cliNow) - 30 * 86_400_000 })
    await (
      await folder.engine()
    ).profiles.write([makeProfile({ errorClass: 'TypeError' }), makeProfile(), makeProfile()])
    // The source lets go of old ones, too, when it is written to.
    using source = new DatabaseSync(join(folder.path, 'fanlight.db'))
    source.prepare('UPDATE profile SET time = ? WHERE seq = 1').run(old.time)
    const env = { APP_PROFILES_COUNT: '1' }
    const { exitCode, stdout } = await folder.run(['store', 'move', 'APP_STORE', 'sqlite:small.db'], { env })
    assert.equal(exitCode, 0)
    assert.match(
      stdout,
      /^profiles {4}1 profile moved\.\n {12}1: no room for the oldest, by APP_PROFILES_COUNT \(1\) and APP_PROFILES_MEGABYTES \(256\.0 MB\)\.\n {12}1: too old, by APP_PROFILES_DAYS \(7\)\.$/m,
    )
  })

  it('does not put an older profile behind a newer one', async () => {
    const [from, to] = [await openEngine('memory:'), await openEngine('memory:')]
    const written = mixedProfiles(300, Date.now())
    await writeAll(from.profiles, written)
    await to.profiles.write(written.slice(150, 160))
    const { moved, known, passed } = await moveProfiles(from.profiles, to.profiles, settings)
    // Those of one batch before the newest that was there may have been interrupted.
    assert.deepEqual([moved, known, passed], [140 + 54, 10, 96])
    const tokens = tokensOf(await summariesOf(to.profiles))
    assert.deepEqual(tokens.slice(0, 140), tokensOf(written.slice(160)).toReversed())
  })

  it('leaves out what the other store would not keep for its age, errors later than the others', async () => {
    const day = 86_400_000
    const now = Date.now()
    const from = await openEngine('memory:', { maxAgeMs: 400 * day })
    const to = await openEngine('memory:', { maxAgeMs: 2 * day })
    const ages = [1, 3, 7, 9].flatMap((days) => [
      makeProfile({ time: now - days * day }),
      makeProfile({ time: now - days * day, errorClass: 'TypeError' }),
    ])
    await from.profiles.write(ages.toReversed())
    const { moved, tooOld } = await moveProfiles(from.profiles, to.profiles, { ...settings, now })
    assert.deepEqual([moved, tooOld], [4, 4])
    assert.deepEqual(
      tokensOf(await summariesOf(to.profiles)),
      [0, 1, 3, 5].map((index) => ages[index]?.token),
    )
  })

  it('names what the other store refuses, and moves the rest', async () => {
    await using folder = await cliFolder()
    const from = await folder.engine()
    const large = makeProfile({ data: { text: 'x'.repeat(300_000) } })
    const small = Array.from({ length: 5 }, () => makeProfile())
    await from.profiles.write([...small.slice(0, 2), large, ...small.slice(2)])
    const to = await openEngine('memory:', { maxBytes: 200_000 })
    const { moved, refused } = await moveProfiles(from.profiles, to.profiles, settings)
    assert.equal(moved, 5)
    assert.deepEqual(refused, [{ token: large.token, reason: 'it is larger than the store may be' }])
    assert.deepEqual(tokensOf(await summariesOf(to.profiles)), tokensOf(small).toReversed())
  })

  it('moves no profile while parts of the source are out of reach', async () => {
    await using folder = await cliFolder((profiles) => {
      const store = new PartialStore(profiles, 12)
      store.lost.add(3)
      return store
    })
    await (await folder.engine()).profiles.write(mixedProfiles(20, Date.now()))
    const { exitCode, stderr } = await folder.run(['store', 'move', 'APP_STORE', 'sqlite:new.db'])
    assert.equal(exitCode, 1)
    assert.match(stderr, /^fanlight: 1 of 12 parts of the store "[^"]+" cannot be reached; no profile was moved\.\n$/)
    using target = new DatabaseSync(join(folder.path, 'new.db'))
    assert.equal(target.prepare('SELECT 1 FROM profile').get(), undefined)
  })

  it('keeps the lock and the currencies that were changed later', async () => {
    await using folder = await cliFolder()
    const from = await folder.engine()
    await from.lock.write(makeLockState({ value: 0, changedAt: '2026-11-20T10:00:00.000Z' }))
    await from.currencies.upsert([makeCurrency({ updated_at: '2026-11-20T10:00:00.000Z' })])
    const later = makeCurrency({ title: 'The euro', updated_at: '2026-11-21T10:00:00.000Z' })
    const openTarget = (): Promise<Engine> => openEngine('sqlite:new.db', { directory: folder.path })
    const before = await openTarget()
    await before.lock.write(makeLockState())
    await before.currencies.upsert([later])
    await before.close()
    const { exitCode, stdout } = await folder.run(['store', 'move', 'APP_STORE', 'sqlite:new.db'])
    assert.equal(exitCode, 0)
    assert.match(stdout, /^lock {8}not moved: it was changed later in the other store$/m)
    assert.match(stdout, /^currencies {2}not moved: they were changed later in the other store$/m)
    const to = await openTarget()
    assert.deepEqual(await to.lock.read(), makeLockState())
    assert.deepEqual(await to.currencies.list(), [later])
    await to.close()
    // And back.
    assert.match(
      (await folder.run(['store', 'move', 'sqlite:new.db'])).stdout,
      /^lock {8}moved\nhistory {5}nothing to move\ncurrencies {2}1 moved$/m,
    )
    assert.deepEqual([await from.lock.read(), await from.currencies.list()], [makeLockState(), [later]])
  })

  it('takes the plans and the history of the lock along, with what was turned away', async () => {
    await using folder = await cliFolder()
    const from = (await folder.engine()).lock
    const [before, since] = ['2026-11-20T10:00:00.000Z', '2026-11-21T09:00:00.000Z']
    const period = { to: null, reason: '', closedBy: 'anna@web-1', openedBy: '', isPlanned: false }
    const ended = { ...period, id: 'ended', from: before, to: since, openedBy: 'ben@web-2', only: ['/a'] }
    const window = { from: since, to: '2099-01-01T00:00:00.000Z', reason: '', noticeSeconds: 0 }
    const windows = [
      { ...window, id: 'past', to: cliNow },
      { ...window, id: 'now' },
    ]
    const state = makeLockState({ since, windows, reason: 'second' })
    await from.write(state)
    const lasting = { ...period, id: since, from: since, reason: 'second' }
    for (const one of [ended, lasting]) await from.journal?.keep(one)
    await from.journal?.count({ ended: 5, [since]: 7, past: 2, now: 3 })
    // The other store was closed, too, and counts already.
    const target = await openEngine('sqlite:new.db', { directory: folder.path })
    const { lock: to } = target
    await to.write(makeLockState({ since: before, changedAt: before }))
    await to.journal?.keep({ ...period, id: before, from: before })
    await to.journal?.count({ [since]: 1 })
    const move = async (...more: readonly string[]): Promise<string> =>
      (await folder.run(['store', 'move', 'APP_STORE', 'sqlite:new.db', ...more])).stdout
    assert.match(await move(), /^lock {8}moved\nhistory {5}2 moved\n/m)
    assert.deepEqual(await to.read(), state)
    const { periods = [], turnedAway } = (await to.journal?.read()) ?? {}
    assert.deepEqual(
      new Map<string, object>(periods.map((one) => [one.id, one])),
      new Map<string, object>([
        [before, { ...period, id: before, from: before, to: state.changedAt }],
        ['ended', ended],
        [since, lasting],
      ]),
    )
    assert.deepEqual(turnedAway, { ended: 5, [since]: 7, past: 2, now: 3 })
    assert.match(await move(), /^lock {8}the same already\nhistory {5}nothing to move\n/m)
    // A lock that was changed later in the other store stays, and so does the end of its periods.
    await to.write(makeLockState({ value: 0, changedAt: '2026-11-22T10:00:00.000Z' }))
    await from.journal?.keep({ ...ended, id: 'later' })
    await from.journal?.keep({ ...lasting, id: 'lasts' })
    assert.equal(JSON.parse(await move('--json')).periods, 1)
    assert.ok(!(await to.journal?.read())?.periods.some(({ id }) => id === 'lasts'))
    await target.close()
  })

  it('refuses stores that it cannot move, and makes no file', async () => {
    await using folder = await cliFolder()
    for (const [args, exitCode, message] of [
      [['sqlite:typo.db', 'sqlite:new.db'], 3, 'there is no file typo.db'],
      [['APP_STORE', 'APP_STORE'], 2, 'both stores are the same'],
      [['memory:', 'sqlite:new.db'], 1, 'The store is "memory:"; a memory store cannot be shared'],
      [['redis://127.0.0.1:1', 'sqlite:new.db'], 1, 'The store "redis://127.0.0.1:1" is not reachable: '],
      [['NO_STORE', 'sqlite:new.db'], 2, 'address: "NO_STORE" is not valid'],
      [[], 2, "missing required argument 'from'"],
    ] as const) {
      const run = await folder.run(['store', 'move', ...args])
      assert.deepEqual([run.exitCode, run.stdout], [exitCode, ''], args.join(' '))
      assert.ok(run.stderr.startsWith(`fanlight: ${message}`), run.stderr)
    }
    assert.ok(!existsSync(join(folder.path, 'typo.db')) && !existsSync(join(folder.path, 'new.db')))
  })
})
