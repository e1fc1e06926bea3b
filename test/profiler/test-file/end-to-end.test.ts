// A fault, its profile, the test that is written from it: red; mended: green. With node:test and with Vitest, in a project as users have it.

import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { once } from 'node:events'
import { after, before, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import type { CliFolder } from '../../support/cli-run.ts'
import { register } from '../../support/registered-app.ts'
import { change, recordIn, runTest, testProject } from '../../support/test-project.ts'

/** The rates of another service. */
let rates: Server

const application = (origin: string): string => `
import { createApp, json, RouteCollection, type RuntimeContext } from 'fanlight'

const routes = new RouteCollection()
routes.post('total', '/total', async ({ request, log }) => {
  const { items } = await request.body.json() as { items: { price: number }[] }
  const { rate } = await (await fetch('${origin}/rates?code=EUR')).json() as { rate?: number }
  const total = items.reduce((sum, { price }) => sum + price, 0)
  log.info('Total {total}', { total })
  if (rate === undefined || total > 10) throw new RangeError('the total of ' + total + ' is too high')
  return json({ total: total * rate })
}, { captureBody: true })
routes.get('home', '/', () => json({ ok: true }))

export const frontController = (context: RuntimeContext) => createApp({ context, routes })
`
const body = { items: [{ price: 7 }, { price: 8 }], password: 'hunter2' }
const fault = ' || total > 10'

before(async () => {
  rates = createServer((_, response) => {
    response.setHeader('content-type', 'application/json').end('{"rate":2}')
  }).listen(0, '127.0.0.1')
  await once(rates, 'listening')
})
after(() => rates.close())

describe('fanlight profiles test', () => {
  let folder: CliFolder
  let token = ''
  let origin = ''

  before(async () => {
    origin = `http://127.0.0.1:${(rates.address() as AddressInfo).port}`
    folder = await testProject(application(origin))
    await recordIn(
      folder,
      { method: 'POST', url: '/total?page=2', body, headers: { cookie: 'session=abc; theme=dark' } },
      { url: '/' },
    )
    const { stdout } = await folder.run(['profiles', 'list', '--errors', '--json'])
    const { items } = JSON.parse(stdout) as { items: readonly { token: string }[] }
    token = items[0]?.token ?? assert.fail()
  })
  after(async () => folder[Symbol.asyncDispose]())

  for (const runner of ['node', 'vitest'] as const) {
    it(`writes a test for ${runner} that is red until the fault is mended`, async () => {
      const file = `test/total-${runner}.test.ts`
      const written = await folder.run(['profiles', 'test', token, '--runner', runner, '--out', file])
      assert.deepEqual([written.exitCode, written.stdout], [0, `${file} written.\n`])
      assert.match(
        written.stderr,
        /^fanlight: The test needs the service of GET .+\nfanlight: Fill in what .+: cookie session, .*body password\.\n$/,
      )

      fillIn(folder, file)
      const red = await runTest(folder, runner, file)
      assert.equal(red.passed, false)
      assert.match(red.output, /POST \/total responds without RangeError/)
      assert.match(red.output, /RangeError: the total of 15 is too high/)

      change(folder, 'app/main.ts', fault, '')
      const green = await runTest(folder, runner, file)
      change(folder, 'app/main.ts', 'if (rate === undefined', `if (rate === undefined${fault}`)
      assert.equal(green.passed, true, green.output)
    })
  }

  it('fails with a sentence as long as a value that the recording does not have is not filled in', async () => {
    const file = 'test/empty.test.ts'
    await folder.run(['profiles', 'test', token, '--out', file])
    const { passed, output } = await runTest(folder, 'node', file)
    assert.equal(passed, false)
    assert.match(output, /Fill in cookie session, .*: the recording does not have them/)
  })

  it('writes a test for any listener of node:http', async () => {
    const listener = (limit: number): string => `
export default async (request, response) => {
  const { items } = JSON.parse((await Array.fromAsync(request)).join(''))
  const { rate } = await (await fetch('${origin}/rates?code=EUR')).json()
  const total = items.reduce((sum, { price }) => sum + price, 0)
  response.writeHead(total > ${limit} ? 500 : 200).end(String(total * rate))
}
`
    for (const [name, limit] of [
      ['faulty', 10],
      ['mended', 100],
    ] as const) {
      writeFileSync(join(folder.path, `app/${name}.js`), listener(limit))
      const file = `test/${name}.test.js`
      const { stderr } = await folder.run(['profiles', 'test', token, '--listener', `app/${name}.js`, '--out', file])
      assert.match(stderr, /Runs with NODE_ENV=test and NODE_OPTIONS="--require fanlight\/register"/)
      fillIn(folder, file)
    }
    const env = { NODE_ENV: 'test', NODE_OPTIONS: `--require ${fileURLToPath(register)}`, FANLIGHT_STORE: 'memory:' }
    const mended = await runTest(folder, 'node', 'test/mended.test.js', env)
    assert.equal(mended.passed, true, mended.output)
    const { passed, output } = await runTest(folder, 'node', 'test/faulty.test.js', env)
    assert.equal(passed, false)
    assert.match(output, /responded with 500/)
    const off = await runTest(folder, 'node', 'test/mended.test.js', { NODE_ENV: 'production' })
    assert.match(off.output, /POST \/total\?page=2 got a 200 and was not recorded\. Set NODE_ENV=test/)
  })

  it('holds what went well to its status and its budgets', async () => {
    const file = 'test/home.test.ts'
    const { stdout } = await folder.run(['profiles', 'list', '--route', 'home', '--json'])
    const { items } = JSON.parse(stdout) as { items: readonly { token: string }[] }
    await folder.run(['profiles', 'test', items[0]?.token ?? '', '--out', file])
    assert.match(
      readFileSync(join(folder.path, file), 'utf8'),
      /toStayWithin\(\{ queries: 0, nPlusOne: 0, outgoing: 0, logErrors: 0 \}\)/,
    )
    const green = await runTest(folder, 'node', file)
    assert.equal(green.passed, true, green.output)
    change(folder, 'app/main.ts', '() => json({ ok: true })', "({ log }) => { log.error('Broken.'); return json({}) }")
    const red = await runTest(folder, 'node', file)
    assert.equal(red.passed, false)
    assert.match(red.output, /The request is over its budget: logErrors 1 \(at most 0\)/)
  })
})

/** As a person would: every value that the file asks for. */
function fillIn(folder: CliFolder, file: string): void {
  const path = join(folder.path, file)
  const [request = '', check = '', ...rest] = readFileSync(path, 'utf8').split(/(?=  (?:assert\.ok|expect)\(!JSON)/)
  writeFileSync(path, [request.replaceAll('******', 'filled'), check, ...rest].join(''))
}
