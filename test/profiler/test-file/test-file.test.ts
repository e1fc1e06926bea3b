// Tests that are written from profiles: what they send and expect, and that nothing recorded becomes code.

import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { runInNewContext } from 'node:vm'
import { parse } from '@babel/parser'
import { anyCharacter, fc } from '../../support/fast-check.ts'
import type { Profile } from '../../../src/observe/profile.ts'
import { literal, testFileOf, type TestFile, type TestFileOptions } from '../../../src/analysis/test-file/test-file.ts'
import { cliFolder } from '../../support/cli-run.ts'
import { makeProfile } from '../../support/profiles.ts'
import { makeTemporaryDirectory } from '../../support/temporary-directory.ts'

const project = makeTemporaryDirectory({ after })
before(() => {
  mkdirSync(join(project, 'app'))
  writeFileSync(join(project, 'app/main.ts'), 'export const frontController = () => undefined\n')
  writeFileSync(join(project, 'app/default.ts'), 'export default () => undefined\n')
})

const main: TestFileOptions = { runner: 'node', target: { kind: 'module', file: 'app/main.ts' } }

function written(
  parts: Partial<Profile>,
  options: Partial<TestFileOptions> = {},
): Extract<TestFile, { state: 'written' }> {
  const file = testFileOf(makeProfile(parts), { ...main, ...options }, project)
  return file.state === 'written' ? file : assert.fail(file.problem)
}

const problemOf = (parts: Partial<Profile>, options: Partial<TestFileOptions> = {}): string => {
  const file = testFileOf(makeProfile(parts), { ...main, ...options }, project)
  return file.state === 'impossible' ? file.problem : assert.fail('it was written')
}

const withData = (data: Readonly<Record<string, unknown>>): Partial<Profile> => ({
  data: { request: { headers: [], responseHeaders: [], bytes: 2 }, time: { spans: [], droppedSpans: 0 }, ...data },
})

const call = (parts: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> => ({
  client: 'fetch',
  method: 'GET',
  url: 'https://rates.example/v1?code=EUR',
  status: 200,
  error: null,
  durationMs: 5,
  responseHeaders: [['Content-Type', 'application/json']],
  ...parts,
})

describe('testFileOf: what it expects', () => {
  it('expects of a request that failed that its error is gone', () => {
    const { code } = written({
      status: 500,
      errorClass: 'TypeError',
      errorMessage: 'it\'s "gone"',
      findings: ['error'],
    })
    assert.match(code, /it\('GET \/orders responds without TypeError', /)
    assert.ok(code.includes(`assert.notEqual(thrown, 'TypeError: it\\'s "gone"')`), code)
    assert.match(code, /assert\.ok\(response\.status < 500, /)
    assert.match(code, /toStayWithin\(\{ logErrors: 0 \}\)/)
  })

  it('expects no error in the log of a request that only logged one', () => {
    const { code } = written({ logErrorCount: 1 })
    assert.match(code, /GET \/orders logs no error/)
    assert.doesNotMatch(code, /thrown/)
  })

  it('pins status, target of a redirect and counts of one that went well', () => {
    const { code } = written({
      status: 302,
      ...withData({ request: { headers: [], responseHeaders: [['Location', '/basket']], bytes: 0 } }),
    })
    assert.match(code, /responds with 302 within its budgets/)
    assert.ok(
      code.includes("assert.equal(response.status, 302)\n  assert.equal(response.headers.get('location'), '/basket')"),
    )
    assert.match(code, /toStayWithin\(\{ queries: 0, nPlusOne: 0, outgoing: 0, logErrors: 0 \}\)/)
  })

  it('pins only the counts that are known', () => {
    const { code } = written({ data: {} })
    assert.match(code, /toStayWithin\(\{ logErrors: 0 \}\)/)
  })

  it('takes a 404 that was thrown for a response like any other', () => {
    assert.match(
      written({ status: 404, errorClass: 'NotFoundHttpError' }).code,
      /assert\.equal\(response\.status, 404\)/,
    )
  })

  it('is written for Vitest', () => {
    const { code } = written({ status: 500, errorClass: 'E', findings: ['error'] }, { runner: 'vitest' })
    assert.match(code, /import \{ afterAll, expect, it \} from 'vitest'/)
    assert.match(code, /expect\(thrown\)\.not\.toBe\('E: null'\)/)
    assert.doesNotMatch(code, /assert|node:test/)
  })
})

describe('testFileOf: the request', () => {
  it('sends what the application may decide by, and not what clients add by themselves', () => {
    const headers = [
      ['host', 'shop.example.org'],
      ['accept', 'text/html'],
      ['accept-encoding', 'br'],
      ['x-tag', 'a'],
      ['X-Tag', 'b'],
      ['sec-fetch-dest', 'document'],
      ['traceparent', '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'],
    ]
    const { code } = written(withData({ request: { headers, responseHeaders: [], bytes: 2 } }))
    assert.ok(code.includes("headers: { host: 'shop.example.org', accept: 'text/html', 'x-tag': 'a, b' }"), code)
    assert.ok(code.includes("url: '/orders?page=2'"))
  })

  it('names what was masked, and where it belongs', () => {
    const body = {
      state: 'kept',
      mediaType: 'application/json',
      readBytes: 60,
      keptBytes: 60,
      isComplete: true,
      content: { kind: 'json', value: { user: 'ada', cards: [{ number: '******' }] } },
    }
    const headers = [
      ['authorization', '******'],
      ['cookie', 'session=******'],
    ]
    const { code, missing } = written({
      method: 'POST',
      url: 'http://127.0.0.1:8000/reset/******?token=******&page=2',
      ...withData({ request: { headers, responseHeaders: [], bytes: 2, body } }),
    })
    assert.deepEqual(missing, [
      'header authorization',
      'cookie session',
      'path ******',
      'query token',
      'body cards[0].number',
    ])
    assert.ok(code.includes("url: '/reset/******?token=******&page=2'"), code)
    assert.ok(code.includes("headers: { authorization: '******', cookie: 'session=******' }"), code)
    assert.ok(code.includes("body: { user: 'ada', cards: [{ number: '******' }] }"), code)
    assert.match(code, /assert\.ok\(!JSON\.stringify\(request\)\.includes\('\*{6}'\), 'Fill in header authorization, /)
  })

  it('asks for a body that was not captured', () => {
    const body = { state: 'off', mediaType: 'application/json', readBytes: 9, content: null }
    const { code, missing } = written({
      method: 'PUT',
      ...withData({ request: { headers: [], responseHeaders: [], bytes: 2, body } }),
    })
    assert.deepEqual(missing, ['all of the body'])
    assert.match(code, /body: '\*{6}'/)
  })

  it('imports the front controller as its module exports it, from where the test is', () => {
    assert.match(written({}).code, /import \{ frontController \} from '\.\.\/app\/main\.ts'/)
    const options = { target: { kind: 'module', file: 'app/default.ts' }, file: 'orders.test.ts' } as const
    assert.match(written({}, options).code, /import frontController from '\.\/app\/default\.ts'/)
  })

  it('names the file after route or path', () => {
    assert.equal(written({}).file, 'test/order-list.test.ts')
    assert.equal(
      written({ method: 'POST', route: null, url: 'http://127.0.0.1:8000/a/B%20c' }).file,
      'test/post-a-b-20c.test.ts',
    )
    assert.equal(written({ route: null, url: 'http://127.0.0.1:8000/' }).file, 'test/home.test.ts')
  })
})

describe('testFileOf: other services', () => {
  it('are named: they must respond when the test runs', () => {
    const { code, remarks } = written(withData({ 'http-client': { calls: [call({})], dropped: 0 } }))
    assert.deepEqual(remarks, ['The test needs the service of GET https://rates.example/v1?code=EUR.'])
    assert.match(code, /\n\/\/ Sends what the recorded request did: GET https:\/\/rates\.example\/v1\?code=EUR\n/)
  })
})

describe('testFileOf: what cannot be tested', () => {
  it('says why', () => {
    assert.equal(problemOf({ method: 'COMMAND' }), 'This is not the profile of a request.')
    assert.match(problemOf({ parentToken: 'aaaaaaaaaaaa' }), /^This is a sub-request: /)
    assert.match(problemOf({ status: 0 }), /^The request had no response and no error/)
    assert.equal(
      problemOf({}, { target: { kind: 'module', file: 'app/none.ts' } }),
      'There is no app/none.ts: name the file of the front controller, or one with a listener of node:http.',
    )
  })

  it('is refused by the command, with what is allowed', async () => {
    await using folder = await cliFolder()
    const { profiles } = await folder.engine()
    await profiles.write([makeProfile({ token: 'aaaaaaaaaaaa' })])
    const run = async (...args: readonly string[]): Promise<unknown> => {
      const { exitCode, stderr } = await folder.run(['profiles', 'test', ...args])
      return [exitCode, stderr]
    }
    assert.deepEqual(await run('aaaaaaaaaaaa'), [
      1,
      'fanlight: no test can be written from profile aaaaaaaaaaaa: There is no app/main.ts: name the file of the front controller, or one with a listener of node:http.\n',
    ])
    assert.deepEqual(await run('aaaaaaaaaaaa', '--runner', 'jest'), [
      2,
      'fanlight: --runner: "jest" is not valid. Use node, vitest.\n',
    ])
    mkdirSync(join(folder.path, 'app'))
    writeFileSync(join(folder.path, 'app/main.ts'), 'export const frontController = 1\n')
    assert.deepEqual(await run('aaaaaaaaaaaa', '--out', 'a.test.ts'), [0, ''])
    assert.deepEqual(await run('aaaaaaaaaaaa', '--out', 'a.test.ts'), [
      1,
      'fanlight: a.test.ts already exists; --force overwrites it\n',
    ])
    assert.deepEqual(await run('aaaaaaaaaaaa', '--out', 'a.test.ts', '--force'), [0, ''])
    assert.match((await folder.run(['profiles', 'test', 'latest'])).stdout, /^\/\/ GET \/orders, recorded on /)
  })
})

const hostile = fc.oneof(
  fc.string({ unit: anyCharacter }),
  fc.string({ unit: fc.constantFrom("'", '"', '`', '\\', '$', '{', '}', '\n', '\u2028', '*/', '//', ')', ';', 'x') }),
)

describe('code from recorded text', () => {
  it('is written for a URL that no client can read', () => {
    assert.match(written({ url: 'http://[::1/%zz' }).code, /url: '\/%zz'/)
  })

  it('is a literal of the very value', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.jsonValue({ stringUnit: 'binary' }), hostile, fc.dictionary(hostile, hostile)),
        (value) => {
          const read: unknown = runInNewContext(`JSON.stringify(${literal(value)})`)
          assert.equal(read, JSON.stringify(value))
          assert.doesNotMatch(
            literal(value),
            /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069\u200b-\u200f\u2028\u2029]/,
          )
        },
      ),
    )
  })

  it('never adds a statement to a test', () => {
    const statements = (code: string): readonly string[] =>
      parse(code, { sourceType: 'module' }).program.body.map(({ type }) => type)
    const make = (text: string): string =>
      written({
        status: 500,
        errorClass: text,
        errorMessage: text,
        findings: ['error'],
        route: text,
        method: 'POST',
        url: `http://127.0.0.1/${encodeURI(text.toWellFormed()).replaceAll('#', '').replaceAll('?', '')}?q='*/x()//`,
        data: {
          request: {
            headers: [
              ['x-a', text],
              ['cookie', `${text}=******`],
              [`x-${text}`, '******'],
            ],
            responseHeaders: [],
            bytes: 1,
            body: {
              state: 'kept',
              mediaType: text,
              readBytes: 1,
              keptBytes: 1,
              isComplete: true,
              content: { kind: 'json', value: { [text]: text, masked: '******' } },
            },
          },
          'http-client': {
            calls: [
              call({ url: `https://a.example/${encodeURI(text.toWellFormed())}`, method: text }),
              call({ status: null, error: text }),
            ],
            dropped: 0,
          },
        },
      }).code
    const expected = statements(make('quiet'))
    fc.assert(
      fc.property(hostile, (text) => {
        assert.deepEqual(statements(make(text)), expected)
      }),
      { numRuns: 200 },
    )
  })
})
