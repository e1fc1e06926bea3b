import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { describe, it } from 'node:test'
import { emptyBody, RequestBody } from '../../../src/base/http/body.ts'
import { captureBody, maxKeptBytes, type CapturedBody } from '../../../src/http/recording/captured-body.ts'
import { Redactor } from '../../../src/base/redact/redactor.ts'

const redactor = new Redactor()
const open = { captureBody: true }

async function readBody(text: string, contentType: string, contentEncoding?: string): Promise<CapturedBody> {
  const body = bodyOf(text, contentType, contentEncoding)
  await body.bytes()
  return captureBody({ request: { body }, route: open }, redactor)
}

function bodyOf(text: string, contentType: string, contentEncoding?: string): RequestBody {
  const bytes = Buffer.from(text)
  const stream = Readable.from([bytes], { objectMode: false })
  const parts = { stream, contentType, contentLength: bytes.length, contentEncoding, maxBytes: 1_000_000 }
  const body = new RequestBody(parts)
  body.watch({ keepBytes: () => maxKeptBytes, isRecorded: () => false })
  return body
}

describe('captureBody', () => {
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
    assert.deepEqual((await readBody('x', 'application/json', 'gzip')).content, { kind: 'binary' })
    assert.deepEqual((await readBody('x', 'multipart/form-data; boundary=b')).content, { kind: 'binary' })
  })

  it('says why there is nothing', () => {
    const body = bodyOf('{}', 'application/json')
    const stateFor = (route: { captureBody: boolean } | undefined): string =>
      captureBody({ request: { body }, route }, redactor).state
    assert.equal(stateFor(open), 'unread')
    assert.equal(stateFor({ captureBody: false }), 'off')
    assert.equal(stateFor(undefined), 'no-route')
    assert.equal(captureBody({ request: { body: emptyBody }, route: open }, redactor).state, 'none')
  })
})
