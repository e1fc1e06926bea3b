// Request bodies: read once, bounded, and refused with a reason.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Readable } from 'node:stream'
import { BodyAlreadyReadError, FirstBodyRead, emptyBody, RequestBody } from '../../../src/base/http/body.ts'
import type { FirstBytes } from '../../../src/base/http/first-bytes.ts'
import { HttpError } from '../../../src/base/http/http-error.ts'

function body(
  content: string | Uint8Array,
  contentType?: string,
  parts: { maxBytes?: number; contentEncoding?: string } = {},
): RequestBody {
  const bytes = Buffer.from(content as string)
  return new RequestBody({
    stream: Readable.from([bytes.subarray(0, 3), bytes.subarray(3)], { objectMode: false }),
    contentType,
    contentLength: undefined,
    maxBytes: parts.maxBytes ?? 1000,
    contentEncoding: parts.contentEncoding,
  })
}

function isRefused(statusCode: number, message: RegExp): (error: unknown) => boolean {
  return (error) => error instanceof HttpError && error.statusCode === statusCode && message.test(error.message)
}

describe('RequestBody.json', () => {
  it('parses JSON of every JSON type', async () => {
    for (const type of [
      'application/json',
      'Application/JSON; charset=UTF-8',
      'application/problem+json; charset="utf-8"',
    ]) {
      assert.deepEqual(await body('{"a": "ä"}', type).json(), { a: 'ä' })
    }
  })

  it('answers 415 to another type or charset, and names what it was', async () => {
    await assert.rejects(body('{}', 'text/plain').json(), isRefused(415, /"text\/plain".*application\/json/))
    await assert.rejects(body('{}').json(), isRefused(415, /names no type/))
    await assert.rejects(body('{}', 'application/json; charset=latin1').json(), isRefused(415, /latin1/))
    await assert.rejects(body('{}', 'application/json', { contentEncoding: 'gzip' }).json(), isRefused(415, /"gzip"/))
  })

  it('answers 400 with line and column of a syntax error, without quoting the body', async () => {
    await assert.rejects(body('{"a": 1,\n "pw": secret}', 'application/json').json(), (error) => {
      assert.ok(isRefused(400, /position 16 \(line 2, column 8\)/)(error))
      assert.doesNotMatch((error as Error).message, /secret/)
      assert.equal((error as Error).cause, undefined)
      return true
    })
    await assert.rejects(body('[1,', 'application/json').json(), isRefused(400, /ends too early/))
    await assert.rejects(body('  ', 'application/json').json(), isRefused(400, /empty/))
    await assert.rejects(emptyBody.json(), isRefused(400, /empty/))
  })

  it('answers 400 to bytes that are not UTF-8 and to a key that would change a prototype', async () => {
    await assert.rejects(
      body(Uint8Array.of(0x22, 0xff, 0x22), 'application/json').json(),
      isRefused(400, /not valid utf-8/),
    )
    for (const key of ['__proto__', '\\u005f\\u005fproto\\u005f\\u005f', '__\\u0070roto__']) {
      await assert.rejects(body(`{"a": [{"${key}": {}}]}`, 'application/json').json(), isRefused(400, /__proto__/))
    }
    assert.deepEqual(await body('{"a": "__proto__"}', 'application/json').json(), { a: '__proto__' })
  })
})

describe('RequestBody.form', () => {
  it('reads urlencoded fields, several of a name too', async () => {
    const fields = await body('a=1&b=x+y&a=%C3%A4&__proto__=2', 'application/x-www-form-urlencoded').form()
    assert.deepEqual(
      [...fields],
      [
        ['a', ['1', 'ä']],
        ['b', ['x y']],
        ['__proto__', ['2']],
      ],
    )
  })

  it('reads the text fields of a multipart form', async () => {
    const content =
      '--b\r\nContent-Disposition: form-data; name="a"\r\n\r\none\r\n--b\r\nContent-Disposition: form-data; name="a"\r\n\r\ntwo\r\n--b--\r\n'
    const fields = await body(content, 'multipart/form-data; boundary=b').form()
    assert.deepEqual([...fields], [['a', ['one', 'two']]])
  })

  it('answers 415 to a file, 400 to a broken multipart body, 415 to another type', async () => {
    const file = '--b\r\nContent-Disposition: form-data; name="up"; filename="x.txt"\r\n\r\ndata\r\n--b--\r\n'
    await assert.rejects(body(file, 'multipart/form-data; boundary=b').form(), isRefused(415, /file "up"/))
    await assert.rejects(body('nonsense', 'multipart/form-data; boundary=b').form(), isRefused(400, /multipart/))
    await assert.rejects(body('a=1', 'multipart/form-data').form(), isRefused(400, /multipart/))
    await assert.rejects(body('a=1', 'text/plain').form(), isRefused(415, /"text\/plain"/))
  })

  it('gives no fields for an empty body', async () => assert.equal((await emptyBody.form()).size, 0))
})

describe('RequestBody', () => {
  it('reads text in the charset that it names', async () => {
    assert.equal(await body(Uint8Array.of(0xe4), 'text/plain; charset=ISO-8859-1').text(), 'ä')
    await assert.rejects(body('a', 'text/plain; charset=klingon').text(), isRefused(415, /"klingon"/))
  })

  it('answers 413 beyond the limit, whether the length was announced or not', async () => {
    await assert.rejects(body('x'.repeat(11), 'text/plain', { maxBytes: 10 }).text(), isRefused(413, /10 bytes/))
    const announced = new RequestBody({
      stream: new Readable({ read: () => assert.fail('nothing may be read') }),
      contentType: undefined,
      contentLength: 11,
      maxBytes: 10,
    })
    await assert.rejects(announced.bytes(), isRefused(413, /10 bytes/))
    assert.equal(await body('x'.repeat(10), 'text/plain', { maxBytes: 10 }).text(), 'x'.repeat(10))
  })

  it('leaves the stream alive when it stops reading', async () => {
    const stream = new Readable({ read: () => undefined })
    stream.push('x'.repeat(11))
    const limited = new RequestBody({ stream, contentType: undefined, contentLength: undefined, maxBytes: 10 })
    await assert.rejects(limited.text(), isRefused(413, /10 bytes/))
    assert.equal(stream.destroyed, false)
  })

  it('says clearly that a body can be read once', async () => {
    const read = body('a', 'text/plain')
    assert.equal(read.isRead, false)
    await read.text()
    assert.equal(read.isRead, true)
    await assert.rejects(
      read.text(),
      (error) => error instanceof BodyAlreadyReadError && error.code === 'ERR_BODY_ALREADY_READ',
    )
  })

  it('names who awaits it in the stack of every refusal', async () => {
    const cut = new Readable({ read: () => undefined })
    const bodies: [RequestBody, string][] = [
      [body('{"a": nothing}', 'application/json'), 'json'],
      [body(Uint8Array.of(0xff), 'application/json'), 'json'],
      [body('x'.repeat(11), 'text/plain', { maxBytes: 10 }), 'text'],
      [body(Uint8Array.of(0xff), 'text/plain'), 'text'],
      [new RequestBody({ stream: cut, contentType: undefined, contentLength: 9, maxBytes: 10 }), 'bytes'],
    ]
    setImmediate(() => cut.destroy())
    for (const [read, method] of bodies) {
      const whoAwaits = async (): Promise<unknown> => await read[method as 'json' | 'text' | 'bytes']()
      await assert.rejects(whoAwaits(), (error) => {
        assert.ok(error instanceof HttpError)
        return /^HttpError: .*\n[^]*at async whoAwaits .*body\.test\.ts/.test(error.stack ?? '')
      })
    }
  })

  it('names the place of the first read, where it is watched', async () => {
    const read = body('{}', 'application/json')
    read.watch(() => 'recorded')
    await read.json()
    await assert.rejects(read.text(), (error) => {
      assert.ok(error instanceof BodyAlreadyReadError && error.cause instanceof FirstBodyRead)
      return /body\.test\.ts/.test(error.cause.stack ?? '')
    })
    const unwatched = body('{}', 'application/json')
    unwatched.watch(() => undefined)
    await unwatched.json()
    assert.equal(unwatched.seen, undefined)
  })

  it('catches no stack where the place is not to be noted', async () => {
    const read = body('{}', 'application/json')
    read.watch(() => 'kept')
    await read.json()
    await assert.rejects(read.text(), (error) => error instanceof BodyAlreadyReadError && error.cause === undefined)
    assert.equal(read.seen?.bytes, 2)
  })

  it('keeps the beginning of what is read, and counts the rest', async () => {
    const stream = Readable.from([Buffer.from('abcd'), Buffer.alloc(100_000, 'e')], { objectMode: false })
    const read = new RequestBody({ stream, contentType: 'text/plain', contentLength: undefined, maxBytes: 200_000 })
    read.watch(() => 'kept')
    const seen = (): FirstBytes | undefined => read.seen
    assert.equal(seen(), undefined)
    assert.equal(await read.text(), `abcd${'e'.repeat(100_000)}`)
    assert.equal(seen()?.kept.toString(), `abcd${'e'.repeat(65_532)}`)
    assert.deepEqual([seen()?.bytes, seen()?.isComplete], [100_004, true])
  })

  it('keeps what came before the client went away', async () => {
    const stream = new Readable({ read: () => undefined })
    const read = new RequestBody({ stream, contentType: undefined, contentLength: 9, maxBytes: 10 })
    read.watch(() => 'kept')
    const broken = read.text()
    stream.push('abc')
    await new Promise((resolve) => stream.once('data', resolve))
    stream.destroy(new Error('aborted'))
    await assert.rejects(broken, isRefused(400, /closed the connection/))
    assert.deepEqual([read.seen?.bytes, read.seen?.isComplete], [3, false])
  })

  it('answers 400 when the client goes away in the middle', async () => {
    const stream = new Readable({ read: () => undefined })
    const broken = new RequestBody({ stream, contentType: undefined, contentLength: undefined, maxBytes: 10 }).text()
    stream.destroy(new Error('aborted'))
    await assert.rejects(broken, isRefused(400, /closed the connection/))
  })

  it('shares one empty body that can be read again and again', async () => {
    assert.equal(await emptyBody.text(), '')
    assert.equal((await emptyBody.bytes()).length, 0)
    assert.equal(await emptyBody.text(), '')
    assert.equal(emptyBody.stream(), null)
  })
})
