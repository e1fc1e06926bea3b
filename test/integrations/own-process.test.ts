// A bare server in its own process: off, on with each option, and how the process ends. Cases 34, 35, 53 and 56 to 58 of the
// conformance table.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it, type TestContext } from 'node:test'
import { isOn } from '../../src/integrations/switch.ts'
import type { ProfileSummary } from '../../src/observe/profile.ts'
import { openEngine } from '../../src/app/open-engine.ts'
import { runFile, type RunningProcess } from '../support/running-process.ts'
import { until } from '../support/until.ts'
import { makeTemporaryDirectory, removeDirectory } from '../support/temporary-directory.ts'
import { ask, browser, profileOf, tokenOf, type Got, type Sent } from './served.ts'

const file = join(import.meta.dirname, 'raw-app.ts')

interface RawApp {
  readonly process: RunningProcess
  readonly port: number
  ask(path: string, sent?: Sent): Promise<Got>
}

async function start(test: TestContext, env: Readonly<Record<string, string>> = {}, cwd?: string): Promise<RawApp> {
  const app = await startIn(cwd ?? makeTemporaryDirectory(test), env)
  test.after(async () => void (await app.process.end('SIGKILL')))
  return app
}

async function startIn(directory: string, env: Readonly<Record<string, string>>): Promise<RawApp> {
  const process = await runFile(file, env, directory)
  const port = Number(new URL(process.url).port)
  return {
    process,
    port,
    ask: async (path, sent = {}) =>
      ask(port, { ...sent, path, headers: { connection: 'close', ...browser, ...sent.headers } }),
  }
}

it('is on in development and in tests, and where FANLIGHT says so', () => {
  for (const [env, expected] of [
    [{ NODE_ENV: 'production' }, false],
    [{ NODE_ENV: 'staging' }, false],
    [{}, false],
    [{ APP_ENV: 'dev', APP_DEBUG: '1' }, false],
    [{ FANLIGHT: 'off', NODE_ENV: 'development' }, false],
    [{ FANLIGHT: 'yes', NODE_ENV: 'production' }, false],
    [{ NODE_ENV: 'development' }, true],
    [{ NODE_ENV: 'dev' }, true],
    [{ NODE_ENV: 'local', APP_ENV: 'prod', APP_DEBUG: '0' }, true],
    [{ NODE_ENV: 'test' }, true],
    [{ FANLIGHT: 'on', NODE_ENV: 'production' }, true],
    [{ FANLIGHT: 'yes', NODE_ENV: 'development' }, true],
  ] as const) {
    assert.equal(isOn({ FANLIGHT: '', ...env }), expected, JSON.stringify(env))
  }
})

describe('outside development', () => {
  for (const [name, env] of [
    ['NODE_ENV=production', { FANLIGHT: '', NODE_ENV: 'production' }],
    ['APP_ENV=dev', { FANLIGHT: '', APP_ENV: 'dev', APP_DEBUG: '1' }],
    ['FANLIGHT=off', { FANLIGHT: 'off', NODE_ENV: 'development' }],
  ] as const) {
    it(`nothing of it is there: ${name}`, async (test) => {
      const app = await start(test, env)
      const got = await app.ask('/page')
      assert.equal(got.text, '<html><body>page</body></html>')
      const ours = got.rawHeaders.filter((field) => /debug|timing/i.test(field))
      assert.deepEqual(ours, [])
      assert.equal((await app.ask('/_profiler/')).text, '{"id":7}')
      assert.deepEqual(JSON.parse((await app.ask('/traces')).text), {
        ownMembers: false,
        isHeard: false,
        isKnown: false,
        files: false,
      })
    })
  }
})

describe('in development', () => {
  for (const [name, env, changesPages] of [
    ['NODE_ENV=local', { FANLIGHT: '', NODE_ENV: 'local', APP_ENV: 'prod', APP_DEBUG: '0' }, true],
    ['NODE_ENV=test', { FANLIGHT: '', NODE_ENV: 'test' }, false],
    ['FANLIGHT=on', { FANLIGHT: 'on', NODE_ENV: 'production' }, true],
  ] as const) {
    it(`it is on${changesPages ? '' : ', and changes no page'}: ${name}`, async (test) => {
      const app = await start(test, env)
      const got = await app.ask('/page')
      assert.equal((await profileOf(app.port, tokenOf(got))).status, 200)
      assert.equal(got.text.includes('<fanlight-toolbar'), changesPages)
    })
  }

  it('opens nothing before the first request', async (test) => {
    const directory = makeTemporaryDirectory(test)
    const app = await start(test, { FANLIGHT_STORE: 'sqlite:var/fanlight.db' }, directory)
    assert.equal(existsSync(join(directory, 'var/fanlight.db')), false)
    await app.ask('/page')
    assert.equal(existsSync(join(directory, 'var/fanlight.db')), true)
  })

  it('keeps profiles in memory where the store cannot be opened', async (test) => {
    const app = await start(test, { FANLIGHT_STORE: 'sqlite:/proc/nowhere/fanlight.db' })
    const got = await app.ask('/json')
    assert.equal((await profileOf(app.port, tokenOf(got))).status, 200)
    assert.match((await app.ask('/_profiler/status')).text, /Storage is off/)
  })

  it('uses the default for each value that cannot be used, and says so once', async (test) => {
    const directory = makeTemporaryDirectory(test)
    const wrong = {
      FANLIGHT: 'yes',
      NODE_ENV: 'development',
      FANLIGHT_STORE: 'ftp://ann:secret@nowhere',
      FANLIGHT_STOER: 'memory:',
      FANLIGHT_VERSION: '1.0 beta',
      FANLIGHT_MAIL: 'me@example.org',
      FANLIGHT_TRUSTED_PROXIES: 'true',
      FANLIGHT_RECORD: 'on-demand',
      FANLIGHT_OTLP: 'http://127.0.0.1:9/',
      OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
      FANLIGHT_RESTARTS: '1',
    }
    const app = await start(test, wrong, directory)
    const expected = [
      /^Unknown variable FANLIGHT_STOER, did you mean FANLIGHT_STORE\?$/,
      /^FANLIGHT="yes" cannot be used: allowed are on, off$/,
      /^FANLIGHT_STORE="ftp:\/\/\*{6}@nowhere" cannot be used: allowed are memory:, .*; the default is used$/,
      /^FANLIGHT_TRUSTED_PROXIES="true" cannot be used: allowed are .*; the default is used$/,
      /^FANLIGHT_VERSION="1.0 beta" cannot be used: allowed are .*; the default is used$/,
      /^FANLIGHT_MAIL="me@example.org" cannot be used: allowed are send, hold; the default is used$/,
      /^FANLIGHT_RECORD="on-demand" needs FANLIGHT_RECORD_SECRET: .*; the default is used$/,
      /^OTEL_EXPORTER_OTLP_PROTOCOL="grpc" cannot be used with FANLIGHT_OTLP: .*; the default is used$/,
    ]
    const { data } = await profileOf(app.port, tokenOf(await app.ask('/json')))
    const { lock, version } = data['config'] as Record<string, unknown>
    assert.deepEqual({ lock, version }, { lock: null, version: null })
    assert.equal(existsSync(join(directory, 'var/fanlight.db')), true)
    const { notes } = JSON.parse((await app.ask('/_profiler/status.json')).text) as { notes: readonly string[] }
    const lines = [...app.process.output.matchAll(/^fanlight: (.*)$/gm)].map(([, line = '']) => line)
    for (const said of [notes, lines]) {
      for (const text of expected) {
        const found = said.filter((line) => text.test(line))
        assert.equal(found.length, 1, `${String(text)} in ${said.join('\n')}`)
      }
    }
    assert.equal(lines.length, expected.length)
    assert.doesNotMatch(app.process.output + notes.join(), /secret@/)
  })

  it('reads no APP_ variable, HOST or PORT of the application, and changes none', async (test) => {
    const directory = makeTemporaryDirectory(test)
    const ofApplication = { APP_ENV: 'local', APP_DEBUG: 'true', APP_STORE: 'local', APP_LOCK: 'yes', APP_NAME: 'x' }
    writeFileSync(join(directory, '.env'), 'APP_DEBUG=true\nAPP_VERSION=7\nFANLIGHT_VERSION=8\nFANLIGHT_SERVICE=a b\n')
    writeFileSync(join(directory, '.env.local'), 'FANLIGHT_SERVICE=shop\n')
    mkdirSync(join(directory, '.env.dev'))
    const app = await start(test, { ...ofApplication, HOST: '0.0.0.0', PORT: 'pipe' }, directory)
    const { data } = await profileOf(app.port, tokenOf(await app.ask('/json')))
    const { environment, version, service } = data['config'] as Record<string, unknown>
    assert.deepEqual({ environment, version, service }, { environment: 'dev', version: '8', service: 'shop' })
    assert.doesNotMatch(app.process.output, /^fanlight: /m)
    assert.deepEqual(JSON.parse((await app.ask('/environment')).text), ofApplication)
  })

  it('goes on without an .env file that cannot be read, and makes a key in place of a wrong one', async (test) => {
    const directory = makeTemporaryDirectory(test)
    mkdirSync(join(directory, '.env'))
    const app = await start(test, { FANLIGHT_PROFILER_KEY: 'short' }, directory)
    assert.match(tokenOf(await app.ask('/json')), /^[0-9a-z]+$/)
    assert.equal((await app.ask('/_profiler/')).status, 403)
    assert.match(app.process.output, /^fanlight: The file "\.env" cannot be read \(EISDIR\)$/m)
    assert.match(app.process.output, /^fanlight: FANLIGHT_PROFILER_KEY="\*{6}" cannot be used: .*; a new key is made$/m)
  })
})

describe('the first line', () => {
  it('says where the profiler is, with a name that reaches it', async (test) => {
    const line = async (env: Readonly<Record<string, string>>): Promise<string> => {
      const app = await start(test, env)
      await app.ask('/json')
      const lines = [...app.process.output.matchAll(/^Fanlight: (.*)$/gm)].map(([, text = '']) => text)
      assert.ok(lines.length <= 1)
      return lines[0]?.replace(`:${app.port}`, '').replace(/key=[\w-]{32}$/, 'key=…') ?? ''
    }
    assert.equal(await line({}), 'http://127.0.0.1/_profiler/')
    assert.equal(await line({ OPTIONS: 'path' }), 'http://127.0.0.1/internal/profiles/')
    assert.equal(await line({ LISTENS: '::' }), 'http://localhost/_profiler/')
    assert.equal(await line({ LISTENS: '0.0.0.0' }), 'http://localhost/_profiler/?key=…')
    assert.equal(
      await line({ LISTENS: '0.0.0.0', FANLIGHT_ALLOWED_HOSTS: '*.example.org,dev.example.org' }),
      'http://dev.example.org/_profiler/?key=…',
    )
    const own = { LISTENS: '0.0.0.0', FANLIGHT_PROFILER_KEY: 'a-key-of-twenty-letters' }
    assert.equal(await line(own), 'http://localhost/_profiler/?key=$FANLIGHT_PROFILER_KEY')
    assert.equal(await line({ LISTENS: '0.0.0.0', FANLIGHT_PROFILER_KEY: 'off' }), 'http://localhost/_profiler/')
    assert.equal(await line({ LISTENS: '0.0.0.0', NODE_ENV: 'production' }), 'http://localhost/_profiler/')
    assert.equal(
      await line({ ...own, NODE_ENV: 'production' }),
      'http://localhost/_profiler/?key=$FANLIGHT_PROFILER_KEY',
    )
    assert.equal(await line({ NODE_ENV: 'test' }), '')
    assert.equal(await line({ FANLIGHT: 'off' }), '')
    assert.equal(await line({ FANLIGHT_RESTARTS: '2' }), '')
  })

  it('is there for each of the first five servers', async (test) => {
    const app = await start(test, { LISTENS: Array.from({ length: 7 }, () => '127.0.0.1').join() })
    const lines = (): readonly string[] => app.process.output.match(/^Fanlight: http:.*$/gm) ?? []
    await until(() => lines().length >= 5)
    await app.ask('/json')
    assert.equal(new Set(lines()).size, 5)
    assert.ok(lines().includes(`Fanlight: http://127.0.0.1:${app.port}/_profiler/`))
  })

  it('has the key that lets in whoever is elsewhere', async (test) => {
    const app = await start(test, { LISTENS: '0.0.0.0' })
    await until(() => app.process.output.includes('Fanlight: '))
    const entry = /^Fanlight: http:\/\/localhost:\d+(\S+)$/m.exec(app.process.output)?.[1] ?? ''
    const elsewhere = { 'x-forwarded-for': '203.0.113.9' }
    assert.equal((await app.ask('/_profiler/', { headers: elsewhere })).status, 403)
    const { status, headers } = await app.ask(entry, { headers: elsewhere })
    assert.deepEqual([status, headers['location']], [302, '/_profiler/'])
    const cookie = String(headers['set-cookie']).split(';')[0] ?? ''
    assert.equal((await app.ask('/_profiler/', { headers: { ...elsewhere, cookie } })).status, 200)
  })
})

describe('options', () => {
  const directory = mkdtempSync(join(tmpdir(), 'fanlight-'))
  let none: RawApp
  let many: RawApp
  before(async () => {
    none = await startIn(directory, {})
    many = await startIn(directory, { OPTIONS: 'many' })
  })
  after(async () => {
    await Promise.all([none, many].map(async ({ process }) => process.end('SIGKILL')))
    await removeDirectory(directory)
  })

  it('errorPage: browser replaces own 5xx responses for browsers, and for nobody else', async (test) => {
    const app = await start(test, { OPTIONS: 'browser' })
    assert.match((await app.ask('/own')).text, /^<!doctype html>/i)
    assert.equal((await app.ask('/own', { headers: { accept: 'text/markdown' } })).text, 'own words')
    assert.equal((await app.ask('/own', { headers: { accept: 'application/json' } })).text, 'own words')
    assert.match((await app.ask('/fails')).text, /^<!doctype html>/i)
  })

  it('errorPage: false replaces nothing, and the error is recorded', async (test) => {
    const app = await start(test, { OPTIONS: 'never' })
    const got = await app.ask('/fails')
    assert.equal(got.text, 'framework')
    assert.equal((await profileOf(app.port, tokenOf(got))).errorClass, 'Error')
  })

  it('captureBodies keeps 64 KB of a body, masked, and the application gets all of it', async () => {
    const long = 'x'.repeat(1024 * 1024)
    const headers = { 'content-type': 'text/plain' }
    const got = await many.ask('/echo', { method: 'POST', headers, body: long })
    assert.equal(got.text, String(long.length))
    const { data } = await profileOf(many.port, tokenOf(got))
    const { body } = data['request'] as { readonly body: Readonly<Record<string, unknown>> }
    assert.equal(body['state'], 'kept')
    assert.equal(body['readBytes'], long.length)
    assert.equal(body['keptBytes'], 65_536)
    const { responseBody } = data['request'] as { readonly responseBody: Readonly<Record<string, unknown>> }
    assert.deepEqual(responseBody['content'], { kind: 'text', text: String(long.length) })
    const secret = await many.ask('/echo', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'Ada', password: 'hunter2' }),
    })
    const shown = JSON.stringify((await profileOf(many.port, tokenOf(secret))).data)
    assert.match(shown, /Ada/)
    assert.doesNotMatch(shown, /hunter2/)
  })

  it('keeps JSON without captureBodies, masked, whoever asks, and no other body', async () => {
    const headers = { accept: '*/*', 'content-type': 'application/json' }
    const sent = { method: 'POST', headers, body: '{"a":1,"pin":"hunter2"}' }
    const json = await none.ask('/mirror', sent)
    assert.equal(json.text, sent.body)
    const { data } = await profileOf(none.port, tokenOf(json))
    const { body, responseBody } = data['request'] as Readonly<Record<string, { readonly content: unknown }>>
    assert.deepEqual(body?.content, { kind: 'json', value: { a: 1, pin: '******' } })
    assert.deepEqual(responseBody?.content, body?.content)
    const got = await none.ask('/echo', {
      method: 'POST',
      headers: { 'content-type': 'text/plain' },
      body: 'something',
    })
    assert.equal(got.text, '9')
    assert.doesNotMatch(JSON.stringify((await profileOf(none.port, tokenOf(got))).data), /something/)
    assert.doesNotMatch(JSON.stringify((await profileOf(none.port, tokenOf(got))).data), /responseBody/)
    const panel = await none.ask(`/_profiler/${tokenOf(got)}?panel=request`)
    // Said once, also where the request is to be sent again.
    assert.equal(panel.text.match(/was not recorded: it is neither JSON nor a form/g)?.length, 1)
  })

  it('access decides about profiles, toolbar and error page', async (test) => {
    const app = await start(test, { OPTIONS: 'access' })
    assert.doesNotMatch((await app.ask('/page')).text, /<fanlight-toolbar/)
    assert.equal((await app.ask('/fails')).text, 'framework')
    assert.equal((await app.ask('/_profiler/')).status, 403)
    const headers = { 'x-who': 'me' }
    assert.match((await app.ask('/page', { headers })).text, /<fanlight-toolbar/)
    assert.match((await app.ask('/fails', { headers })).text, /^<!doctype html>/i)
    assert.equal((await app.ask('/_profiler/', { headers })).status, 200)
  })

  it('allowedPeers names clients that may open profiles', async (test) => {
    const env = { FANLIGHT_TRUSTED_PROXIES: '127.0.0.1' }
    const headers = { 'x-forwarded-for': '203.0.113.9' }
    const stranger = await start(test, env)
    assert.equal((await stranger.ask('/page', { headers })).text, '<html><body>page</body></html>')
    const app = await start(test, { ...env, OPTIONS: 'many' })
    assert.match((await app.ask('/page', { headers })).text, /<fanlight-toolbar/)
  })

  it('redact masks more keys and patterns', async () => {
    const got = await many.ask('/fails?colour=violet')
    assert.doesNotMatch(got.text, /blue|swordfish/)
    assert.doesNotMatch(JSON.stringify(await profileOf(many.port, tokenOf(got))), /violet|swordfish/)
  })

  it('hints explain errors', async () => {
    assert.match((await many.ask('/fails')).text, /The shop is closed on Sundays\./)
  })

  it('recording leaves paths out', async () => {
    assert.equal((await many.ask('/health')).headers['x-debug-token'], undefined)
    assert.match(tokenOf(await many.ask('/json')), /^[0-9a-z]+$/)
  })

  it('collectors and panels add to the profile', async () => {
    const got = await many.ask('/json', { headers: { 'x-tenant': 'acme' } })
    assert.deepEqual((await profileOf(many.port, tokenOf(got))).data['tenant'], { tenant: 'acme' })
    assert.match((await many.ask(`/_profiler/${tokenOf(got)}?panel=tenant&type=request`)).text, /Seen: .*acme/)
  })

  it('profilerPath moves the pages', async (test) => {
    const app = await start(test, { OPTIONS: 'path' })
    const got = await app.ask('/page')
    assert.equal(got.headers['x-debug-token-link'], `/internal/profiles/${tokenOf(got)}`)
    assert.match(got.text, /data-profiler="\/internal\/profiles"/)
    assert.equal((await app.ask(`/internal/profiles/${tokenOf(got)}`)).status, 200)
    assert.equal((await app.ask('/_profiler/')).text, '{"id":7}')
    assert.match((await app.ask('/fails')).text, /\/internal\/profiles\//)
  })
})

describe('the process', () => {
  const stored = { FANLIGHT_STORE: 'sqlite:var/fanlight.db' }

  for (const [path, thrown] of [
    ['/throws', 'thrown at once'],
    ['/timer', 'thrown in a timer'],
    ['/rejects', 'rejected'],
  ] as const) {
    it(`ends by a throw or a rejection as it would without us, and has written it: ${path}`, async (test) => {
      const directory = makeTemporaryDirectory(test)
      for (const env of [stored, { FANLIGHT: '' }]) {
        const app = await start(test, env, directory)
        await assert.rejects(app.ask(path))
        assert.equal(await exitCodeOf(app), 1)
        assert.ok(app.process.output.includes(`Error: ${thrown}`), app.process.output)
      }
      const found = (await storedIn(directory)).find(({ url }) => url.endsWith(path))
      assert.equal(found?.errorClass, 'Error')
      assert.equal(found?.status, 0)
    })
  }

  it('that calls process.exit() has written everything', async (test) => {
    const directory = makeTemporaryDirectory(test)
    const app = await start(test, stored, directory)
    await app.ask('/json?before=1')
    await assert.rejects(app.ask('/exit'))
    assert.equal(await exitCodeOf(app), 3)
    const urls = (await storedIn(directory)).map(({ url }) => url)
    assert.ok(urls.some((url) => url.endsWith('?before=1')))
    assert.ok(urls.some((url) => url.endsWith('/exit')))
  })

  it('ends when its server closes, and everything is written', async (test) => {
    const directory = makeTemporaryDirectory(test)
    const app = await start(test, stored, directory)
    for (let count = 0; count < 20; count += 1) await app.ask(`/json?n=${count}`)
    await app.ask('/close')
    assert.equal(await exitCodeOf(app), 0)
    const urls = (await storedIn(directory)).map(({ url }) => url)
    assert.equal(urls.filter((url) => /\?n=\d/.test(url)).length, 20)
    assert.equal(urls.filter((url) => url.endsWith('/close')).length, 1)
  })

  it('that ends itself at SIGTERM has written everything', async (test) => {
    const directory = makeTemporaryDirectory(test)
    const app = await start(test, { ...stored, ENDS: 'own' }, directory)
    for (let count = 0; count < 20; count += 1) await app.ask(`/json?n=${count}`)
    assert.equal(await app.process.end('SIGTERM'), 0)
    const urls = (await storedIn(directory)).map(({ url }) => url)
    assert.equal(urls.filter((url) => /\?n=\d/.test(url)).length, 20)
  })
})

async function exitCodeOf({ process: { child } }: RawApp): Promise<number | null> {
  if (child.exitCode === null) await once(child, 'close')
  return child.exitCode
}

/** What a process that has ended has left in its store. */
async function storedIn(directory: string): Promise<readonly ProfileSummary[]> {
  const engine = await openEngine(`sqlite:${join(directory, 'var/fanlight.db')}`)
  const { items } = await engine.profiles.find({}, { limit: 50 })
  await engine.close()
  return items
}
