// A response that two have: the application by `app.handler`, and other code of the server it is mounted in.

import assert from 'node:assert/strict'
import { AsyncLocalStorage } from 'node:async_hooks'
import { createServer, type RequestListener, type ServerResponse } from 'node:http'
import { describe, it } from 'node:test'
import { loadRuntimeContext } from '../../../src/http/config/runtime-context.ts'
import { createApp, RouteCollection, text, type App } from '../../../src/index.ts'
import type { ErrorChain } from '../../../src/errors/flattened-error.ts'
import { fillPlaceholders } from '../../../src/base/log/logger.ts'
import { LineList } from '../../support/exchange.ts'
import { until } from '../../support/until.ts'
import { pick } from '../../support/pick.ts'

interface Shared {
  readonly app: App
  readonly log: LineList
  readonly url: string
  [Symbol.asyncDispose](): Promise<void>
}

async function share(routes: RouteCollection, mount: (app: App) => RequestListener, env = 'dev'): Promise<Shared> {
  const log = new LineList()
  const { context } = loadRuntimeContext({ cwd: import.meta.dirname, env: { APP_ENV: env, APP_STORE: 'memory:' } })
  const app = await createApp({ routes, context, log })
  const server = createServer(mount(app))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  assert.ok(address !== null && typeof address === 'object')
  return {
    app,
    log,
    url: `http://127.0.0.1:${address.port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      await app.close()
    },
  }
}

const page = (): RouteCollection => new RouteCollection().get('page', '/', () => text('of the application'))

async function complaint({ log }: Shared): Promise<string> {
  const find = (): (typeof log.lines)[number] | undefined =>
    log.lines.find(({ message }) => message.startsWith('Other code responded'))
  await until(() => find() !== undefined)
  const line = find()
  return line === undefined ? '' : fillPlaceholders({ message: line.message, context: line.context ?? {} })
}

describe('app.handler on a response that other code has answered', () => {
  for (const env of ['dev', 'prod']) {
    it(`leaves the answer alone and says so in the log, in ${env}`, async () => {
      await using shared = await share(
        page(),
        (app) => (request, response) => {
          response.setHeader('x-by', 'hand')
          response.writeHead(201)
          response.end('by hand')
          app.handler(request, response)
        },
        env,
      )
      const answer = await fetch(shared.url)
      assert.deepEqual([answer.status, await answer.text()], [201, 'by hand'])
      const line = await complaint(shared)
      assert.match(
        line,
        /^Other code responded to GET http:\/\/\S+ with 201, so the response of the application \(200\) is dropped/,
      )
      const context = shared.log.lines.find(({ message }) => message.startsWith('Other code responded'))?.context
      assert.ok(JSON.stringify(context?.['sent_headers']).includes('"x-by"'))
      assert.equal(context?.['sent_is_ended'], true)
      if (env !== 'dev') return
      const profiles = shared.app.profiles
      await until(async () => (await profiles?.find({}))?.items.length === 1)
      assert.equal((await profiles?.find({}))?.items[0]?.status, 201, 'the profile has the status that the client got')
    })
  }

  it('does not end the process when the other answer has only begun', async () => {
    const settle = Promise.withResolvers<void>()
    await using shared = await share(page(), (app) => (request, response) => {
      response.write('first ')
      app.handler(request, response)
      void settle.promise.then(() => response.end('last'))
    })
    const answer = fetch(shared.url)
    assert.match(await complaint(shared), / with 200, so the response of the application /)
    settle.resolve()
    assert.equal(await (await answer).text(), 'first last')
  })

  it('names the place of the other answer when it is given meanwhile, in debug', async () => {
    const settle = Promise.withResolvers<void>()
    const routes = new RouteCollection().get('page', '/', async () => {
      await settle.promise
      return text('late')
    })
    await using shared = await share(routes, (app) => (request, response) => {
      app.handler(request, response)
      setImmediate(function timeLimit() {
        response.end('too slow')
        settle.resolve()
      })
    })
    assert.equal(await (await fetch(shared.url)).text(), 'too slow')
    assert.match(
      await complaint(shared),
      /^Other code responded to GET \S+ at .*timeLimit .*shared-response\.test\.ts:\d+:\d+\)/,
    )
  })
})

it('a response that middleware has changed: is answered through the methods of the middleware', async () => {
  await using shared = await share(page(), (app) => (request, response) => {
    const writeHead = response.writeHead.bind(response)
    response.writeHead = ((status: number, fields: string[]) =>
      writeHead(status, [...fields, 'x-by', 'middleware'])) as typeof response.writeHead
    app.handler(request, response)
  })
  const answer = await fetch(shared.url)
  assert.deepEqual([await answer.text(), answer.headers.get('x-by')], ['of the application', 'middleware'])
})

describe('headers after the first answer', () => {
  it('are an error whose cause is the place of the first answer', async () => {
    const responses = new AsyncLocalStorage<ServerResponse>()
    const routes = new RouteCollection().get('raw', '/', () => {
      const response = responses.getStore()
      response?.end('first')
      response?.setHeader('x-late', '1')
      return text('never')
    })
    await using shared = await share(routes, (app) => (request, response) => {
      responses.run(response, () => app.handler(request, response))
    })
    assert.equal(await (await fetch(shared.url)).text(), 'first')
    await complaint(shared)
    const token = async (): Promise<string | undefined> =>
      (await shared.app.profiles?.find({}))?.items.find(({ errorClass }) => errorClass !== null)?.token
    await until(async () => (await token()) !== undefined)
    const profile = await shared.app.profiles?.read((await token()) ?? '')
    assert.ok(profile !== undefined)
    // The collector of that name gives a chain.
    const { errors } = profile.data['exception'] as ErrorChain
    assert.deepEqual(pick(errors, 'className'), ['Error', 'FirstSend'])
    const lines = errors.map(({ frames }) => frames.find(({ file }) => file.endsWith('shared-response.test.ts'))?.line)
    assert.equal(Number(lines[0]) - Number(lines[1]), 1)
  })

  it('name the application where it was the first', async () => {
    const caught = Promise.withResolvers<unknown>()
    await using shared = await share(page(), (app) => (request, response) => {
      app.handler(request, response)
      response.on('finish', () => {
        try {
          response.setHeader('x-late', '1')
        } catch (error) {
          caught.resolve(error)
        }
      })
    })
    await (await fetch(shared.url)).text()
    const error = await caught.promise
    assert.ok(error instanceof Error && error.cause instanceof Error)
    assert.equal(error.cause.stack, 'FirstSend: The first response, with status 200, was the application’s')
  })
})
