import assert from 'node:assert/strict'
import { gzipSync } from 'node:zlib'
import { Readable } from 'node:stream'
import { describe, it } from 'node:test'
import { emptyBody, RequestBody } from '../../../src/base/http/body.ts'
import type { BodyRule } from '../../../src/http/recording/body-rule.ts'
import { json } from '../../../src/base/http/reply.ts'
import {
  capturedBody,
  lackOf,
  recordBody,
  recordReply,
  type CapturedBody,
} from '../../../src/http/recording/captured-body.ts'
import { bodyView } from '../../../src/errors/page/request-section.ts'
import { Redactor } from '../../../src/base/redact/redactor.ts'

const redactor = new Redactor()
const open = { captureBody: true }

async function readBody(
  text: string | Buffer,
  contentType: string,
  { encoding, rule = 'all' }: { encoding?: string; rule?: BodyRule } = {},
): Promise<CapturedBody> {
  const body = bodyOf(text, contentType, encoding)
  await body.bytes()
  return capturedBody(recordBody({ request: { body }, recording: { bodies: rule } }), redactor)
}

function bodyOf(text: string | Buffer, contentType: string, contentEncoding?: string): RequestBody {
  const bytes = Buffer.from(text)
  const stream = Readable.from([bytes], { objectMode: false })
  const parts = { stream, contentType, contentLength: bytes.length, contentEncoding, maxBytes: 1_000_000 }
  const body = new RequestBody(parts)
  body.watch(() => 'kept')
  return body
}

describe('a captured body', () => {
  it('gives JSON as data, its secrets masked by key', async () => {
    const { state, content } = await readBody('{"user":"ann","password":"hunter2","list":[1]}', 'application/json')
    assert.equal(state, 'kept')
    assert.deepEqual(JSON.parse(JSON.stringify(content)), {
      kind: 'json',
      value: { user: 'ann', password: '******', list: [1] },
    })
  })

  it('gives a form as fields, its secrets masked by name', async () => {
    const { content } = await readBody('name=Ann&password=hunter2&a=%C3%A4', 'application/x-www-form-urlencoded')
    assert.deepEqual(content, {
      kind: 'form',
      fields: [
        ['name', 'Ann'],
        ['password', '******'],
        ['a', 'ä'],
      ],
    })
  })

  it('gives JSON with a mistake as text, masked, also where the name is written with escapes', async () => {
    const { content } = await readBody(String.raw`{"a":1,,"pass\u0077ord":"hunter2"}`, 'application/json')
    assert.deepEqual(content, { kind: 'text', text: '{"a":1,,"password":"******"}' })
  })

  it('keeps 64 KB of a long body, and says so', async () => {
    const body = await readBody(JSON.stringify({ x: 'y'.repeat(100_000) }), 'application/json')
    assert.equal(body.keptBytes, 65_536)
    assert.equal(body.readBytes, 100_008)
    assert.equal(body.content?.kind, 'text')
    assert.ok(JSON.stringify(body).length < 20_000)
  })

  it('shows nothing of other types and of encoded bodies', async () => {
    assert.deepEqual((await readBody('x', 'image/png')).content, { kind: 'binary' })
    assert.deepEqual((await readBody('x', 'application/json', { encoding: 'gzip' })).content, { kind: 'binary' })
    assert.deepEqual((await readBody('x', 'multipart/form-data; boundary=b')).content, { kind: 'binary' })
    assert.deepEqual((await readBody('x', 'multipart/form-data')).content, { kind: 'binary' })
  })

  for (const [what, type, sent, content] of [
    ['JSON', 'application/json; charset=UTF-8', '{"a":[{"Password":"hunter2"}]}', { a: [{ Password: '******' }] }],
    ['JSON that begins with a mark', 'application/problem+json', '\ufeff{"token":"hunter2"}', { token: '******' }],
    ['a key twice', 'application/json', '{"pin":"hunter2","pin":"hunter2"}', { pin: '******' }],
    ['an escaped key', 'application/json', String.raw`{"p\u0061ssword":"hunter2"}`, { password: '******' }],
    [
      'JSON in JSON',
      'application/json',
      String.raw`{"x":"{\"password\":\"hunter2\"}"}`,
      { x: '{"password":"******"}' },
    ],
    [
      'pairs',
      'application/json',
      '{"x":[{"name":"password","value":"hunter2"}]}',
      { x: [{ name: 'password', value: '******' }] },
    ],
    ['cards', 'application/json', '{"x":["4111111111111111",4111111111111111]}', { x: ['******', '******'] }],
    [
      'a form',
      'application/x-www-form-urlencoded',
      'user[pass%77ord]=hunter2&a=b',
      [
        ['user[password]', '******'],
        ['a', 'b'],
      ],
    ],
    [
      'JSON in a form',
      'application/x-www-form-urlencoded',
      'x={"password":"hunter2"}',
      [['x', '{"password":"******"}']],
    ],
    [
      'a form in parts',
      'multipart/form-data; boundary=b',
      '--b\r\nContent-Disposition: form-data; name="password"\r\n\r\nhunter2\r\n--b\r\nContent-Disposition: form-data; name="f"; filename=x\r\n\r\nhunter2\r\n--b--\r\n',
      [
        ['password', '******'],
        ['f', '[file of 7 bytes]'],
      ],
    ],
  ] as const) {
    it(`keeps without being asked, masked: ${what}`, async () => {
      const body = await readBody(sent, type, { rule: 'named' })
      const { value, fields } = { value: undefined, fields: undefined, ...body.content }
      assert.deepEqual(JSON.parse(JSON.stringify(value ?? fields ?? body)), content)
      const packed = await readBody(gzipSync(sent), type, { encoding: 'gzip', rule: 'named' })
      assert.deepEqual(packed.content, body.content)
    })
  }

  for (const [what, type, sent, state] of [
    ['text', 'text/plain', 'password=hunter2', 'other-type'],
    ['bytes without a type', '', '{"password":"hunter2"}', 'other-type'],
    ['half of JSON', 'application/json', '{"password":"hunter2"', 'malformed'],
    ['JSON as a form', 'application/x-www-form-urlencoded', '{"a":"x=1","password":"hunter2"}', 'malformed'],
    ['a text as a form', 'application/x-www-form-urlencoded', 'hunter2', 'malformed'],
    ['a form as JSON', 'application/json', 'password=hunter2', 'malformed'],
    ['JSON in UTF-16', 'application/json', Buffer.from('\ufeff{"password":"hunter2"}', 'utf16le'), 'malformed'],
    ['JSON in UTF-7', 'application/json; charset=utf-7', '{"+AHA-assword":"hunter2"}', 'malformed'],
    ['half of a form in parts', 'multipart/form-data; boundary=b', '--b\r\n\r\nhunter2', 'malformed'],
    ['what is longer than 64 KB', 'application/json', JSON.stringify(['hunter2', 'x'.repeat(65_536)]), 'too-long'],
  ] as const) {
    it(`does not keep without being asked: ${what}`, async () => {
      const body = await readBody(sent, type, { rule: 'named' })
      assert.deepEqual([body.state, body.content, body.readBytes], [state, null, Buffer.byteLength(sent)])
      assert.doesNotMatch(JSON.stringify(body), /hunter2/)
      assert.equal(
        bodyView(body)
          .toString()
          .includes(lackOf(state) ?? '?'),
        true,
      )
    })
  }

  it('says why there is nothing', () => {
    const body = bodyOf('{}', 'application/json')
    const stateFor = (captureBody: boolean | undefined, bodies: BodyRule = 'none'): string =>
      recordBody({ request: { body }, route: { captureBody }, recording: { bodies } }).state
    assert.equal(stateFor(true), 'unread')
    assert.equal(stateFor(undefined, 'named'), 'unread')
    assert.equal(stateFor(false, 'all'), 'off')
    assert.equal(stateFor(undefined), 'not-asked')
    assert.equal(recordBody({ request: { body } }).state, 'no-route')
    assert.equal(recordBody({ request: { body: emptyBody }, route: open }).state, 'none')
    assert.equal(recordReply(json({ a: 1 }), 'named', false, undefined)?.state, 'partial')
  })
})
