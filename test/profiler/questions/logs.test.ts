// The page of all lines: searched by words and level, with links to the line in the log of its request.

import assert from 'node:assert/strict'
import { it } from 'node:test'
import { json, RouteCollection } from '../../../src/index.ts'
import { cliFolder } from '../../support/cli-run.ts'
import { makeProfile } from '../../support/profiles.ts'
import { forAll } from '../../support/for-all.ts'
import { pageText, startApp } from '../../support/running-app.ts'

const routes = new RouteCollection()
routes.get('stock', '/stock/{shelf}', ({ log, request: { params } }) => {
  log.info('Looked at {shelf}.', { shelf: params.shelf })
  log.warn('The warehouse gave up after {tries} tries.', { tries: 3, carrier: 'Hermes' })
  return json({})
})
routes.get('long', '/long', ({ log }) => {
  for (let index = 0; index < 300; index += 1) log.error(`Line ${index}: ${'x'.repeat(600)}`, {})
  return json({})
})
const app = await forAll(startApp({ routes }))
for (const shelf of ['A1', 'B7']) await app.send({ target: `/stock/${shelf}` })

const page = async (query = ''): Promise<string> => (await app.send({ target: `/_profiler/logs${query}` })).body
const rows = (body: string): readonly string[] =>
  [...body.matchAll(/<th scope="row"[^]*?<\/tr>/g)].map(([row]) => pageText(row).replaceAll(/\s+/g, ' ').trim())

it('lists lines of all requests, the newest first, and finds them by words, level and filters', async () => {
  const all = rows(await page())
  assert.match(
    all[0] ?? '',
    /^The warehouse gave up after 3 tries\. warn app GET \/stock\/B7 \d\d-\d\d [\d:]{8}\.\d{3}$/,
  )
  assert.match(all.at(-1) ?? '', /GET \/stock\/A1/)
  for (const [query, found] of [
    ['?search=at+B7', ['Looked at B7.']],
    ['?search=hermes&level=problems', ['The warehouse', 'The warehouse']],
    ['?level=warn&url=A1', ['The warehouse']],
    ['?level=error', []],
    ['?search=nowhere', []],
  ] as const) {
    const lines = rows(await page(query))
    assert.equal(lines.length, found.length, query)
    for (const [index, text] of found.entries()) assert.ok(lines[index]?.startsWith(text), query)
  }
  assert.match(pageText(await page('?search=nowhere')), /No line matches\./)
})

it('leads to the line in the log of its request', async () => {
  const body = await page('?search=at+B7')
  const [, address = '', anchor = ''] = /href="(\/_profiler\/\w+\?panel=logger[^"#]*)#(line-\d+)"/.exec(body) ?? []
  const panel = await app.send({ target: address.replaceAll('&amp;', '&') })
  const [row = ''] = new RegExp(`<tr [^>]*id="${anchor}"[^]*?</tr>`).exec(panel.body) ?? []
  assert.match(pageText(row), /Looked at B7\./)
})

it('shows 100 lines, on a page of 100 kB at most', async () => {
  await app.send({ target: '/long' })
  const body = await page()
  assert.equal(rows(body).length, 100)
  assert.ok(Buffer.byteLength(body) <= 100_000, `${Buffer.byteLength(body)} bytes`)
  assert.equal(rows(await page('?limit=5')).length, 5)
})

it('is the command profiles logs', async () => {
  await using folder = await cliFolder()
  const records = [{ level: 'error', channel: 'app', message: 'It broke.', context: {}, timeMs: 1 }]
  const profile = makeProfile({ token: 'logging00000', data: { logger: { records, dropped: 0 } } })
  await (await folder.engine()).profiles.write([profile])
  const { stdout } = await folder.run(['profiles', 'logs', '--level', 'problems', '--search', 'broke'])
  assert.match(stdout, /It broke\. .* error +app +GET \/orders\?page=2 .* logging00000/)
})
