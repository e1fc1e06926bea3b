import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rename, rm, symlink, truncate, writeFile } from 'node:fs/promises'
import { execFileSync } from 'node:child_process'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { openMemoryEngine } from '../../../src/stores/memory/open-memory-engine.ts'
import { Reply } from '../../../src/base/http/reply.ts'
import { Lock } from '../../../src/maintenance/lock.ts'
import { MaintenanceListener } from '../../../src/maintenance/maintenance-listener.ts'
import { exchangeOf, LineList } from '../../support/exchange.ts'
import { until } from '../../support/until.ts'

const builtIn = '<!doctype html><html><title>built in</title></html>'
const page = (text: string): string => `<!doctype html>\n<html><title>${text}</title></html>\n`

/** Lets nobody in. */
const gate = { turnsAway: () => true }

function sentBy(listener: MaintenanceListener): Reply | undefined {
  const reply = listener.onRequest(exchangeOf())
  assert.ok(reply === undefined || reply instanceof Reply)
  return reply
}

/** The body as text; the page is kept as bytes. */
function bodyOf(reply: Reply | undefined): string {
  assert.ok(reply?.body instanceof Uint8Array)
  return new TextDecoder().decode(reply.body)
}

interface Setup extends AsyncDisposable {
  readonly listener: MaintenanceListener
  readonly log: LineList
  readonly path: string
  readonly shown: () => string
}

async function listenerFor(prepare: (path: string) => Promise<unknown>, bootValue = 1): Promise<Setup> {
  const folder = await mkdtemp(join(tmpdir(), 'fanlight-maintenance-'))
  const path = join(folder, 'maintenance.html')
  await prepare(path)
  const log = new LineList()
  const { lock: store } = await openMemoryEngine()
  const lock = new Lock({ bootValue, store, log })
  await lock.start()
  const listener = new MaintenanceListener({
    lock,
    gate,
    builtInPage: builtIn,
    pagePath: path,
    log,
    checkIntervalMs: 20,
  })
  await listener.start()
  return {
    listener,
    log,
    path,
    shown: () => bodyOf(sentBy(listener)),
    async [Symbol.asyncDispose]() {
      listener.close()
      lock.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

describe('MaintenanceListener', () => {
  it('gives each request its own reply', async () => {
    await using setup = await listenerFor((path) => writeFile(path, page('own')))
    sentBy(setup.listener)?.appendHeader('set-cookie', 'a=1')
    assert.equal(sentBy(setup.listener)?.header('set-cookie'), undefined)
  })

  it('serves the built-in page with its policy where there is no file', async () => {
    const log = new LineList()
    const lock = new Lock({ bootValue: 1, store: (await openMemoryEngine()).lock, log })
    const builtInPolicy = "default-src 'none'"
    const listener = new MaintenanceListener({
      lock,
      gate,
      builtInPage: builtIn,
      builtInPolicy,
      retryAfterSeconds: 7,
      log,
    })
    await listener.start()
    assert.equal(bodyOf(sentBy(listener)), builtIn)
    assert.equal(sentBy(listener)?.header('content-security-policy'), builtInPolicy)
    assert.equal(sentBy(listener)?.header('retry-after'), '7')
    assert.equal(sentBy(listener)?.header('refresh'), '10', 'not sooner')
    assert.deepEqual(log.lines, [])
  })
})

describe('MaintenanceListener with a page file that cannot be used (F20)', () => {
  const cases: Readonly<Record<string, (path: string) => Promise<unknown>>> = {
    'is not there': async () => undefined,
    'is a directory': (path) => mkdir(path),
    'is empty': (path) => writeFile(path, ''),
    'has a gigabyte': async (path) => {
      await writeFile(path, '')
      await truncate(path, 2 ** 30)
    },
    'is half written': (path) => writeFile(path, page('own').slice(0, 20)),
    'is not UTF-8': (path) => writeFile(path, Buffer.from([0xff, 0xfe, ...Buffer.from('</html>')])),
    'is a device that never ends': (path) => symlink('/dev/zero', path),
    'is a pipe that nobody writes to': async (path) => execFileSync('mkfifo', [path]),
    'is a link to itself': (path) => symlink(path, path),
  }

  for (const [what, prepare] of Object.entries(cases)) {
    it(`serves the built-in page with 503 when the file ${what}, and says so once`, async () => {
      await using setup = await listenerFor(prepare)
      assert.equal(sentBy(setup.listener)?.status, 503)
      assert.equal(setup.shown(), builtIn)
      assert.equal(setup.log.lines.filter((line) => line.message.includes('maintenance page')).length, 1)
    })
  }

  it('follows the file through swaps, and never shows a part of a page', async () => {
    await using setup = await listenerFor((path) => writeFile(path, page('one')))
    const { path, shown } = setup
    const seen = new Set<string>()
    const watch = setInterval(() => seen.add(shown()), 1)
    try {
      await writeFile(`${path}.new`, page('two'))
      await rename(`${path}.new`, path)
      await until(() => shown() === page('two'))
      await rm(path)
      await until(() => shown() === builtIn)
      await writeFile(path, page('three').slice(0, 30))
      await writeFile(path, page('three'))
      await until(() => shown() === page('three'))
      await rm(path)
      await mkdir(path)
      await until(() => shown() === builtIn)
      await rm(path, { recursive: true })
      await writeFile(path, page('four'))
      await until(() => shown() === page('four'))
    } finally {
      clearInterval(watch)
    }
    const whole = new Set([builtIn, page('one'), page('two'), page('three'), page('four')])
    assert.deepEqual(
      [...seen].filter((body) => !whole.has(body)),
      [],
    )
  })

  it('stops looking at the file when closed', async () => {
    await using setup = await listenerFor((path) => writeFile(path, page('one')))
    setup.listener.close()
    setup.listener.close()
    assert.equal(setup.shown(), page('one'))
  })
})
