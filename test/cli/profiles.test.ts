import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { cliFolder, type CliFolder } from '../support/cli-run.ts'
import { makeProfile } from '../support/profiles.ts'
import { pick } from '../support/pick.ts'

const library = pathToFileURL(join(import.meta.dirname, '../../src/index.ts')).href

const traceId = '0af7651916cd43dd8448eb211c80319c'

const hostileUrl = `http://shop/\u001b[31m?a=${'b'.repeat(200)}`

async function filledFolder(): Promise<CliFolder> {
  const folder = await cliFolder()
  const engine = await folder.engine()
  const day = Date.parse('2026-11-20T00:00:00.000Z')
  await engine.profiles.write([
    makeProfile({ token: 'aaaaaaaaaa', time: day }),
    makeProfile({
      token: 'bbbbbbbbbb',
      time: day + 1000,
      status: 404,
      errorClass: 'NotFoundHttpError',
      url: hostileUrl,
      traceId,
    }),
    makeProfile({ token: 'cccccccccc', time: day + 2000, method: 'POST', status: 303, durationMs: 250 }),
  ])
  return folder
}

async function tokens(folder: CliFolder, args: readonly string[]): Promise<string[]> {
  const { stdout } = await folder.run(['profiles', 'list', '--json', ...args])
  return (JSON.parse(stdout) as { items: { token: string }[] }).items.map(({ token }) => token)
}

describe('fanlight profiles list', () => {
  it('lists newest first, filters and pages', async () => {
    await using folder = await filledFolder()
    assert.deepEqual(await tokens(folder, []), ['cccccccccc', 'bbbbbbbbbb', 'aaaaaaaaaa'])
    assert.deepEqual(await tokens(folder, ['--status', '4xx']), ['bbbbbbbbbb'])
    assert.deepEqual(await tokens(folder, ['--status', '200']), ['aaaaaaaaaa'])
    assert.deepEqual(await tokens(folder, ['--redirects']), ['cccccccccc'])
    assert.deepEqual(await tokens(folder, ['--trace', traceId.toUpperCase()]), ['bbbbbbbbbb'])
    assert.deepEqual(await tokens(folder, ['--method', 'POST']), ['cccccccccc'])
    assert.deepEqual(await tokens(folder, ['--errors']), ['bbbbbbbbbb'])
    assert.deepEqual(await tokens(folder, ['--family', 'NotFoundHttpError']), ['bbbbbbbbbb'])
    assert.deepEqual(await tokens(folder, ['--finding', 'slow']), [])
    assert.deepEqual(await tokens(folder, ['--min-duration', '100']), ['cccccccccc'])
    assert.deepEqual(await tokens(folder, ['--until', '2026-11-20T00:00:01Z']), ['aaaaaaaaaa'])
    const first = await folder.run(['profiles', 'list', '--limit', '2'])
    const cursor = /--after (\S+)\n$/.exec(first.stdout)?.[1] ?? ''
    assert.deepEqual(await tokens(folder, ['--after', cursor]), ['aaaaaaaaaa'])
  })

  it('fits the terminal and prints no control character of a URL', async () => {
    await using folder = await filledFolder()
    const { stdout } = await folder.run(['profiles', 'list'], { columns: 110 })
    const plain = stdout.replace(/\u001b\[(\d+)m/g, (code, number: string) => (number === '31' ? code : ''))
    assert.ok(!plain.includes('\u001b'))
    assert.match(plain, /\\x1b\[31m/)
    assert.ok(plain.split('\n').every((line) => line.length <= 110))
  })

  it('says that nothing matches', async () => {
    await using folder = await filledFolder()
    const { stdout, exitCode } = await folder.run(['profiles', 'list', '--route', 'none'])
    assert.deepEqual([stdout, exitCode], ['No profiles match.\n', 0])
  })
})

describe('fanlight profiles show', () => {
  it('names the lines of findings, as Markdown does', async () => {
    await using folder = await cliFolder()
    await writeFile(
      join(folder.path, 'app.mjs'),
      `import { DatabaseSync } from 'node:sqlite'
import { createApp, json, loadRuntimeContext, RouteCollection } from '${library}'
import { observeSqlite } from '${library.replace('index', 'capture')}'
const { context } = loadRuntimeContext({ cwd: process.cwd(), env: process.env })
const database = observeSqlite(new DatabaseSync(':memory:'))
const name = (id) => database.prepare('SELECT ? AS name').get(id).name
const routes = new RouteCollection().get('names', '/', () => {
  const names = []
  for (const id of [1, 2, 3, 4]) {
    names.push(name(id))
  }
  throw new Error(names.join())
})
const app = await createApp({ context, routes })
await app.inject({ url: '/', headers: { host: 'localhost' } })
await app.close()
`,
    )
    const run = promisify(execFile)
    await run(process.execPath, ['app.mjs'], { cwd: folder.path, env: folder.env })
    const places = 'error at app.mjs:12, n_plus_one at app.mjs:10'
    const shown = await folder.spawn(['profiles', 'show', 'latest'])
    assert.match(shown.stdout, new RegExp(`^findings +${places}(?:, blocked)?$`, 'm'))
    const { stdout } = await folder.spawn(['profiles', 'export', 'latest', '--markdown'])
    assert.match(stdout, new RegExp(`^- Findings: \`${places}(?:, blocked)?\`$`, 'm'))
    assert.match(stdout, /^- N\+1: 4 times, .*, from `app\.mjs:10`: `SELECT \? AS name`$/m)
  })

  it('names the lines that any collector gives for its findings, whatever the others have', async () => {
    await using folder = await cliFolder()
    const parts = [{ place: 'src/a.ts:3', text: 'sends here' }, { place: null, token: 'aaaaaaaaaa' }, null, 7]
    const data = {
      findings: { findings: [{ kind: 'redirect_loop', text: 'Round and round', parts }] },
      own: {
        findings: [{ kind: 'n+1', callSite: 'src/b.ts:4' }, { kind: 'n+1', callSite: 7 }, null, 'slow', { kind: 'no' }],
      },
      more: { findings: [{ kind: 'n+1', callSite: 'src/c.ts:5' }] },
      other: null,
    }
    const findings = ['slow', 'n_plus_one', 'redirect_loop'] as const
    await (await folder.engine()).profiles.write([makeProfile({ findings, data })])
    const { stdout } = await folder.run(['profiles', 'show', 'latest'])
    assert.match(
      stdout,
      /^findings +slow, n_plus_one at src\/b\.ts:4 and src\/c\.ts:5, redirect_loop at src\/a\.ts:3$/m,
    )
  })

  it('shows one profile, the newest, or one of its panels', async () => {
    await using folder = await filledFolder()
    assert.match((await folder.run(['profiles', 'show', 'bbbbbbbbbb'])).stdout, /^error +NotFoundHttpError$/m)
    assert.match((await folder.run(['profiles', 'show', 'latest'])).stdout, /^token +cccccccccc$/m)
    const panel = await folder.run(['profiles', 'show', 'latest', '--panel', 'request'])
    assert.deepEqual(JSON.parse(panel.stdout), makeProfile().data['request'])
    const whole = await folder.run(['profiles', 'show', 'bbbbbbbbbb', '--json'])
    assert.equal((JSON.parse(whole.stdout) as { url: string }).url, hostileUrl)
  })

  it('T130: turns no text round', async () => {
    await using folder = await cliFolder()
    const turned = '/\u202ecod.exe\u2066\u200f\u061c'
    const data = { request: { path: turned } }
    await (await folder.engine()).profiles.write([makeProfile({ token: 'aaaaaaaaaa', url: turned, data })])
    for (const more of [['--panel', 'request'], ['--json'], []]) {
      const { stdout } = await folder.run(['profiles', 'show', 'latest', ...more])
      assert.doesNotMatch(stdout, /[\u202e\u2066\u200f\u061c]/u)
      assert.match(stdout, /\\u\{?202e/)
    }
  })

  it('ends with 3 for a token or a panel that is not there', async () => {
    await using folder = await filledFolder()
    for (const args of [
      ['zzzzzzzzzz'],
      ['../../etc/passwd'],
      ['latest', '--panel', '__proto__'],
      ['latest', '--panel', 'none'],
    ]) {
      const { exitCode, stderr } = await folder.run(['profiles', 'show', ...args])
      assert.equal(exitCode, 3)
      assert.match(stderr, /^fanlight: [^\n]+\n$/)
    }
  })
})

describe('fanlight profiles purge', () => {
  it('removes those from before an instant, then all', async () => {
    await using folder = await filledFolder()
    const some = await folder.run(['profiles', 'purge', '--before', '2026-11-20T00:00:01Z'])
    assert.equal(some.stdout, '1 profile removed.\n')
    assert.deepEqual(JSON.parse((await folder.run(['profiles', 'purge', '--all', '--json'])).stdout), { removed: 2 })
    assert.deepEqual(await tokens(folder, []), [])
  })

  it('removes nothing unless told how far', async () => {
    await using folder = await filledFolder()
    assert.equal((await folder.run(['profiles', 'purge'])).exitCode, 2)
    assert.equal((await folder.run(['profiles', 'purge', '--all', '--before', '2026-11-20'])).exitCode, 2)
    assert.equal((await tokens(folder, [])).length, 3)
  })
})

describe('fanlight profiles compare', () => {
  it('prints what differs, and the same as JSON', async () => {
    await using folder = await filledFolder()
    const { stdout, exitCode } = await folder.run(['profiles', 'compare', 'cccccccccc', 'aaaaaaaaaa'])
    assert.equal(exitCode, 0)
    assert.match(stdout, /- `duration`: first → second 12\.3 ms → 250 ms `\+238 ms \(×20\)`/)
    assert.match(stdout, /- `method`: first `GET`, second `POST`/)
    const asJson = await folder.run(['profiles', 'compare', 'cccccccccc', 'aaaaaaaaaa', '--json'])
    assert.equal((JSON.parse(asJson.stdout) as { a: { kind: string } }).a.kind, 'profile')
  })

  it('compares with the median of the route, and ends with 3 for a profile that is not there', async () => {
    await using folder = await filledFolder()
    const median = await folder.run(['profiles', 'compare', 'aaaaaaaaaa', 'median'])
    assert.match(median.stdout, /the median of 1 other of GET on the route order_list/)
    const missing = await folder.run(['profiles', 'compare', 'aaaaaaaaaa', 'zzzzzzzzzz'])
    assert.equal(missing.exitCode, 3)
    assert.match(missing.stderr, /There is no profile B, zzzzzzzzzz/)
  })
})

describe('fanlight profiles runs', () => {
  async function twoStarts(): Promise<CliFolder> {
    const folder = await cliFolder()
    const engine = await folder.engine()
    const [before, now] = [Date.parse('2026-11-20T00:00:00.000Z'), Date.parse('2026-11-21T00:00:00.000Z')]
    const profiles = (startedAt: number, durationMs: number) =>
      Array.from({ length: 6 }, (_, index) =>
        makeProfile({ time: startedAt + 1000 + index, durationMs, data: { config: { startedAt } } }),
      )
    await engine.profiles.write([...profiles(before, 10), ...profiles(now, 25)])
    return folder
  }

  it('compares the newest start with the one before, and prints the same as JSON', async () => {
    await using folder = await twoStarts()
    const { stdout, exitCode } = await folder.run(['profiles', 'runs'])
    assert.equal(exitCode, 0)
    assert.match(stdout, /^after +from 2026-11-21 00:00:00\.000 UTC on \(6 profiles\)$/m)
    assert.match(stdout, /^1 of 1 route got worse, 0 better\./m)
    assert.match(stdout, /^order_list slower .* ×2\.5 25\.0 ms .* 10\.0 ms/m)
    const asJson = await folder.run(['profiles', 'runs', '--json'])
    const { groups } = JSON.parse(asJson.stdout) as { groups: { change: string }[] }
    assert.deepEqual(pick(groups, 'change'), ['worse'])
  })

  it('ends with 1 where it is asked to and a route got worse, and compares the times that are named', async () => {
    await using folder = await twoStarts()
    const worse = await folder.run(['profiles', 'runs', '--fail-on-worse'])
    assert.deepEqual([worse.exitCode, worse.stderr], [1, 'fanlight: 1 route got worse\n'])
    assert.match(worse.stdout, /^1 of 1 route got worse/m)
    const times = ['--since', '2026-11-20', '--until', '2026-11-21', '--base-since', '2026-11-21']
    const better = await folder.run(['profiles', 'runs', '--fail-on-worse', ...times])
    assert.equal(better.exitCode, 0)
    assert.match(better.stdout, /^order_list faster /m)
    const since = await folder.run(['profiles', 'runs', '--since', '2026-11-21', '--route', 'none'])
    assert.match(since.stdout, /Neither run has profiles\./)
  })

  it('compares two versions of the application, also the newest with the one before', async () => {
    await using folder = await cliFolder()
    const engine = await folder.engine()
    const now = Date.now()
    const of = (version: string, durationMs: number, age: number) =>
      Array.from({ length: 6 }, (_, index) => makeProfile({ time: now - age + index, durationMs, version }))
    await engine.profiles.write(of('2.0.0', 10, 1000))
    const alone = await folder.run(['profiles', 'runs', '--app-version', '2.0.0', '--fail-on-worse'])
    assert.deepEqual([alone.exitCode, alone.stderr], [1, 'fanlight: nothing was compared\n'])
    assert.match(alone.stdout, /All recent profiles are of this version\.\n6 requests in 1 route\./)
    await engine.profiles.write(of('2.1.0', 25, 500))
    const both = ['profiles', 'runs', '--app-version', '2.1.0', '--base-version', '2.0.0']
    for (const args of [both, both.slice(0, 4), [...both.slice(0, 2), ...both.slice(4)]]) {
      const { stdout, exitCode } = await folder.run(args)
      assert.equal(exitCode, 0, args.join(' '))
      assert.match(stdout, /^after +version 2\.1\.0 \(6 profiles\)\nbefore +version 2\.0\.0 \(6 profiles\)$/m)
      assert.match(stdout, /^order_list slower /m)
    }
  })

  it('counts where there is one start only, and ends with 2 for what cannot be read', async () => {
    await using folder = await cliFolder()
    assert.match((await folder.run(['profiles', 'runs'])).stdout, /^Nothing to compare yet/)
    assert.equal((await folder.run(['profiles', 'runs', '--base-since', 'yesterday'])).exitCode, 2)
  })
})
