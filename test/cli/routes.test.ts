import assert from 'node:assert/strict'
import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { cliFolder } from '../support/cli-run.ts'
import { makeProfile } from '../support/profiles.ts'
import { writeFaultyRoutes, writeRoutes, writeSoundRoutes } from '../support/routes-project.ts'
import { pick } from '../support/pick.ts'
import { forAll } from '../support/for-all.ts'

const folder = await forAll(cliFolder())
await writeSoundRoutes(folder)
await writeFaultyRoutes(folder)

describe('fanlight routes', () => {
  it('prints an aligned table in the order in which routes are asked, and writes nothing', async () => {
    const { exitCode, stdout, stderr } = await folder.spawn(['routes', '--module', 'sound.ts'])
    assert.deepEqual([exitCode, stderr], [0, ''])
    assert.deepEqual(
      stdout.split('\n').map((line) => line.split(/ {2,}/)),
      [
        ['name', 'methods', 'path', 'handler', 'defined at', 'needs'],
        ['home', 'GET', '/', 'showHome', 'sound.ts:6'],
        ['product', 'GET', '/products/{slug}', 'show', 'sound.ts:7'],
        ['order', 'GET', '/orders/{id}', 'show', 'sound.ts:8', 'host {shop}.example.org, scheme https, id: \\d+'],
        ['basket', 'POST', '/basket', 'show', 'sound.ts:9'],
        ['page', 'any', '/page/{page}', 'show', 'sound.ts:10', 'page: \\d+, page defaults to "1"'],
        [''],
      ],
    )
    const starts = stdout.split('\n').flatMap((line) => (line === '' ? [] : [line.search(/\/|path/)]))
    assert.equal(new Set(starts).size, 1, 'paths stand below each other')
    assert.deepEqual((await readdir(folder.path)).sort(), ['faulty.ts', 'package.json', 'sound.ts'])
  })

  it('filters by any column, and says when nothing is left', async () => {
    const [byHost, none] = await Promise.all([
      folder.spawn(['routes', 'EXAMPLE.org', '--module', 'sound.ts']),
      folder.spawn(['routes', 'no\u001b[31m', '--module', 'sound.ts']),
    ])
    assert.match(byHost.stdout, /^1 of 5 routes\.\nname .*\norder .*\n$/)
    assert.deepEqual([none.exitCode, none.stderr], [0, ''])
    assert.equal(none.stdout, 'None of 5 routes contains "no\\u001b[31m".\n')
  })

  it('--json gives every fact', async () => {
    const { exitCode, stdout } = await folder.spawn(['routes', 'order', '--module', 'sound.ts', '--json'])
    assert.equal(exitCode, 0)
    assert.deepEqual(JSON.parse(stdout), {
      routes: [
        {
          name: 'order',
          recordedAs: 'order',
          locale: null,
          methods: ['GET'],
          path: '/orders/{id}',
          host: '{shop}.example.org',
          schemes: ['https'],
          requirements: { id: '\\d+' },
          defaults: {},
          priority: 0,
          hasCondition: false,
          handler: 'show',
          definedAt: 'sound.ts:8',
        },
      ],
      problems: [],
    })
  })

  it('--unused leaves the routes that no kept profile has', async () => {
    await using own = await cliFolder()
    await writeSoundRoutes(own)
    const { profiles } = await own.engine()
    const kept = ['home', 'order', 'page'].map((route) => makeProfile({ route }))
    await profiles.write([...kept, makeProfile({ route: 'basket', service: 'prices' })])
    const env = { APP_STORE: own.env['APP_STORE'] ?? '', APP_SERVICE: '' }
    const { stdout } = await own.spawn(['routes', '--unused', '--module', 'sound.ts', '--json'], env)
    const { routes } = JSON.parse(stdout) as { readonly routes: readonly { readonly name: string }[] }
    assert.deepEqual(pick(routes, 'name'), ['product'])
    await profiles.write([makeProfile({ route: 'product' })])
    assert.equal(
      (await own.spawn(['routes', '--unused', '--module', 'sound.ts'], env)).stdout,
      'Every route was hit.\n',
    )
  })

  it('--check ends with 0 for a sound table', async () => {
    const { exitCode, stdout, stderr } = await folder.spawn(['routes', '--check', '--module', 'sound.ts'])
    assert.deepEqual([exitCode, stdout, stderr], [0, 'No problem in 5 routes.\n', ''])
  })

  it('--check ends with 1 for a faulty one and names both places of each problem', async () => {
    const [text, json] = await Promise.all([
      folder.spawn(['routes', '--check', '--module', 'faulty.ts']),
      folder.spawn(['routes', '--check', '--module', 'faulty.ts', '--json']),
    ])
    assert.equal(text.exitCode, 1)
    assert.match(text.stderr, /^fanlight: the route table has \d problems\n$/)
    for (const places of [
      /^duplicate-name .*faulty\.ts:11.*faulty\.ts:12/m,
      /^unreachable .*"new_product" .*faulty\.ts:7.*faulty\.ts:6/m,
      /^duplicate .*"product_again" .*faulty\.ts:8.*faulty\.ts:6/m,
      /^shadowed .*faulty\.ts:10.*faulty\.ts:6/m,
    ]) {
      assert.match(text.stdout, places)
    }
    assert.equal(json.exitCode, 1)
    const { problems } = JSON.parse(json.stdout) as { problems: readonly Problem[] }
    const found = problems.map(({ kind, route, by }) => [kind, route.name, route.definedAt, by.name, by.definedAt])
    assert.deepEqual(found[0], ['duplicate-name', 'gone', 'faulty.ts:11', 'gone', 'faulty.ts:12'])
    assert.deepEqual(found[1], ['unreachable', 'new_product', 'faulty.ts:7', 'product', 'faulty.ts:6'])
  })
})

interface Problem {
  readonly kind: string
  readonly route: { readonly name: string; readonly definedAt: string }
  readonly by: { readonly name: string; readonly definedAt: string }
}

describe('fanlight routes of an application that cannot be started', () => {
  it('says why: in one line, or with the whole error of the application', async () => {
    await writeRoutes(folder, 'bad-route.ts', "routes.get('product', '/products/{slug}/{slug}', show)")
    await writeFile(join(folder.path, 'no-app.ts'), 'export default () => 7\n')
    await writeFile(join(folder.path, 'throwing.ts'), "export default () => { throw new Error('no room\\nat all') }\n")
    const cases = [
      [
        'bad-route.ts',
        1,
        /^fanlight: bad-route\.ts cannot be started\n\[1\/1\] RouteDefinitionError: Route "product".*\n +\/products\/\{slug\}\/\{slug\}\n +\^\n +defined at .*bad-route\.ts:6\n/,
      ],
      ['no-app.ts', 1, /^fanlight: [^\n]*no-app\.ts does not return an App[^\n]*\n$/],
      [
        'throwing.ts',
        1,
        /^fanlight: throwing\.ts cannot be started\n\[1\/1\] Error: no room\n +at all\n +at .*\(throwing\.ts:1:\d+\)\n/,
      ],
      ['missing.ts', 3, /^fanlight: there is no missing\.ts[^\n]*\n$/],
    ] as const
    const runs = await Promise.all(cases.map(([module]) => folder.spawn(['routes', '--module', module])))
    for (const [index, [module, exitCode, message]] of cases.entries()) {
      assert.deepEqual([runs[index]?.exitCode, runs[index]?.stdout], [exitCode, ''], module)
      assert.match(runs[index]?.stderr ?? '', message)
    }
  })

  it('says so where there are no routes', async () => {
    await writeRoutes(folder, 'empty.ts', '')
    const [list, match] = await Promise.all([
      folder.spawn(['routes', '--module', 'empty.ts']),
      folder.spawn(['match', 'GET', '/', '--module', 'empty.ts']),
    ])
    assert.deepEqual([list.exitCode, list.stdout], [0, 'The application has no routes.\n'])
    assert.equal(match.exitCode, 3)
    assert.match(match.stdout, /The application has no routes\.\n$/)
  })
})
