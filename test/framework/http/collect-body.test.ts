// A stream as one piece of bytes, however it comes and however it ends.

import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { describe, it } from 'node:test'
import { collectBody } from '../../../src/base/http/body.ts'
import { HttpError } from '../../../src/base/http/http-error.ts'

function collect(stream: Readable, maxBytes = 100): Promise<Buffer> {
  return new Promise((done, reject) => {
    collectBody(stream, maxBytes, { done, failed: (failure) => reject(failure()), seen: undefined })
  })
}

const open = (): Readable => new Readable({ read: () => undefined })

const closed = (stream: Readable): Promise<void> => new Promise((resolve) => stream.once('close', resolve))

function isRefused(statusCode: number): (error: unknown) => boolean {
  return (error) => error instanceof HttpError && error.statusCode === statusCode
}

describe('collectBody', () => {
  it('joins any number of chunks, and passes a single one on as it is', async () => {
    const chunk = Buffer.from('abc')
    assert.equal(await collect(Readable.from([chunk], { objectMode: false })), chunk)
    assert.equal((await collect(Readable.from([]))).length, 0)
    assert.equal(String(await collect(Readable.from(['a', 'b', 'c'].map((text) => Buffer.from(text))))), 'abc')
  })

  it('takes text and arrays of other kinds for the bytes they are', async () => {
    const stream = Readable.from([Buffer.from('ä€')], { objectMode: false })
    stream.setEncoding('utf8')
    assert.equal(String(await collect(stream)), 'ä€')
    assert.equal(String(await collect(Readable.from([Uint8Array.of(97), Uint8Array.of(98)]))), 'ab')
  })

  it('reads a stream that was paused, and gives nothing of one that was read before', async () => {
    const paused = Readable.from([Buffer.from('abc')]).pause()
    assert.equal(String(await collect(paused)), 'abc')
    assert.equal((await collect(paused)).length, 0)
  })

  it('fails with a 413 beyond the limit, and leaves the rest where it is', async () => {
    const stream = open()
    const failed = collect(stream, 3)
    stream.push('abcd')
    await assert.rejects(failed, isRefused(413))
    assert.equal(stream.destroyed, false)
    assert.equal(stream.isPaused(), true)
    stream.push('efgh')
    assert.equal(String(stream.read()), 'efgh')
    assert.equal(String(await collect(Readable.from([Buffer.from('abc')]), 3)), 'abc')
  })

  it('fails with a 400 when the stream breaks off, then or before', async () => {
    const stream = open()
    const failed = collect(stream)
    stream.push('abc')
    stream.destroy()
    await assert.rejects(failed, isRefused(400))
    await assert.rejects(collect(stream), isRefused(400))
    const broken = open()
    broken.on('error', () => undefined).destroy(new Error('reset'))
    await closed(broken)
    await assert.rejects(
      collect(broken),
      (error) => isRefused(400)(error) && /reset/.test(String((error as Error).cause)),
    )
  })

  it('outlives an error that comes after the end of its work', async () => {
    const stream = open()
    const failed = collect(stream, 1)
    stream.push('ab')
    await assert.rejects(failed, isRefused(413))
    stream.destroy(new Error('late'))
    await closed(stream)
  })
})
