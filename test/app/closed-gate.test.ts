// With APP_LOCK closed the maintenance page is served whatever the application does (SPEC 6.6).

import assert from 'node:assert/strict'
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { pathToFileURL } from 'node:url'
import { compiledCode } from '../support/compiled-code.ts'
import { freePort } from '../support/free-port.ts'
import { makeTemporaryDirectory } from '../support/temporary-directory.ts'
import { until } from '../support/until.ts'

const library = pathToFileURL(join(import.meta.dirname, '../../src/index.ts')).href
const cli = join(import.meta.dirname, '../../src/cli/main.ts')

const front = (body: string): string => `
  import { createApp, maintenance, RouteCollection, run } from '${library}'
  export const frontController = async (context) => { ${body} }
  if (import.meta.main) await run(frontController)
`
const whole = front(
  `return createApp({ context, routes: new RouteCollection(), plugins: [maintenance({ retryAfterSeconds: 33 })] })`,
)

interface Place {
  readonly module?: string
  readonly env?: Readonly<Record<string, string>>
  readonly prepare?: (folder: string) => void
  /** How it is started. Default: by Node, whose process the others start, or are. */
  readonly ways?: readonly (keyof typeof starts)[]
}

const starts = {
  'node main.ts': ['main.ts'],
  'fanlight serve': [cli, 'serve', 'main.ts'],
  'fanlight dev': [cli, 'dev', 'main.ts'],
} as const

const viaCommand = ['fanlight serve', 'fanlight dev'] as const
const eachWay = ['node main.ts', ...viaCommand] as const

const broken: Readonly<Record<string, Place>> = {
  'a front controller that throws': { module: front(`throw new Error('no database')`), ways: eachWay },
  'a front controller that never ends': { module: front('await new Promise(() => {})') },
  'a front controller that returns nothing': { module: front('') },
  'a front controller that leaves a rejection to nobody': {
    module: front(`setTimeout(() => Promise.reject(new Error('no pool')), 20)
      await new Promise((resolve) => setTimeout(resolve, 200)); return createApp({ context, routes: new RouteCollection() })`),
  },
  'a module that leaves a rejection to nobody': {
    module: `void Promise.reject(new Error('no queue')); ${whole}`,
    ways: ['node main.ts'],
  },
  'a module that throws': { module: `throw new Error('no module')`, ways: viaCommand },
  'a module that cannot be read': { module: 'const = 1', ways: viaCommand },
  'a module that ends the process': { module: 'process.exit(7)', ways: ['fanlight dev'] },
  'a setting that cannot be used': { env: { APP_DEBUG: 'perhaps' }, ways: eachWay },
  'a setting in .env that cannot be used': {
    prepare: (folder) => writeFileSync(join(folder, '.env'), 'APP_TRUSTED_PROXIES=all\n'),
  },
  'a .env that cannot be read': { prepare: (folder) => mkdirSync(join(folder, '.env')) },
  'a lock in .env and a front controller that throws': {
    module: front(`throw new Error('no database')`),
    env: { APP_LOCK: '' },
    prepare: (folder) => writeFileSync(join(folder, '.env'), 'APP_LOCK=1\n'),
  },
  'a store with an address that cannot be used': { env: { APP_STORE: 'mysql://here' } },
  'a store that is away': { env: { APP_STORE: 'redis://127.0.0.1:1' } },
  'a store that is no file': { prepare: (folder) => mkdirSync(join(folder, 'var/fanlight.db'), { recursive: true }) },
}

interface Started {
  readonly child: ChildProcess
  readonly url: string
  readonly output: () => string
}

async function start(test: TestContext, args: readonly string[], place: Place): Promise<Started> {
  const folder = makeTemporaryDirectory(test)
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  writeFileSync(join(folder, 'main.ts'), place.module ?? whole)
  place.prepare?.(folder)
  const port = await freePort()
  const env = { PATH: process.env['PATH'], APP_LOCK: '1', PORT: String(port), ...compiledCode, ...place.env }
  if (env.APP_LOCK === '') delete (env as { APP_LOCK?: string }).APP_LOCK
  const child = spawn(process.execPath, [...args], { cwd: folder, env, stdio: 'pipe' })
  const ended = once(child, 'close')
  test.after(async () => {
    child.kill('SIGTERM')
    await ended
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += String(chunk)))
  return { child, url: `http://127.0.0.1:${port}`, output: () => output }
}

async function page({ url, child, output }: Started): Promise<Response> {
  let response: Response | undefined
  await until(async () => {
    assert.equal(child.exitCode, null, output())
    response = await fetch(`${url}/any`, { headers: { accept: 'text/html' } }).catch(() => undefined)
    return response !== undefined
  })
  return response ?? assert.fail()
}

describe('APP_LOCK=1', { concurrency: 3 }, () => {
  for (const [what, place] of Object.entries(broken)) {
    for (const way of place.ways ?? (['node main.ts'] as const)) {
      it(`gives the page with ${what}, started by ${way}`, async (test) => {
        const response = await page(await start(test, starts[way], place))
        assert.equal(response.status, 503)
        assert.match(response.headers.get('retry-after') ?? '', /^\d+$/)
        assert.match(await response.text(), /<\/html>\s*$/)
      })
    }
  }

  it('gives the page after errors that nobody handles, and ends in order', async (test) => {
    const module = `${whole}
      process.on('SIGUSR2', () => { void Promise.reject(new Error('first')); setTimeout(() => { throw new Error('second') }) })`
    const started = await start(test, starts['node main.ts'], { module })
    assert.equal((await page(started)).status, 503)
    started.child.kill('SIGUSR2')
    await until(() =>
      /"first\\". APP_LOCK keeps its page\.[^]*"second\\". APP_LOCK keeps its page\./.test(started.output()),
    )
    assert.equal((await page(started)).status, 503)
    started.child.kill('SIGTERM')
    assert.deepEqual(await once(started.child, 'close'), [1, null])
  })

  it('gives the page of the application if that starts', async (test) => {
    const response = await page(await start(test, starts['fanlight serve'], {}))
    assert.deepEqual([response.status, response.headers.get('retry-after')], [503, '33'])
  })
})

describe('fanlight lock serve', () => {
  it('serves the page without a program, with its options', async (test) => {
    const prepare = (folder: string): void => writeFileSync(join(folder, 'away.html'), '<html>away</html>')
    const args = [cli, 'lock', 'serve', '--page', 'away.html', '--retry-after', '77']
    const response = await page(await start(test, args, { prepare, env: { APP_LOCK: '' } }))
    assert.deepEqual(
      [response.status, response.headers.get('retry-after'), await response.text()],
      [503, '77', '<html>away</html>'],
    )
  })

  it('runs a program unless APP_LOCK is closed, and ends as it did', async (test) => {
    const program = [cli, 'lock', 'serve', '--', process.execPath, '-e', 'console.log("ran"); process.exit(7)']
    const closed = await start(test, program, {})
    assert.equal((await page(closed)).status, 503)
    assert.doesNotMatch(closed.output(), /ran/)
    const open = await start(test, program, { env: { APP_LOCK: '2' } })
    assert.deepEqual(await once(open.child, 'close'), [7, null])
    assert.equal(open.output(), 'ran\n')
  })
})
