// Promises that nobody waits for, in whole applications: noted on their request, whether it runs or has ended.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { describe, it } from 'node:test'

// A separate process: the test runner takes every unhandled rejection for a failed test.
const application = (handler: string, after: string): string => `
  import { createApp, RouteCollection, text, loadRuntimeContext } from './src/index.ts'
  const routes = new RouteCollection()
  routes.get('order', '/order', ${handler})
  const { context } = loadRuntimeContext({ cwd: '/', env: { APP_ENV: 'dev', APP_STORE: 'memory:' } })
  const lines = []
  const app = await createApp({ routes, context, log: { write: (line) => void lines.push(line) } })
  const settled = () => new Promise((resolve) => setImmediate(() => setImmediate(resolve)))
  ${after}
`

async function run(code: string): Promise<{ code: number | null; out: string; err: string }> {
  const child = spawn(process.execPath, ['--input-type=module-typescript', '--eval', code])
  let out = ''
  let err = ''
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (out += chunk))
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (err += chunk))
  const [exitCode] = (await once(child, 'close')) as [number | null]
  return { code: exitCode, out, err }
}

const report = `;
  const { items: [summary] } = await app.profiles.find({})
  const profile = await app.profiles.read(summary.token)
  console.log(JSON.stringify({ status: answer.status, profile }))
  await app.close()
  process.exit(0)`

const reportLate = `
  let items = []
  for (let wait = 0; items.length < 2 && wait < 12_000; wait += 1) {
    await new Promise((resolve) => setTimeout(resolve, 20))
    items = (await app.profiles.find({})).items
  }
  const [late, parent] = items
  const profile = await app.profiles.read(late.token)
  const { data } = await app.profiles.read(parent.token)
  console.log(JSON.stringify({ status: answer.status, items, profile, parent: data, lines }))
  await app.close()
  process.exit(0)`

interface Reported {
  readonly status: number
  readonly profile: {
    parentToken: string | null
    handler: string
    errorClass: string
    data: { notes: { message: string }[] }
  }
}

interface ReportedLate {
  readonly items: { url: string; status: number; errorClass: string | null; findings: string[] }[]
  readonly profile: Reported['profile'] & { data: { exception?: { errors: { message: string }[] } } }
  readonly parent: { notes: { message: string }[] }
  readonly lines: { level: string; message: string; context: { request?: string; trace?: string[] } }[]
}

describe('UnhandledErrors', () => {
  it('notes a rejection on the request that runs', async () => {
    const handler = `async () => { void Promise.reject(new RangeError('no stock')); await settled(); return text('ok') }`
    const listen = `process.on('unhandledRejection', () => undefined)`
    const { out, err } = await run(
      application(handler, `${listen}\nconst answer = await app.inject({ url: '/order' })${report}`),
    )
    const { status, profile } = JSON.parse(out || err) as Reported
    assert.equal(status, 200)
    assert.equal(profile.errorClass, 'RangeError')
    assert.equal(profile.parentToken, null)
    assert.match(profile.data.notes[0]?.message ?? '', /during this request: a promise was rejected/)
  })

  it('keeps a rejection after the response: in the list, on the page of its request, and in the log with its trace', async () => {
    const handler = `() => { void shipped.promise.then(() => { throw new RangeError('no stock') }); return text('ok') }`
    const before = `process.on('unhandledRejection', () => undefined)\nconst shipped = Promise.withResolvers()`
    // The list has it once its profile is made.
    const listed = 'while ((await app.profiles.find({})).items.length === 0) await settled()'
    const after = `${before}\nconst answer = await app.inject({ url: '/order' }); ${listed}\nshipped.resolve()${reportLate}`
    const { out, err } = await run(application(handler, after))
    const { items, profile, parent, lines } = JSON.parse(out || err) as ReportedLate
    assert.deepEqual(
      items.map(({ url, status, errorClass, findings }) => [url, status, errorClass, findings.includes('error')]),
      [
        ['http://localhost/order', 200, 'RangeError', true],
        ['http://localhost/order', 200, null, false],
      ],
    )
    assert.equal(profile.handler, 'rejected later')
    assert.match(profile.data.notes[0]?.message ?? '', /after the response of GET \/order: a promise was rejected/)
    assert.equal(profile.data.exception?.errors[0]?.message, 'no stock')
    assert.match(
      parent.notes[0]?.message ?? '',
      /^After the response: RangeError.*no stock\. See \/_profiler\/[0-9a-z]{13}$/,
    )
    const line = lines.find(({ level }) => level === 'error')
    assert.match(line?.message ?? '', /^Unhandled rejection in \{request\}/)
    assert.equal(line?.context.request, 'GET /order')
    assert.match(line.context.trace?.join('\n') ?? '', /^RangeError: no stock\n {2}at /)
  })

  it('adds a rejection right after the response to the profile of its request', async () => {
    const handler = `() => { setImmediate(() => void Promise.reject(new RangeError('no stock'))); return text('ok') }`
    const listen = `process.on('unhandledRejection', () => undefined)`
    const after = `${listen}\nconst answer = await app.inject({ url: '/order' }); await settled()${report}`
    const { out, err } = await run(application(handler, after))
    const { profile } = JSON.parse(out || err) as Reported
    assert.deepEqual([profile.errorClass, profile.handler], ['RangeError', 'order'])
    assert.match(profile.data.notes[0]?.message ?? '', /^after the response of GET \/order: a promise was rejected/)
  })

  it('leaves it to Node to end a process that has no listener of its own', async () => {
    const handler = `async () => { void Promise.reject(new RangeError('no stock')); await settled(); return text('ok') }`
    const { code, err } = await run(application(handler, `await app.inject({ url: '/order' }); console.log('went on')`))
    assert.equal(code, 1)
    assert.match(err, /RangeError: no stock/)
  })
})
