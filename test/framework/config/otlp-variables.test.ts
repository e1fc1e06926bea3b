import assert from 'node:assert/strict'
import { createSecretKey } from 'node:crypto'
import { describe, it } from 'node:test'
import { otlpHeaders, type OtlpContext } from '../../../src/http/config/variables.ts'
import { loadRuntimeContext } from '../../../src/http/config/runtime-context.ts'

const load = (env: Readonly<Record<string, string>>): OtlpContext =>
  loadRuntimeContext({ cwd: import.meta.dirname, env: { APP_ENV: 'dev', ...env } }).context.otlp

const headersOf = (text: string): unknown => otlpHeaders(createSecretKey(text, 'utf8'))

describe('APP_OTLP', () => {
  it('is an address; one without a path gets the usual path', () => {
    assert.equal(load({ APP_OTLP: 'http://localhost:4318' }).address, 'http://localhost:4318/v1/traces')
    assert.equal(
      load({ APP_OTLP: 'https://otlp.example.org/tenant/v1/traces?a=1#x' }).address,
      'https://otlp.example.org/tenant/v1/traces?a=1',
    )
    for (const wrong of ['localhost:4318', 'grpc://h', 'http://', 'http://user:hunter2@h/']) {
      assert.throws(
        () => load({ APP_OTLP: wrong }),
        (error: Error) =>
          /^APP_OTLP=".*" cannot be used: allowed are an http or https address without user and password, such as /.test(
            error.message,
          ) && !error.message.includes('hunter2'),
      )
    }
  })

  it('takes protocol and headers of OpenTelemetry, and what it does not know only where it would use it', () => {
    const env = { OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc', OTEL_EXPORTER_OTLP_HEADERS: 'hunter2' }
    assert.equal(load(env).protocol, 'http/protobuf')
    assert.throws(() => load({ ...env, APP_OTLP: 'http://h' }), {
      message: 'OTEL_EXPORTER_OTLP_PROTOCOL="grpc" cannot be used with APP_OTLP: allowed are http/protobuf, http/json',
    })
    const json = { APP_OTLP: 'http://h', OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json' }
    assert.equal(load(json).protocol, 'http/json')
    assert.throws(() => load({ ...json, OTEL_EXPORTER_OTLP_HEADERS: 'hunter2' }), {
      message: /^OTEL_EXPORTER_OTLP_HEADERS="\*{6}" cannot be used with APP_OTLP: allowed are name=value pairs/,
    })
    assert.ok(!JSON.stringify(load({ OTEL_EXPORTER_OTLP_HEADERS: 'key=hunter2' })).includes('hunter2'))
  })

  it('reads headers as pairs with percent signs', () => {
    assert.deepEqual(headersOf('X-Key=a%20b=%3D, other = c ,'), { 'x-key': 'a b==', other: 'c' })
    assert.deepEqual(otlpHeaders(null), {})
    for (const wrong of ['key', 'a b=c', 'key=%', 'key=%0d%0ax', '=value']) assert.equal(headersOf(wrong), null, wrong)
  })
})
