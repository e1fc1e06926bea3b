// The application's own question who may open profiles: it narrows what the posture lets in, on every route.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { HttpRequest } from '../../../src/base/http/request.ts'
import type { LogEntry } from '../../../src/base/log/logger.ts'
import { pageRoutes } from '../../../src/app/profiler-routes.ts'
import { ProfilerAccess, type AccessQuestion } from '../../../src/pages/profiler-access.ts'
import { LineList, requestContext } from '../../support/exchange.ts'
import { asBrowser } from '../../support/raw-client.ts'
import { startApp } from '../../support/running-app.ts'

const cookie = 'Cookie: team=profilers'
const byTeam: AccessQuestion = (context) => context.headerValues('cookie').includes('team=profilers')

const refusedPages = (lines: readonly LogEntry[]): readonly LogEntry[] =>
  lines.filter(({ message }) => message.startsWith('Refused a profiler page'))

/** Every address of the profiler, in every form. */
function addresses(token: string): readonly string[] {
  const pages = pageRoutes.flatMap(({ path }) =>
    path === '' ? ['', 'index.json', 'index.md'] : [path, `${path}.json`, `${path}.md`],
  )
  const profile = ['', '.json', '.md', '?panel=logger', '?panel=time', '?panel=nothing'].map((end) => token + end)
  return [...pages, ...profile, 'zzzzzzzzzzzz', 'latest?panel=logger', 'changes?newest=1', 'errors?status=4xx'].map(
    (path) => `/_profiler/${path}`,
  )
}

describe('createApp: access', () => {
  it('refuses every page and export to whom the application does not let in, with one and the same page', async () => {
    await using running = await startApp({ access: byTeam })
    const token = (await running.send({ target: '/api' })).header('x-debug-token') ?? ''
    const bodies = new Set<string>()
    for (const target of addresses(token)) {
      for (const method of ['GET', 'HEAD']) {
        const { status, body } = await running.send({ method, target, headers: ['Accept: application/json'] })
        assert.equal(status, 403, `${method} ${target}`)
        if (method === 'GET') bodies.add(body)
      }
    }
    assert.equal(bodies.size, 1)
    assert.match(refusedPages(running.log.lines)[0]?.context['reason'] as string, /^the access option .* says no$/)
  })

  it('lets in whom the application lets in, by a promise too', async () => {
    for (const access of [byTeam, async (context: HttpRequest) => byTeam(context)]) {
      await using running = await startApp({ access })
      const token = (await running.send({ target: '/api' })).header('x-debug-token') ?? ''
      assert.equal((await running.send({ target: `/_profiler/${token}`, headers: [cookie] })).status, 200)
      assert.equal((await running.send({ target: '/_profiler/index.json', headers: [cookie] })).status, 200)
    }
  })

  it('opens nothing that the posture closes, and is not even asked', async () => {
    let asked = 0
    const access = (): boolean => (asked += 1) > 0
    await using running = await startApp({ access })
    for (const headers of [['Host: evil.example'], ['Origin: http://evil.example'], ['Sec-Fetch-Site: cross-site']]) {
      assert.equal((await running.send({ target: '/_profiler/', headers })).status, 403, headers[0])
    }
    assert.equal(asked, 0)
    assert.equal((await running.send({ target: '/_profiler/' })).status, 200)
    assert.equal(asked, 1)
  })

  it('is asked for errors, which show as much, and for nothing else of the application', async () => {
    let asked = 0
    await using running = await startApp({ access: () => (asked += 1) > 0 })
    await running.send({ target: '/api' })
    assert.equal(asked, 0)
    await running.send({ target: '/error' })
    assert.equal(asked, 1)
  })

  it('leaves the toolbar out for whom it refuses, and sends the page', async () => {
    await using running = await startApp({ access: async (context) => byTeam(context) })
    const without = await running.send({ target: '/products', headers: asBrowser })
    assert.equal(without.status, 200)
    assert.match(without.body, /<h1>Products<\/h1>/)
    assert.doesNotMatch(without.body, /fanlight-toolbar|shadowroot/)
    const having = await running.send({ target: '/products', headers: [...asBrowser, cookie] })
    assert.match(having.body, /fanlight-toolbar|shadowroot/)
    assert.ok((without.header('server-timing') ?? '').startsWith('total'))
  })

  it('takes no CPU profile for whom it refuses', async () => {
    await using running = await startApp({ access: async (context) => byTeam(context) })
    const sampled = async (headers: readonly string[]): Promise<boolean> => {
      const asking = { target: '/api', headers: ['X-Fanlight-Profile: cpu', ...headers] }
      const token = (await running.send(asking)).header('x-debug-token') ?? ''
      const { body } = await running.send({ target: `/_profiler/${token}.json`, headers: [cookie] })
      return 'cpu' in (JSON.parse(body) as { data: object }).data
    }
    assert.equal(await sampled([]), false)
    assert.equal(await sampled([cookie]), true)
  })

  it('refuses where it throws, and the log names what was thrown', async () => {
    const access = (): boolean => {
      throw new TypeError('no session store')
    }
    await using running = await startApp({ access })
    assert.equal((await running.send({ target: '/_profiler/' })).status, 403)
    const failed = running.log.lines.find(({ message }) => message.startsWith('The access option'))
    assert.equal(failed?.level, 'error')
    assert.deepEqual({ ...failed.context }, { error_class: 'TypeError', message: 'no session store' })
    assert.match(refusedPages(running.log.lines)[0]?.context['reason'] as string, /failed/)
  })
})

describe('ProfilerAccess', () => {
  const rules = { allowedHosts: ['127.0.0.1'], hostSetting: 'APP_ALLOWED_HOSTS' }
  const ask = async (
    question: unknown,
    budgetMs?: number,
  ): Promise<{ refused: boolean; lines: readonly LogEntry[] }> => {
    const log = new LineList()
    const given = { rules, log, question: asQuestion(question), ...(budgetMs === undefined ? {} : { budgetMs }) }
    const reason = await new ProfilerAccess(given).refusal(requestContext({}))
    return { refused: reason !== null, lines: log.lines }
  }

  for (const [said, answer] of [
    ['the text "true"', 'true'],
    ['1', 1],
    ['an object', {}],
    ['nothing', undefined],
    ['null', null],
    ['a promise of 1', Promise.resolve(1)],
    ['false', false],
  ] as const) {
    it(`refuses where the answer is ${said}`, async () => {
      assert.equal((await ask(() => answer)).refused, true)
    })
  }

  it('refuses and reports a promise that is rejected, with whatever', async () => {
    const { refused, lines } = await ask(async () => Promise.reject(new Error('gone')))
    assert.equal(refused, true)
    assert.deepEqual(lines[0]?.context, { error_class: 'Error', message: 'gone' })
    // eslint-disable-next-line prefer-promise-reject-errors
    assert.equal((await ask(async () => Promise.reject(null))).refused, true)
  })

  it('refuses where no answer comes in time', async () => {
    const { refused, lines } = await ask(async () => new Promise<boolean>(() => undefined), 1)
    assert.equal(refused, true)
    assert.deepEqual(lines[0]?.context, { error_class: 'Error', message: 'no result within 1 ms' })
  })

  it('answers at once where nobody has to be waited for', () => {
    assert.equal(new ProfilerAccess({ rules, log: new LineList() }).refusal(requestContext({})), null)
    const access = new ProfilerAccess({ rules, log: new LineList(), question: () => true })
    assert.equal(access.refusal(requestContext({})), null)
  })
})

/** Applications without types answer what they like. */
function asQuestion(question: unknown): AccessQuestion {
  return question as AccessQuestion
}
