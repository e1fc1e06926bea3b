// How an application starts and stops its plugins, and what becomes of faults in either.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  createApp,
  html,
  maintenance,
  Reply,
  RouteCollection,
  type App,
  type Plugin,
  type Services,
} from '../../src/index.ts'
import { loadRuntimeContext } from '../../src/http/config/runtime-context.ts'
import { profiler } from '../../src/profiler.ts'
import { profileRequest } from '../../src/testing.ts'
import { LineList } from '../support/exchange.ts'
import { pick } from '../support/pick.ts'

/** Plugins that note what is done with them. */
function notingPlugins(): {
  readonly done: string[]
  make(name: string, faults?: Pick<Plugin, 'start' | 'stop'>): Plugin
} {
  const done: string[] = []
  const make = (name: string, faults: Pick<Plugin, 'start' | 'stop'> = {}): Plugin => ({
    name,
    start: (services) => {
      done.push(`start ${name}`)
      return faults.start?.(services)
    },
    stop: () => {
      done.push(`stop ${name}`)
      return faults.stop?.()
    },
  })
  return { done, make }
}

async function appOf(plugins: readonly Plugin[], log = new LineList()): Promise<App> {
  const { context } = loadRuntimeContext({ cwd: import.meta.dirname, env: { APP_ENV: 'test', APP_STORE: 'memory:' } })
  const routes = new RouteCollection()
  routes.get('home', '/', () => html`<h1>Home</h1>`)
  return createApp({ routes, context, plugins, log })
}

const refuse = (): never => {
  throw new TypeError('no password=hunter2 today')
}

describe('createApp: plugins', () => {
  it('stops them all in reverse although some cannot be stopped, and logs those', async () => {
    const { done, make } = notingPlugins()
    const log = new LineList()
    const rejects = (): Promise<never> => Promise.reject(new RangeError('too late'))
    const app = await appOf([make('one'), make('two', { stop: refuse }), make('three', { stop: rejects })], log)
    done.length = 0
    await app.close()
    assert.deepEqual(done, ['stop three', 'stop two', 'stop one'])
    assert.deepEqual(
      log.lines.map(({ level, message, context }) => [level, message, { ...context }]),
      [
        ['three', 'RangeError', 'too late'],
        ['two', 'TypeError', 'no password=****** today'],
      ].map(([plugin, errorClass, message]) => [
        'error',
        'The plugin {plugin} could not be stopped: {error_class}: "{message}".',
        { plugin, error_class: errorClass, message },
      ]),
    )
  })

  it('goes on without one whose stop never ends, and names it', async (test) => {
    const { done, make } = notingPlugins()
    const log = new LineList()
    const app = await appOf([make('one'), make('two', { stop: () => new Promise(() => undefined) })], log)
    test.mock.timers.enable({ apis: ['setTimeout'] })
    const closed = app.close()
    while (!done.includes('stop two')) await new Promise((resolve) => setImmediate(resolve))
    test.mock.timers.tick(10_000)
    await closed
    assert.deepEqual(done.slice(-2), ['stop two', 'stop one'])
    assert.deepEqual(
      log.lines.map(({ context }) => [context['plugin'], context['message']]),
      [['two', 'stop() has not ended after 10 seconds']],
    )
  })

  for (const [how, start] of [
    ['throws', refuse],
    ['rejects', async () => refuse()],
  ] as const) {
    it(`stops those that were started when a later one ${how}, and starts no other`, async () => {
      const { done, make } = notingPlugins()
      const plugins = [make('one', { stop: refuse }), make('two', { start }), make('three')]
      await assert.rejects(appOf(plugins), { name: 'TypeError', message: 'no password=hunter2 today' })
      assert.deepEqual(done, ['start one', 'start two', 'stop two', 'stop one'])
    })
  }

  it('says what stopped the start, not what failed after it', async () => {
    const plugin: Plugin = {
      name: 'wanting',
      start: async ({ openStore }) => void (await openStore()),
    }
    const { context } = loadRuntimeContext({ cwd: import.meta.dirname, env: { APP_ENV: 'prod' } })
    const options = { routes: new RouteCollection(), plugins: [plugin], log: new LineList() }
    await assert.rejects(createApp({ ...options, context: { ...context, store: 'mysql://h' } }), {
      code: 'ERR_STORE_URL',
    })
  })

  it('says what the application is started for, and records work of a plugin', async () => {
    let services: Services | undefined
    const app = await appOf([{ name: 'jobs', start: (given) => void (services = given) }])
    assert.equal(services?.startedFor, 'test')
    let token = ''
    assert.equal(
      await services.profileCommand(
        { name: 'send', args: ['7'] },
        () => 3,
        (begun) => (token = begun),
      ),
      3,
    )
    const profile = await app.profiles?.read(token)
    assert.deepEqual(profile?.data['command'], { name: 'send', args: ['7'], exitCode: 3 })
    await app.close()
    const { context } = loadRuntimeContext({ cwd: import.meta.dirname, env: { APP_STORE: 'memory:' } })
    const serving = await createApp({
      routes: new RouteCollection(),
      context,
      plugins: [{ name: 'jobs', start: (given) => void (services = given) }],
    })
    assert.deepEqual([services.startedFor, await services.profileCommand({ name: 'send' }, () => 4)], ['serve', 4])
    await serving.close()
  })

  it('shows the routes of plugins wherever routes are shown, but not those of the profiler', async () => {
    const app = await appOf([
      maintenance({ except: ['route:mail_queue'] }),
      { name: 'mail', routes: new RouteCollection().get('mail_queue', '/mail/queue', () => html`<h1>Mails</h1>`) },
    ])
    const get = async (url: string): Promise<string> =>
      (await app.inject({ url, headers: { accept: 'application/json' } })).body
    const { routes } = JSON.parse(await get('/_profiler/routes.json')) as {
      readonly routes: readonly { name: string }[]
    }
    assert.deepEqual(pick(routes, 'name'), ['home', 'mail_queue'])
    assert.deepEqual(pick(app.routes.all(), 'name'), ['home', 'mail_queue'])
    assert.match(await get('/mail/queu'), /\/mail\/queue/)
    await app.close()
  })

  for (const [where, order] of [
    ['before the profiler', (own: Plugin) => [own, profiler()]],
    ['behind the profiler', (own: Plugin) => [profiler(), own]],
  ] as const) {
    it(`name the profile of a response that a plugin ${where} replaced`, async () => {
      const replaced: Plugin = {
        name: 'replacing',
        listeners: [{ name: 'replacing', onResponse: () => new Reply(203, ['x-replaced', 'yes'], 'replaced') }],
      }
      const app = await appOf(order(replaced))
      const { response, profile } = await profileRequest(app, '/')
      assert.deepEqual([response.status, response.headers.get('x-replaced')], [203, 'yes'])
      assert.equal(response.headers.get('x-debug-token-link'), `/_profiler/${profile.token}`)
      assert.equal(profile.status, 203)
      await app.close()
    })
  }
})
