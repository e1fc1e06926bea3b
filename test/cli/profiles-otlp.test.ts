import assert from 'node:assert/strict'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import type { TraceRequest } from '../../src/otel/otlp/messages.ts'
import { profileSpanId } from '../../src/profiles/trace-span.ts'
import { cliFolder } from '../support/cli-run.ts'
import { makeProfile } from '../support/profiles.ts'

describe('fanlight profiles export --otlp', () => {
  it('writes files and standard output, masked', async () => {
    await using folder = await cliFolder()
    const profile = makeProfile({ url: 'http://h/?password=hunter2' })
    await (await folder.engine()).profiles.write([profile])
    const printed = await folder.run(['profiles', 'export', profile.token, '--otlp'])
    assert.equal(printed.exitCode, 0, printed.stderr)
    const shown = JSON.parse(printed.stdout) as TraceRequest
    assert.ok(!printed.stdout.includes('hunter2') && printed.stdout.includes('password=******'))
    const [span] = shown.resourceSpans?.[0]?.scopeSpans?.[0]?.spans ?? []
    assert.equal(span?.spanId, profileSpanId(profile.token, 0))
    const { stdout } = await folder.run(['profiles', 'export', 'latest', '--otlp', 'trace.json'])
    assert.equal(stdout, 'trace.json written.\n')
    assert.equal(statSync(join(folder.path, 'trace.json')).mode & 0o077, 0, 'for its owner only')
    assert.deepEqual(JSON.parse(readFileSync(join(folder.path, 'trace.json'), 'utf8')), shown)
    const again = await folder.run(['profiles', 'export', 'latest', '--otlp', 'trace.json'])
    assert.match(again.stderr, /trace\.json already exists; --force overwrites it/)
  })

  it('needs a token', async () => {
    await using folder = await cliFolder()
    const run = await folder.run(['profiles', 'export', '--otlp', 'trace.json'])
    assert.equal(run.exitCode, 2)
    assert.match(run.stderr, /missing required argument 'token'/)
  })
})
