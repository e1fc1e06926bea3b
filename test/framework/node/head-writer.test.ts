// Heads that come again and again: the client sees no difference between the first one and those that were kept.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { empty, html, json, Reply, text } from '../../../src/framework/http/reply.ts'
import { fc } from '../../support/fast-check.ts'
import { startFront, type Answer } from '../../support/front.ts'
import { exchangeBytes } from '../../support/raw-connection.ts'

/** Head and body of an answer, without the clock. */
function parts(answer: string): { status: string; fields: string[]; body: string } {
  const [head = '', ...body] = answer.split('\r\n\r\n')
  const [status = '', ...fields] = head.split('\r\n')
  return { status, fields: fields.filter((line) => !line.startsWith('Date:')), body: body.join('\r\n\r\n') }
}

/** The same request, again and again, each on a connection of its own. */
async function askOften(
  answer: Answer,
  request = 'GET / HTTP/1.1\r\nHost: h\r\n',
  times = 4,
  changingFields: readonly string[] = [],
): Promise<string[]> {
  await using app = await startFront(answer, {}, changingFields)
  const answers: string[] = []
  for (let time = 0; time < times; time += 1) {
    answers.push((await askKept(app.port, request)).replace(/^date:.*\r\n/im, ''))
  }
  return answers
}

/** The first of two answers on one connection: the second one closes it. */
async function askKept(port: number, request: string): Promise<string> {
  const both = await exchangeBytes(port, `${request}\r\nGET /last HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n`)
  return both.slice(0, both.lastIndexOf('HTTP/1.1 '))
}

describe('HeadWriter', () => {
  it('sends the same head the fourth time as the first time', async () => {
    const replies: readonly (() => Reply)[] = [
      () => json({ a: 1 }),
      () => html('ä'.repeat(3000)).setHeader('cache-control', 'no-store').appendHeader('set-cookie', 'a=1'),
      () => text('').setHeader('Set-Cookie', 'a=1').appendHeader('set-cookie', 'b=2'),
      () => text('x', { status: 299 }),
      () => text('x', { headers: { date: 'Thu, 01 Jan 1970 00:00:00 GMT' } }),
      () => text('x', { headers: { 'content-disposition': 'attachment; filename="é.txt"' } }),
      () => text('x', { headers: { 'x-latin': 'é', 'Content-Length': '99', 'transfer-encoding': 'gzip' } }),
      () => new Reply(200, [], 'no fields'),
      () => new Reply(404, ['content-type', 'text/plain'], Buffer.from('bytes')),
      () => empty(),
      () => new Reply(304, ['etag', '"1"'], null),
    ]
    for (const reply of replies) {
      const [first = '', ...others] = (await askOften(reply)).map(parts)
      for (const other of others) assert.deepEqual(other, first)
    }
  })

  it('counts the length of each body anew', async () => {
    let count = 0
    const answers = (await askOften(() => text('x'.repeat((count += 1))), undefined, 6)).map(parts)
    for (const { fields, body } of answers) assert.ok(fields.includes(`content-length: ${body.length}`), fields.join())
    assert.equal(new Set(answers.map(({ body }) => body.length)).size, 6)
  })

  it('keeps apart what differs in one value, one name or the status', async () => {
    let count = 0
    const variants = [
      () => text('x', { headers: { 'x-a': '1' } }),
      () => text('x', { headers: { 'x-a': '2' } }),
      () => text('x', { headers: { 'x-b': '1' } }),
      () => text('x', { status: 404, headers: { 'x-a': '1' } }),
    ]
    // Each comes twice in a row, so that each is kept, and then once more.
    const order = [0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 0, 1, 2, 3]
    const answers = (
      await askOften(() => variants[order[Math.floor((count += 1) / 2 - 0.5)] ?? 0]!(), undefined, 20)
    ).map(parts)
    for (const [index, { status, fields }] of answers.entries()) {
      const wanted = variants[order[index] ?? 0]!()
      assert.ok(status.includes(` ${wanted.status} `))
      assert.deepEqual(
        fields.filter((line) => line.startsWith('x-')),
        [`${wanted.headers.at(-2)}: ${wanted.headers.at(-1)}`],
      )
    }
  })

  it('answers HEAD, HTTP/1.0 and closing requests as ever', async () => {
    const reply = (): Reply => text('four')
    for (const request of [
      'HEAD / HTTP/1.1\r\nHost: h\r\n',
      'GET / HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\n',
      'POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n',
    ]) {
      const [first = '', ...others] = (await askOften(reply, request)).map(parts)
      for (const other of others) assert.deepEqual(other, first)
    }
    await using app = await startFront(reply)
    for (const request of ['GET / HTTP/1.0\r\n\r\n', 'GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n']) {
      const answers: object[] = []
      for (let time = 0; time < 4; time += 1) answers.push(parts(await exchangeBytes(app.port, request)))
      assert.match(JSON.stringify(answers[0]), /connection: close/i)
      for (const answer of answers) assert.deepEqual(answer, answers[0])
    }
  })

  it('never sends a value that Node refuses, however often it comes', async () => {
    for (const bad of ['a\r\nX-Injected: 1', 'a\nb', '💥', '\u0000']) {
      await using app = await startFront(() => text('x', { headers: { 'x-a': bad } }))
      for (let time = 0; time < 3; time += 1) {
        const answer = await exchangeBytes(app.port, 'GET / HTTP/1.1\r\nHost: h\r\n\r\n')
        assert.match(answer, /^HTTP\/1\.1 500 /)
        assert.doesNotMatch(answer, /injected/i)
      }
    }
  })

  it('sends fields that differ from answer to answer behind those that are kept', async () => {
    let count = 0
    const reply = (): Reply =>
      json(
        {},
        { headers: { 'cache-control': 'no-store', 'x-token': `t${(count += 1)}`, 'x-times': `a;dur=${count}.5` } },
      )
    const answers = (await askOften(reply, undefined, 12, ['x-token', 'x-times'])).map(parts)
    const [first] = answers
    for (const [index, { status, fields }] of answers.entries()) {
      // Each asking is two requests, the second of which is not looked at.
      const number = 2 * index + 1
      assert.equal(status, first?.status)
      assert.deepEqual(
        fields,
        first?.fields.map((line) => line.replace(/t1$/, `t${number}`).replace('dur=1.5', `dur=${number}.5`)),
      )
    }
  })

  it('refuses a value of such a field as any other, and takes one in the middle for lasting', async () => {
    let count = 0
    const values = ['t1', 't2', 't3', 't4', 'a\r\nX-Injected: 1', 'ä', '']
    await using app = await startFront(() => text('x', { headers: { 'x-token': values[count++] ?? '' } }), {}, [
      'x-token',
    ])
    const answers: string[] = []
    while (answers.length < values.length) {
      answers.push(await exchangeBytes(app.port, 'GET / HTTP/1.1\r\nHost: h\r\n\r\n'))
    }
    assert.doesNotMatch(answers.join(''), /injected/i)
    const heads = answers.map((answer) => [answer.slice(9, 12), /x-token: (.*)\r/.exec(answer)?.[1]])
    const sent = (value: string): readonly unknown[] => ['200', value]
    assert.deepEqual(heads, [...values.slice(0, 4).map(sent), ['500', undefined], sent('ä'), sent('')])
    const middle = (): Reply => text('x', { headers: { 'x-token': `t${(count += 1)}`, 'x-last': 'z' } })
    const tokens = (await askOften(middle, undefined, 6, ['x-token'])).map(
      (answer) => /x-token: (\w+)/.exec(answer)?.[1],
    )
    assert.equal(new Set(tokens).size, 6)
  })

  it('lets no value of several such fields bring a line of its own', async () => {
    for (const bad of ['a\r\nX-Injected: 1', 'a\r\n', '\r\n', 'a\r\nx-times: b']) {
      let count = 0
      const reply = (): Reply => {
        count += 1
        const [token = '', times = ''] =
          count < 5 ? [`t${count}`, `a;dur=${count}`] : count === 5 ? [bad, 'b'] : ['t', bad]
        return text('x', { headers: { 'x-token': token, 'x-times': times } })
      }
      await using app = await startFront(reply, {}, ['x-token', 'x-times'])
      for (let time = 1; time <= 6; time += 1) {
        const answer = await exchangeBytes(app.port, 'GET / HTTP/1.1\r\nHost: h\r\n\r\n')
        assert.equal(answer.slice(9, 12), time < 5 ? '200' : '500', answer)
        assert.doesNotMatch(answer, /injected|x-token: (?:a|t)\r/i)
      }
    }
  })

  it('sends any fields alike every time', async () => {
    const name = fc.stringMatching(/^[a-z][a-z-]{0,12}$/)
    const value = fc.stringMatching(/^[ -~]{0,20}$/).map((sent) => sent.trim())
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(name, value), { maxLength: 8 }), fc.string(), async (fields, body) => {
        const [first = '', ...others] = (await askOften(() => new Reply(200, fields.flat(), body), undefined, 3)).map(
          parts,
        )
        for (const other of others) assert.deepEqual(other, first)
      }),
      { numRuns: 60 },
    )
  })
})
