// What routes and groups put around their handlers: guards, schemas, limits of body and time.

import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { describe, it } from 'node:test'
import * as v from 'valibot'
import { z } from 'zod'
import { HttpError, json, redirect, RouteCollection, text, ValidationError, type Exchange } from '../../src/index.ts'
import type { InjectedResponse } from '../../src/http/node/inject.ts'
import { startApp, type RunningApp } from '../support/running-app.ts'
import { until } from '../support/until.ts'

const asJson = { accept: 'application/json' }

/** The members of a problem document, without its reference. */
function problemOf(response: InjectedResponse): Record<string, unknown> {
  assert.equal(response.headers.get('content-type'), 'application/problem+json')
  const { reference, ...members } = response.json() as Record<string, unknown>
  assert.match(String(reference), /^[0-9a-z]{12}$/)
  return members
}

async function start(routes: RouteCollection, env = 'prod'): Promise<RunningApp> {
  return startApp({ env: { APP_ENV: env }, routes })
}

describe('A guard', () => {
  const calls: string[] = []
  const noting =
    (name: string) =>
    ({ request }: Exchange): void => {
      calls.push(name)
      if (request.header('x-refuse') === name) throw new HttpError(403, `${name} refuses`)
    }
  const routes = new RouteCollection()
    .get('open', '/open', () => text('open'))
    .group({ path: '/admin', guard: noting('outer') }, (admin) =>
      admin.group({ guard: noting('inner') }, (inner) =>
        inner
          .get('user', '/users/{id}', ({ request }) => text(`user ${request.params.id}`), {
            guard({ request }) {
              calls.push(`own ${request.params.id}`)
              return request.query.has('login') ? redirect('/login') : undefined
            },
          })
          .get('wrong', '/wrong', () => text('never'), {
            // @ts-expect-error -- a guard gives a Reply or nothing
            guard: function isAdmin() {
              return false
            },
          }),
      ),
    )

  it('runs before the handler, those of outer groups first, and not for other routes', async () => {
    await using running = await start(routes)
    calls.length = 0
    const response = await running.app.inject({ url: '/admin/users/7' })
    assert.equal(response.body, 'user 7')
    assert.deepEqual(calls, ['outer', 'inner', 'own 7'])
    assert.equal((await running.app.inject({ url: '/open' })).body, 'open')
    assert.equal(calls.length, 3)
  })

  it('refuses by throwing or by a reply; nothing inside it runs', async () => {
    await using running = await start(routes)
    calls.length = 0
    const refused = await running.app.inject({ url: '/admin/users/7', headers: { 'x-refuse': 'outer' } })
    assert.equal(refused.status, 403)
    assert.deepEqual(calls, ['outer'])
    const sent = await running.send({ target: '/admin/users/7?login' })
    assert.deepEqual([sent.status, sent.header('location')], [302, '/login'])
  })

  it('is not asked for a redirect to the route’s own form, a 405 or a 404', async () => {
    await using running = await start(routes)
    calls.length = 0
    const statuses = [
      await running.app.inject({ url: '/admin/users/7/' }),
      await running.app.inject({ url: '/admin/users/7', method: 'POST' }),
      await running.app.inject({ url: '/admin/nothing' }),
    ].map(({ status }) => status)
    assert.deepEqual([statuses, calls], [[301, 405, 404], []])
  })

  it('that returns anything but a Reply or nothing is an error', async () => {
    await using running = await start(routes, 'dev')
    const { status, body } = await running.app.inject({ url: '/admin/wrong', headers: { accept: 'text/plain' } })
    assert.equal(status, 500)
    assert.match(body, /Guard "isAdmin" of route "wrong" returned false; return nothing to let the request through/)
    // What the message says is not said again as a hint.
    assert.doesNotMatch(body.slice(0, body.indexOf('[1/1]')), /How to fix it/)
  })

  it('is in the profile, with the listeners', async () => {
    await using running = await start(routes, 'dev')
    const { headers } = await running.app.inject({ url: '/admin/users/7' })
    const profile = await running.profiles.read(headers.get('x-debug-token') ?? '')
    assert.match(JSON.stringify(profile), /"listener":"guard","moment":"guard"/)
  })
})

const Note = v.object({
  title: v.pipe(v.string(), v.nonEmpty('A title is needed')),
  tags: v.optional(v.array(v.pipe(v.string(), v.maxLength(5))), []),
})
const Page = z.object({ page: z.coerce.number().int().min(1).default(1) })

describe('Schemas of a route', () => {
  const routes = new RouteCollection()
    .post('note', '/notes', ({ valid }) => json([valid.body.title.length, valid.body.tags, valid.query.page]), {
      body: Note,
      query: Page,
    })
    .post('form', '/form', ({ valid }) => json(valid.form), {
      form: z.object({ name: z.string(), color: z.union([z.string(), z.array(z.string())]) }),
    })
    .group({ path: '/orders/{id}', params: z.object({ id: z.coerce.number() }), query: Page }, (group) =>
      group
        .get('order', '', ({ valid, request }) => json([valid.params.id, request.params.id, valid.query.page]))
        .get('any', '/any', ({ valid }) => json(valid.query.page), { query: z.object({ page: z.string() }) }),
    )
    .group({ path: '/both', body: Note }, (group) =>
      group
        .get('none', '', ({ valid }) => json(valid))
        .post('inner', '', ({ valid }) => json(valid), { form: z.object({ name: z.string() }) }),
    )
    .get('free', '/free', ({ valid }: Exchange) => json([valid.body, valid.form, valid.query, valid.params]))
    .post('taken', '/taken', () => {
      throw new ValidationError([{ in: 'body', path: 'email', message: 'This address is taken' }])
    })
    .post('many', '/many', ({ valid }) => json(valid.body.length), { body: z.array(z.string()) })
    .post('odd', '/odd', () => text('never'), {
      // @ts-expect-error -- a schema gives a value or issues
      body: { '~standard': { version: 1, vendor: 'own', validate: () => ({}) } },
    })

  it('give the handler what they make of body, query and params', async () => {
    await using running = await start(routes)
    const { app } = running
    const body = { title: 'Milk', tags: ['a'] }
    assert.deepEqual((await app.inject({ method: 'POST', url: '/notes?page=3', body })).json(), [4, ['a'], 3])
    assert.deepEqual((await app.inject({ method: 'POST', url: '/notes', body: { title: 'M' } })).json(), [1, [], 1])
    assert.deepEqual((await app.inject({ url: '/orders/7?page=2' })).json(), [7, '7', 2])
    assert.deepEqual((await app.inject({ url: '/orders/7/any?page=2' })).json(), '2')
    assert.deepEqual((await app.inject({ url: '/free' })).json(), [null, null, null, null])
  })

  it('read a form as a record: several values of a name are a list', async () => {
    await using running = await start(routes)
    const post = { method: 'POST', target: '/form', headers: ['Content-Type: application/x-www-form-urlencoded'] }
    const one = await running.send({ ...post, body: 'name=Ann&color=red' })
    assert.deepEqual(JSON.parse(one.body), { name: 'Ann', color: 'red' })
    const two = await running.send({ ...post, body: 'name=Ann&color=red&color=blue' })
    assert.deepEqual(JSON.parse(two.body), { name: 'Ann', color: ['red', 'blue'] })
    assert.equal((await running.app.inject({ method: 'POST', url: '/form', body: { name: 'Ann' } })).status, 415)
  })

  it('of a group are not asked for the body of a GET, and give way to those of the route', async () => {
    await using running = await start(routes)
    assert.deepEqual((await running.app.inject({ url: '/both' })).json(), {})
    const headers = ['Content-Type: application/x-www-form-urlencoded']
    const { body } = await running.send({ method: 'POST', target: '/both', headers, body: 'name=Ann' })
    assert.deepEqual(JSON.parse(body), { form: { name: 'Ann' } })
  })

  it('refuse with a 422 that names each place and reason, in production too, and never a value', async () => {
    await using running = await start(routes)
    const body = { title: '', tags: ['ok', 'too-long-and-secret', 5] }
    const response = await running.app.inject({ method: 'POST', url: '/notes?page=0', headers: asJson, body })
    assert.equal(response.status, 422)
    assert.deepEqual(problemOf(response), {
      type: 'about:blank',
      title: 'Unprocessable Entity',
      status: 422,
      detail: 'The request is not valid',
      errors: [
        { in: 'query', path: 'page', message: 'Too small: expected number to be >=1' },
        { in: 'body', path: 'title', message: 'A title is needed' },
        { in: 'body', path: 'tags[1]', message: 'Invalid length: Expected <=5 but received 19' },
        { in: 'body', path: 'tags[2]', message: 'Invalid type: Expected string but received …' },
      ],
    })
    assert.doesNotMatch(running.log.lines.map((line) => JSON.stringify(line)).join('\n'), /too-long-and-secret/)
  })

  it('refuse with a page, Markdown or text that lists the same', async () => {
    await using running = await start(routes)
    for (const accept of ['text/html', 'text/markdown', 'text/plain']) {
      const response = await running.app.inject({ method: 'POST', url: '/notes', headers: { accept }, body: {} })
      assert.equal(response.status, 422)
      assert.equal(response.headers.get('content-type'), `${accept}; charset=utf-8`)
      assert.match(response.body, /title: Invalid key: Expected ("|&quot;)title\1 but received undefined/)
    }
  })

  it('list 100 issues, and count the others', async () => {
    await using running = await start(routes)
    const body = Array.from({ length: 1100 }, (_, index) => index)
    const problem = problemOf(await running.app.inject({ method: 'POST', url: '/many', headers: asJson, body }))
    assert.deepEqual([(problem['errors'] as unknown[]).length, problem['omitted']], [100, 1000])
  })

  it('leave what cannot be read to the body: 400, 413, 415', async () => {
    await using running = await start(routes)
    const statusOf = async (body: string, type: string): Promise<number> =>
      (await running.send({ method: 'POST', target: '/notes', headers: [`Content-Type: ${type}`], body })).status
    assert.equal(await statusOf('{"title":', 'application/json'), 400)
    assert.equal(await statusOf('', 'application/json'), 400)
    assert.equal(await statusOf('title=Milk', 'application/x-www-form-urlencoded'), 415)
    assert.equal(await statusOf(JSON.stringify({ title: 'x'.repeat(1024 * 1024) }), 'application/json'), 413)
  })

  it('are asked after the guards, and may be asynchronous or throw', async () => {
    const asked: unknown[] = []
    const schema = {
      '~standard': {
        version: 1,
        vendor: 'own',
        async validate(value: unknown) {
          asked.push(value)
          await Promise.resolve()
          if (value === 'broken') throw new Error('The list of names cannot be read')
          return { value: String(value).length }
        },
      },
    } as const
    const own = new RouteCollection().post('own', '/own', ({ valid }) => json(valid.body satisfies number), {
      body: schema,
      guard({ request }) {
        if (request.query.has('refuse')) throw new HttpError(403, 'refused')
      },
    })
    await using running = await start(own)
    const post = async (url: string, body: string): Promise<InjectedResponse> =>
      running.app.inject({ method: 'POST', url, headers: { 'content-type': 'application/json' }, body })
    assert.equal((await post('/own?refuse', '"secret"')).status, 403)
    assert.deepEqual(asked, [])
    assert.equal((await post('/own', '"name"')).json(), 4)
    assert.equal((await post('/own', '"broken"')).status, 500)
  })

  it('are joined by what the handler finds itself', async () => {
    await using running = await start(routes)
    const problem = problemOf(await running.app.inject({ method: 'POST', url: '/taken', headers: asJson }))
    assert.deepEqual(problem['errors'], [{ in: 'body', path: 'email', message: 'This address is taken' }])
  })

  it('that give neither a value nor issues are an error', async () => {
    await using running = await start(routes, 'dev')
    const { status, body } = await running.app.inject({
      method: 'POST',
      url: '/odd',
      headers: { accept: 'text/plain' },
      body: {},
    })
    assert.equal(status, 500)
    assert.match(body, /The schema "body" \(own\) gave neither a value nor issues/)
  })
})

describe('maxBodyBytes of a route', () => {
  const routes = new RouteCollection()
    .post('default', '/', async ({ request }) => text(String((await request.body.bytes()).byteLength)))
    .group({ maxBodyBytes: 10 }, (group) =>
      group
        .post('small', '/small', async ({ request }) => text(await request.body.text()))
        .post('stream', '/stream', async ({ request }) => text(await request.toFetch().text()))
        .post('large', '/large', async ({ request }) => text(String((await request.body.bytes()).byteLength)), {
          maxBodyBytes: 2 * 1024 * 1024,
        }),
    )

  it('takes the place of that of the group, and of the application', async () => {
    await using running = await start(routes)
    const post = async (target: string, body: string): Promise<unknown[]> => {
      const response = await running.send({ method: 'POST', target, body })
      return [response.status, ...(response.status === 200 ? [response.body] : [])]
    }
    assert.deepEqual(await post('/small', '1234567890'), [200, '1234567890'])
    assert.deepEqual(await post('/small', '12345678901'), [413])
    assert.deepEqual(await post('/stream', '1234567890'), [200, '1234567890'])
    const large = 'x'.repeat(1024 * 1024 + 1)
    assert.deepEqual(await post('/large', large), [200, String(large.length)])
    assert.deepEqual(await post('/', large), [413])
    assert.deepEqual(await post('/large', large.repeat(2)), [413])
  })
})

describe('timeoutMs of a route', () => {
  it('responds with a 503, aborts the signal, and says so in the profile', async () => {
    const reasons: unknown[] = []
    const routes = new RouteCollection().group({ timeoutMs: 20 }, (group) =>
      group
        .get('slow', '/slow', async ({ signal }) => {
          await new Promise((resolve) => signal.addEventListener('abort', resolve))
          reasons.push(signal.reason)
          throw signal.reason
        })
        .get('patient', '/patient', () => text('in time'), { timeoutMs: 2_147_483_647 }),
    )
    await using running = await start(routes, 'dev')
    const response = await running.send({ target: '/slow', headers: ['Accept: application/json'] })
    assert.equal(response.status, 503)
    const message = 'Handler "slow" gave no reply within 20 ms (timeoutMs of route "slow")'
    assert.ok(response.body.includes(JSON.stringify(message).slice(1, -1)), response.body)
    assert.equal(String(reasons[0]), `HandlerTimeoutError: ${message}`)
    const profile = await running.profiles.read(response.header('x-debug-token') ?? '')
    assert.ok(JSON.stringify(profile).includes('HandlerTimeoutError'))
    assert.equal((await running.app.inject({ url: '/patient' })).body, 'in time')
  })

  it('drops what comes too late, and logs what fails too late', async () => {
    const late = Promise.withResolvers<void>()
    const stream = new ReadableStream({ cancel: () => void cancelled.push('stream') })
    const cancelled: string[] = []
    const routes = new RouteCollection()
      .get('stream', '/stream', async () => late.promise.then(() => new Response(stream)), { timeoutMs: 1 })
      .get('fail', '/fail', async () => late.promise.then(() => Promise.reject(new Error('too late'))), {
        timeoutMs: 1,
      })
    await using running = await start(routes)
    assert.equal((await running.app.inject({ url: '/stream' })).status, 503)
    assert.equal((await running.app.inject({ url: '/fail' })).status, 503)
    late.resolve()
    await until(() => cancelled.length === 1)
    await until(() => running.log.lines.some(({ message }) => message.includes('failed after its time had run out')))
  })

  it('is a 408 while the client still sends the body', async () => {
    const routes = new RouteCollection().post('save', '/save', async ({ request }) => json(await request.body.json()), {
      timeoutMs: 20,
    })
    await using running = await start(routes)
    const socket = connect(running.port, '127.0.0.1')
    let received = ''
    socket.on('data', (chunk) => (received += chunk.toString('latin1')))
    socket.write(
      'POST /save HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{"a"',
    )
    await until(() => received.includes('\r\n\r\n'))
    assert.match(received, /^HTTP\/1\.1 408 Request Timeout\r\n/)
    socket.destroy()
  })
})
