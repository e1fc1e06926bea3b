import assert from 'node:assert/strict'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { decodeProtobuf, encodeProtobuf } from '../../src/profiler/otlp/protobuf.ts'
import type { TraceRequest } from '../../src/profiler/otlp/messages.ts'
import { profileSpanId } from '../../src/profiler/traces/trace-span.ts'
import { cliFolder } from '../support/cli-run.ts'
import { freePort } from '../support/free-port.ts'
import { startOtlpReceiver, type ReceiverAnswer } from '../support/otlp-receiver.ts'
import { makePageProfile, makeProfile } from '../support/profiles.ts'
import { pick } from '../support/pick.ts'

const key = 's3cret-value'

describe('fanlight profiles export --otlp', () => {
  it('sends a request and its sub-request to an address, as protobuf or as JSON, with the headers of the environment', async () => {
    await using receiver = await startOtlpReceiver()
    await using folder = await cliFolder()
    const child = makePageProfile(1, { parentToken: 'parent0000' })
    const parent = makeProfile({ token: 'parent0000', childTokens: [child.token], service: 'shop', version: '2.1' })
    await (await folder.engine()).profiles.write([parent, child])
    const env = { OTEL_EXPORTER_OTLP_HEADERS: `x-key=${key}, x-other=a%20b` }
    const sent = await folder.run(['profiles', 'export', 'parent0000', '--otlp', receiver.url], { env })
    const address = `${receiver.url}/v1/traces`
    assert.deepEqual(sent, { exitCode: 0, stdout: `2 profiles sent to ${address}.\n`, stderr: '' })
    const json = await folder.run(['profiles', 'export', 'parent0000', '--otlp', address], {
      env: { ...env, OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json' },
    })
    assert.equal(json.exitCode, 0)
    const [first, second] = receiver.received
    assert.ok(first && second)
    assert.deepEqual(
      [first.path, first.headers['content-type'], first.headers['x-key'], first.headers['x-other']],
      ['/v1/traces', 'application/x-protobuf', key, 'a b'],
    )
    assert.equal(second.headers['content-type'], 'application/json')
    assert.deepEqual(
      pick(first.spans, 'traceId', 'spanId', 'name'),
      second.spans.map(({ traceId, spanId, name }) => [traceId, spanId, name]),
    )
    const ids = new Set(first.spans.map(({ spanId }) => spanId))
    assert.ok(ids.has(profileSpanId('parent0000', 0)) && ids.has(profileSpanId(child.token, 0)))
    assert.equal(new Set(first.spans.map(({ traceId }) => traceId)).size, 1)
    const named = first.body.resourceSpans?.map(({ resource }) =>
      resource?.attributes?.find((one) => one.key === 'service.name'),
    )
    assert.ok(named?.some((one) => one?.value?.stringValue === 'shop'))
  })

  it('writes files and standard output, masked', async () => {
    await using folder = await cliFolder()
    const profile = makeProfile({ url: 'http://h/?password=hunter2' })
    await (await folder.engine()).profiles.write([profile])
    const printed = await folder.run(['profiles', 'export', '--otlp', profile.token])
    assert.equal(printed.exitCode, 0, printed.stderr)
    const shown = JSON.parse(printed.stdout) as TraceRequest
    assert.ok(!printed.stdout.includes('hunter2') && printed.stdout.includes('password=******'))
    const [span] = shown.resourceSpans?.[0]?.scopeSpans?.[0]?.spans ?? []
    assert.equal(span?.spanId, profileSpanId(profile.token, 0))
    const toFile = async (...more: readonly string[]): Promise<Buffer> => {
      const name = `trace${more.length}`
      const { stdout } = await folder.run(['profiles', 'export', 'latest', '--otlp', name, ...more])
      assert.equal(stdout, `${name} written.\n`)
      assert.equal(statSync(join(folder.path, name)).mode & 0o077, 0, 'for its owner only')
      return readFileSync(join(folder.path, name))
    }
    assert.deepEqual(JSON.parse((await toFile()).toString()), shown)
    const protobuf = decodeProtobuf('TraceRequest', await toFile('--otlp-protocol', 'http/protobuf'), 1000)
    assert.equal(protobuf.resourceSpans?.[0]?.scopeSpans?.[0]?.spans?.[0]?.spanId, span?.spanId)
    const again = await folder.run(['profiles', 'export', 'latest', '--otlp', 'trace0'])
    assert.match(again.stderr, /trace0 already exists; --force overwrites it/)
  })

  it('says what the receiver says', async () => {
    const partial = encodeProtobuf('TraceResponse', { partialSuccess: { rejectedSpans: 1, errorMessage: 'too old' } })
    const refused = encodeProtobuf('RefusalStatus', { code: 3, message: 'no such tenant' })
    const type = { 'content-type': 'application/x-protobuf' }
    const answers: readonly (readonly [ReceiverAnswer, number, RegExp])[] = [
      [{ headers: type, body: partial }, 1, /did not take 1 span: too old\n$/],
      [{ status: 400, headers: type, body: refused }, 1, /did not take the trace: status 400: no such tenant\n$/],
      [{ status: 503, body: 'busy' }, 1, /did not take the trace: status 503\n$/],
      [{ status: 302, headers: { location: 'http://127.0.0.1:1/' } }, 1, /status 302\n$/],
      [
        { headers: { 'content-type': 'application/json' }, body: '{"partialSuccess":{"errorMessage":"old version"}}' },
        0,
        /^1 profile sent to .* The receiver says: old version\n$/,
      ],
    ]
    await using receiver = await startOtlpReceiver((index) => answers[index]?.[0] ?? {})
    await using folder = await cliFolder()
    await (await folder.engine()).profiles.write([makeProfile()])
    for (const [, exitCode, said] of answers) {
      const run = await folder.run(['profiles', 'export', 'latest', '--otlp', receiver.url])
      assert.equal(run.exitCode, exitCode)
      assert.match(run.stdout + run.stderr, said)
    }
    const port = await freePort()
    const nobody = await folder.run(['profiles', 'export', 'latest', '--otlp', `http://127.0.0.1:${port}`])
    assert.match(nobody.stderr, /did not take the trace: .*ECONNREFUSED/)
  })

  it('refuses what it cannot use', async () => {
    await using folder = await cliFolder()
    await (await folder.engine()).profiles.write([makeProfile()])
    for (const [args, said] of [
      [
        ['latest', '--otlp', 'http://user:pw@h/'],
        /--otlp: "http:\/\/user:pw@h\/" is not valid\. Use a file, or an address/,
      ],
      [
        ['latest', '--otlp', '--otlp-protocol', 'grpc'],
        /--otlp-protocol: "grpc" is not valid\. Use http\/protobuf, http\/json\./,
      ],
      [['latest', '--otlp', '--otlp-protocol', 'http/protobuf'], /protobuf is not text: name a file or an address/],
      [['--otlp', 'trace.json'], /name the token of a profile, or "latest"/],
    ] as const) {
      const run = await folder.run(['profiles', 'export', ...args])
      assert.equal(run.exitCode, 2, args.join(' '))
      assert.match(run.stderr, said)
    }
    const run = await folder.run(['profiles', 'export', 'latest', '--otlp', 'http://127.0.0.1:1'], {
      env: { OTEL_EXPORTER_OTLP_HEADERS: `no pairs ${key}` },
    })
    assert.match(run.stderr, /OTEL_EXPORTER_OTLP_HEADERS cannot be read/)
    assert.ok(!run.stderr.includes(key))
  })
})
