import assert from 'node:assert/strict'
import { tmpdir } from 'node:os'
import { describe, it } from 'node:test'
import { inspect } from 'node:util'
import type { RecordingContext } from '../../../src/http/config/variables.ts'
import { loadRuntimeContext } from '../../../src/http/config/runtime-context.ts'

const secret = 'q3JmV0tT1nJ9n2kWc8rB5sXzYpL7dHfA'

function recordingOf(env: Readonly<Record<string, string>>): RecordingContext {
  return loadRuntimeContext({ cwd: tmpdir(), env: { APP_ENV: 'dev', ...env } }).context.recording
}

describe('recordingContext', () => {
  it('reads what is recorded and how much is kept', () => {
    const { signingKey, ...rest } = recordingOf({
      APP_RECORD: 'on-demand',
      APP_RECORD_SECRET: secret,
      APP_RECORD_SAMPLE: '0.05',
      APP_PROFILES_COUNT: '500',
      APP_PROFILES_MEGABYTES: '16',
      APP_PROFILES_DAYS: '2',
    })
    assert.equal(signingKey?.symmetricKeySize, 32)
    assert.deepEqual(rest, {
      mode: 'on-demand',
      sampleRate: 0.05,
      maxProfiles: 500,
      maxBytes: 16 * 1024 * 1024,
      maxAgeMs: 172_800_000,
    })
  })

  it('refuses to start on demand without a secret', () => {
    assert.throws(() => recordingOf({ APP_RECORD: 'on-demand' }), {
      code: 'ERR_RUNTIME_CONTEXT',
      message: /APP_RECORD="on-demand" needs APP_RECORD_SECRET/,
    })
  })

  it('refuses a short secret and never repeats it', () => {
    for (const short of ['hunter2', secret.slice(1), `${secret} with a space`]) {
      assert.throws(
        () => recordingOf({ APP_RECORD_SECRET: short }),
        (error: Error) => {
          assert.match(error.message, /^APP_RECORD_SECRET="\*{6}" cannot be used: allowed are 32 to 512 characters/)
          assert.ok(!error.message.includes(short))
          return true
        },
      )
    }
  })

  it('shows nothing of the secret when it is printed or made JSON', () => {
    const recording = recordingOf({ APP_RECORD_SECRET: secret })
    for (const shown of [inspect(recording, { depth: 9, showHidden: true }), JSON.stringify(recording)]) {
      assert.ok(!shown.includes(secret) && !shown.includes(secret.slice(0, 8)), shown)
    }
  })

  it('refuses values out of range, and names what is allowed', () => {
    for (const [name, values] of Object.entries({
      APP_RECORD: ['', 'none', 'ALL'],
      APP_RECORD_SAMPLE: ['', '-1', '1.1', '2', 'NaN', '1e-1', '.5', '0.1234567'],
      APP_PROFILES_COUNT: ['', '0', '-1', '1.5', '999999999'],
      APP_PROFILES_MEGABYTES: ['0', 'many', '9999999'],
      APP_PROFILES_DAYS: ['0', '3651'],
    })) {
      for (const value of values) {
        assert.throws(() => recordingOf({ [name]: value }), {
          code: 'ERR_RUNTIME_CONTEXT',
          message: new RegExp(`^${name}="${value}" cannot be used: allowed are `),
        })
      }
    }
  })
})
