// Lists and groups of profiles in the terminal: how they look, and what cannot be asked for.

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { formatTime } from '../../src/base/html/components.ts'
import { stripVTControlCharacters } from 'node:util'
import { cliFolder, type CliRun } from '../support/cli-run.ts'
import { writeManyProfiles } from '../support/many-profiles.ts'
import { makeProfile } from '../support/profiles.ts'
import type { Trace } from '../../src/otel/traces/read-trace.ts'
import { profileSpanId } from '../../src/profiles/trace-span.ts'
import { makeSpan, makeSpansProfile, spanId, traceId } from '../support/trace-spans.ts'
import { pick } from '../support/pick.ts'

it('fanlight profiles list of a store with more than 100,000 profiles: says that only the newest ones were searched for a part of a URL', async () => {
  await using folder = await cliFolder()
  await writeManyProfiles(join(folder.path, 'fanlight.db'))
  const list = (...filters: readonly string[]): Promise<CliRun> => folder.run(['profiles', 'list', ...filters])
  const said = 'Only the newest 100,000 profiles were searched.\n'
  for (const url of ['needle', 'nowhere']) assert.ok((await list('--url', url)).stdout.endsWith(said), url)
  assert.ok(!(await list('--url', 'hay')).stdout.includes(said))
  assert.ok(!(await list('--status', '404')).stdout.includes(said))
})

describe('fanlight profiles: what cannot be used', () => {
  const refused = [
    [['list', '--status', '6xx'], '--status: "6xx" is not a status. Use 404, 4xx, or 0 (no response).'],
    [['list', '--limit', '0'], '--limit: "0" is not valid. Use a whole number from 1 to 200.'],
    [['list', '--limit', '201'], '--limit: "201" is not valid. Use a whole number from 1 to 200.'],
    [
      ['list', '--since', 'yesterday'],
      '--since: "yesterday" is not a time. Use a time such as 2026-11-21T08:00, or 10m for ten minutes ago.',
    ],
    [
      ['list', '--min-duration', '-1'],
      '--min-duration: "-1" is not a duration. Use milliseconds such as 100 or 2.5, or 1s.',
    ],
    [['list', '--trace', '0af7'], '--trace: "0af7" is not a trace id. Use 32 hex digits.'],
    [['list', '--status', '404', '--status', '500'], '--status is given twice. Use it once.'],
    [['list', '--parent', 'x'], '--parent: "x" is not a token. Use 10 to 16 letters and digits.'],
    [['list', '--method', 'a b'], '--method: "a b" is not an HTTP method. Use a name such as GET.'],
    [['list', '--app-version', ''], '--app-version: "" is not a version. Use a version such as 2.1.0.'],
    [['list', '--service', ''], '--service: "" is not a service. Use a service such as shop.'],
    [['list', '--tag', ' '], '--tag: " " is not a tag. Use a tag such as checkout.'],
    [
      ['list', '--since', '2026-11-21', '--until', '2026-11-20'],
      '--since: "2026-11-21" is not before "2026-11-20". Use an earlier time.',
    ],
    [
      ['list', 'extra'],
      "too many arguments for 'list'. Expected 0 arguments but got 1: extra; see fanlight profiles list --help",
    ],
    [['compare', 'latest'], "missing required argument 'b'; see fanlight profiles compare --help"],
  ] as const

  for (const [args, message] of refused) {
    it(`says what is allowed instead of ${args.join(' ')}`, async () => {
      await using folder = await cliFolder()
      const { exitCode, stdout, stderr } = await folder.run(['profiles', ...args])
      assert.deepEqual([exitCode, stdout, stderr], [2, '', `fanlight: ${message}\n`])
    })
  }

  it('says so where a cursor leads nowhere', async () => {
    await using folder = await cliFolder()
    const { stdout } = await folder.run(['profiles', 'list', '--after', 'garbage'])
    assert.match(stdout, /^No profile matches that is older than "garbage"; a cursor is what/)
  })
})

it('fanlight profiles list: lets one long address stand out of its row, names a command, and says how it ended', async () => {
  await using folder = await cliFolder()
  const engine = await folder.engine()
  await engine.profiles.write([
    makeProfile({ url: `http://h/${'a'.repeat(3000)}` }),
    makeProfile({ method: 'COMMAND', url: 'http://command/import-prices', status: 500, route: null }),
  ])
  const requests = await folder.run(['profiles', 'list'])
  assert.doesNotMatch(requests.stdout, /import-prices/)
  assert.match(requests.stdout, /^Requests only; with commands, jobs and tasks: --type all$/m)
  const { stdout } = await folder.run(['profiles', 'list', '--type', 'all'])
  const [, command = '', long = ''] = stdout.split('\n')
  assert.match(command, / failed .* COMMAND +import-prices/)
  assert.ok(command.length < 250)
  assert.ok(long.includes('a'.repeat(3000)))
  const onTerminal = await folder.run(['profiles', 'list', '--type', 'all'], { columns: 120 })
  const lines = stripVTControlCharacters(onTerminal.stdout).split('\n')
  assert.ok(lines.every((line) => line.length <= 120))
})

it('fanlight profiles list: search and order: finds what an error says and what was logged, shows the message, and counts the matches', async () => {
  await using folder = await cliFolder()
  const { profiles } = await folder.engine()
  const records = [{ level: 'warn', channel: 'app', message: 'stock of {sku} is low', context: { sku: 'Lamp-7' } }]
  await profiles.write([
    makeProfile({ url: 'http://h/first', durationMs: 5 }),
    makeProfile({
      url: 'http://h/second',
      errorClass: 'PriceError',
      errorMessage: 'no price\nfor A',
      durationMs: 90,
    }),
    makeProfile({ url: 'http://h/third', data: { logger: { records, dropped: 0 } }, durationMs: 40, queryCount: 7 }),
  ])
  const found = async (...args: readonly string[]): Promise<readonly string[]> =>
    (await folder.run(['profiles', 'list', ...args])).stdout.match(/http:\/\/h\/\w+/g) ?? []
  assert.deepEqual(await found('--search', 'no price'), ['http://h/second'])
  assert.deepEqual(await found('--search', 'LAMP-7 is low'), ['http://h/third'])
  assert.deepEqual(await found('--sort', 'slowest'), ['http://h/second', 'http://h/third', 'http://h/first'])
  assert.deepEqual(await found('--sort', 'queries', '--limit', '1'), ['http://h/third'])
  const { stdout } = await folder.run(['profiles', 'list', '--search', 'price'])
  assert.match(stdout, /PriceError: no price for A/)
  assert.match(stdout, /^1 profile\.$/m)
  const unknown = await folder.run(['profiles', 'list', '--sort', 'name'])
  assert.deepEqual(
    [unknown.exitCode, unknown.stderr],
    [2, 'fanlight: --sort: "name" is not valid. Use newest, slowest, queries, logs.\n'],
  )
})

for (const [name, before, then, said, filter] of [
  ['version', {}, { version: '2.1.0' }, [undefined, '2.1.0'], ['--app-version', '2.1.0']],
  ['tags', {}, { tags: ['checkout', 'mobile'] }, [undefined, 'checkout, mobile'], ['--tag', 'mobile']],
  ['service', { service: 'shop' }, { service: 'prices' }, ['shop', 'prices'], ['--service', 'prices']],
] as const) {
  it(`fanlight profiles: ${name}: is a column where it tells profiles apart, a filter, and a fact of each`, async () => {
    await using folder = await cliFolder()
    const { profiles } = await folder.engine()
    const printed = async (...args: readonly string[]): Promise<string> =>
      (await folder.run(['profiles', ...args])).stdout
    await profiles.write([makeProfile({ token: 'aaaaaaaaaa', ...before })])
    assert.ok(!(await printed('list')).includes(name))
    await profiles.write([makeProfile({ token: 'bbbbbbbbbb', ...then })])
    assert.match(await printed('list'), new RegExp(`^token .* ${name}\nbbbbbbbbbb .* ${said[1]}\naaaaaaaaaa `))
    assert.match(await printed('list', ...filter), /^token .*\nbbbbbbbbbb .*\n1 profile\./)
    for (const [index, token] of ['aaaaaaaaaa', 'latest'].entries()) {
      const [line] = new RegExp(`^${name} .*$`, 'm').exec(await printed('show', token)) ?? []
      assert.equal(line, said[index] && `${name.padEnd(12)}${said[index]}`)
    }
  })
}

describe('fanlight profiles trace', () => {
  it('prints the spans of all services, of one span, or as JSON', async () => {
    await using folder = await cliFolder()
    const { profiles } = await folder.engine()
    const startTime = Date.now()
    const own = makeProfile({ token: 'aaaaaaaaaa', traceId, service: 'shop', time: startTime, durationMs: 50 })
    const called = [
      {
        ...makeSpan({ id: 1, name: 'GET /prices', startTime: startTime + 10, durationMs: 20 }),
        parentSpanId: profileSpanId('aaaaaaaaaa', 0),
      },
      makeSpan({
        id: 2,
        parent: 1,
        name: 'SELECT',
        startTime: startTime + 12,
        status: 'error',
        statusMessage: 'no\u001b[31m table',
      }),
    ]
    await profiles.write([own, makeSpansProfile('prices', called)])
    const lines = [
      `${traceId} 2 services, 3 spans, 1 error, 50.0 ms, from ${formatTime(startTime)} UTC`,
      'service spans errors first',
      'shop 1 0 0.00 ms',
      'prices 2 1 10.0 ms',
      '',
      'Spans',
      'span service start duration kind profile id',
      `GET /orders (2 inside, 1 error) shop 0.00 ms 50.0 ms server aaaaaaaaaa ${profileSpanId('aaaaaaaaaa', 0)}`,
      ` GET /prices (1 inside, 1 error) prices 10.0 ms 20.0 ms ${spanId(1)}`,
      ` SELECT failed: no\\x1b[31m table prices 12.0 ms 1.00 ms ${spanId(2)}`,
    ]
    for (const id of [traceId, 'aaaaaaaaaa', 'latest']) {
      const { stdout, exitCode } = await folder.run(['profiles', 'trace', id])
      assert.deepEqual([stdout.replaceAll(/ +/g, ' ').split('\n').slice(0, -1), exitCode], [lines, 0])
    }
    const inside = await folder.run(['profiles', 'trace', traceId, '--span', spanId(1)])
    assert.doesNotMatch(inside.stdout, /^GET \/orders/m)
    assert.match(inside.stdout, /^inside +GET$/m)
    assert.match(inside.stdout, /^GET \/prices .+ prices /m)
    const { spans } = JSON.parse((await folder.run(['profiles', 'trace', traceId, '--json'])).stdout) as Trace
    assert.deepEqual(pick(spans, 'depth'), [0, 1, 2])
  })

  it('ends with 3 where there is no such trace, profile or span', async () => {
    await using folder = await cliFolder()
    const { profiles } = await folder.engine()
    await profiles.write([makeProfile({ token: 'aaaaaaaaaa' }), makeSpansProfile('prices', [makeSpan({ id: 1 })])])
    for (const [args, message] of [
      [['f'.repeat(32)], 'Nothing is known of this trace: it was not recorded here, or has expired.'],
      [['bbbbbbbbbb'], 'There is no such profile, or it is not part of a trace.'],
      [['aaaaaaaaaa'], 'There is no such profile, or it is not part of a trace.'],
      [[traceId, '--span', spanId(7)], 'The trace has no such span.'],
    ] as const) {
      const { exitCode, stderr } = await folder.run(['profiles', 'trace', ...args])
      assert.deepEqual([exitCode, stderr], [3, `fanlight: ${message}\n`])
    }
  })
})

it('fanlight profiles show: tells of a command what a command has', async () => {
  await using folder = await cliFolder()
  const command = {
    method: 'COMMAND',
    url: 'http://command/import-prices',
    route: null,
    ip: '',
    logCount: 1,
    durationMs: 800,
  }
  await (await folder.engine()).profiles.write([makeProfile(command)])
  const { stdout } = await folder.run(['profiles', 'show', 'latest'])
  assert.match(stdout, /^command +import-prices$/m)
  assert.match(stdout, /^log +1 line, 0 errors$/m)
  assert.match(stdout, /^findings +slow$/m)
  assert.doesNotMatch(stdout, /route|handled|client|sub-requests/)
})

it('fanlight profiles runs --compare no: counts by route or version, and prints the same as JSON', async () => {
  await using folder = await cliFolder()
  const engine = await folder.engine()
  const of = (version: string, count: number) =>
    Array.from({ length: count }, () => makeProfile({ durationMs: 20, version }))
  await engine.profiles.write([...of('2.0.0', 1), ...of('2.1.0', 3), makeProfile({ route: null, status: 404 })])
  const byRoute = await folder.run(['profiles', 'runs', '--compare', 'no'])
  assert.match(byRoute.stdout, /^order_list +4 +0 +20\.0 ms +20\.0 ms .+\nno route +1 +0 +12\.3 ms/m)
  assert.match(byRoute.stdout, /^5 requests in 2 routes\.$/m)
  const byVersion = await folder.run([
    'profiles',
    'runs',
    '--compare',
    'no',
    '--by',
    'version',
    '--status',
    '200',
    '--json',
  ])
  const { groups } = JSON.parse(byVersion.stdout) as { groups: { key: string; run: { count: number } }[] }
  assert.deepEqual(
    groups.map(({ key, run }) => [key, run.count]),
    [
      ['2.1.0', 3],
      ['2.0.0', 1],
    ],
  )
  const slowest = await folder.run(['profiles', 'runs', '--compare', 'no', '--sort', 'last'])
  assert.match(slowest.stdout, /no route .*\norder_list|order_list .*\nno route/)
})
