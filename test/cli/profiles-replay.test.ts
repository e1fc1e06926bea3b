import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { html, json, RouteCollection } from '../../src/index.ts'
import { exitCodes } from '../../src/cli/command.ts'
import type { ReplayReport } from '../../src/analysis/replay/replay.ts'
import { cliFolder, type CliRun } from '../support/cli-run.ts'
import { startApp } from '../support/running-app.ts'
import { until } from '../support/until.ts'
import { forAll } from '../support/for-all.ts'

const bodies: string[] = []

const folder = await forAll(cliFolder())
const routes = new RouteCollection()
const titleOf = (name: string): string => {
  const title = name.toUpperCase()
  return title
}
routes.get('page', '/page', () => {
  const title = titleOf('page')
  return html`<h1>${title}</h1>`
})
routes.post('order', '/orders', async ({ request: { body } }) => {
  bodies.push(await body.text())
  return json({})
})
routes.get('hanging', '/hanging', async ({ signal }) => {
  signal.throwIfAborted()
  throw new Error('broken')
})
const app = await forAll(startApp({ routes }))

async function recorded(target: string, init: RequestInit = {}): Promise<string> {
  const response = await fetch(`${app.url}${target}`, init)
  await response.arrayBuffer()
  return response.headers.get('x-debug-token') ?? assert.fail('not recorded')
}

const replay = (...args: readonly string[]): Promise<CliRun> =>
  folder.run(['profiles', 'replay', ...args, '--at', app.url])

describe('fanlight profiles replay', () => {
  it('sends the request again and says what came back', async () => {
    const token = await recorded('/page?a=1')
    const { exitCode, stdout, stderr } = await replay(token)
    assert.deepEqual([exitCode, stderr], [exitCodes.ok, ''])
    assert.match(
      stdout,
      new RegExp(
        `^# Replay of \`GET ${app.url}/page\\?a=1\`\n\n## Replay\n\n- recorded: status \`200\`, .* profile \`${token}\`\n- replay: status \`200\`, .* profile \`[0-9a-z]+\`\n$`,
      ),
    )
    const called =
      /^# Replay of [^\n]+\n\n## Code\n\n(?:\d+ more calls?: [^\n]+\n\n)?- [^]+\n- `titleOf`: `\S+`, `name` `"page"`, returned `"PAGE"`, called by/
    // V8 passes calls by in what it optimizes at that moment.
    let seen = ''
    await until(async () => called.test((seen = (await replay(token, '--values')).stdout)))
    assert.match(seen, /`\s*const title = titleOf\('page'\)`, `title` `"PAGE"`\n/)
    const broken = await recorded('/hanging')
    const thrown =
      /^# Replay of [^\n]+\n\n## Code\n\n(?:\d+ more[^\n]+\n\n)?- `threw` [^]+`error thrown` `Error: broken`\n/
    await until(async () => thrown.test((await replay(broken, '--values')).stdout))
    await replay(token)
    const latest = await replay('latest', '--json')
    const report = JSON.parse(latest.stdout) as ReplayReport
    assert.equal(report.code, null)
    assert.equal(report.of.replayOf, token, 'the newest profile is a replay, too')
    const withValues = JSON.parse((await replay(token, '--values', '--json')).stdout) as ReplayReport
    assert.equal(withValues.code?.state, 'lines')
    const compared = await replay(token, '--compare', '--header', 'Accept: text/plain', '--header', 'X-A: b')
    assert.match(compared.stdout, /## Compare profiles[\s\S]*`accept`: .*second `text\/plain`/)
  })

  it('asks for --yes, for what is masked, and for a body', async () => {
    const token = await recorded('/orders?token=abc', { method: 'POST', body: 'a', headers: { cookie: 'session=s' } })
    const first = await replay(token)
    assert.equal(first.exitCode, exitCodes.usage)
    assert.match(
      first.stderr,
      /Masked when recorded: cookie session, query token\. .*The body was not recorded: it is neither JSON nor a form\. .* Options: --header, --query, --body, --without-masked\.\n$/,
    )
    const second = await replay(token, '--without-masked', '--body', 'b')
    assert.equal(second.exitCode, exitCodes.usage)
    assert.match(second.stderr, /POST may change something\. .*Options: --yes\.\n$/)
    assert.equal(bodies.length, 1)
    assert.equal((await replay(token, '--without-masked', '--body', 'b', '--yes')).exitCode, exitCodes.ok)
    writeFileSync(join(folder.path, 'body.txt'), 'from a file\r\n')
    const file = `@${join(folder.path, 'body.txt')}`
    const all = ['--query', 'token=new', '--header', 'Cookie: session=t', '--body', file, '--yes']
    assert.equal((await replay(token, ...all)).exitCode, exitCodes.ok)
    assert.deepEqual(bodies, ['a', 'b', 'from a file\r\n'])
  })

  it('says what cannot be used', async () => {
    const token = await recorded('/page')
    for (const [args, code, message] of [
      [['aaaaaaaaaa'], exitCodes.notFound, /There is no such profile/],
      [
        [token, '--header', 'nothing'],
        exitCodes.usage,
        /--header: "nothing" is not valid\. Use a name, a colon and a value/,
      ],
      [[token, '--query', '=1'], exitCodes.usage, /--query: "=1" is not valid/],
      [[token, '--body', '@nowhere'], exitCodes.usage, /--body: "@nowhere" is not valid/],
      [[token, '--body', 'a', '--body', 'b'], exitCodes.usage, /--body is given twice/],
    ] as const) {
      const { exitCode, stderr } = await replay(...args)
      assert.equal(exitCode, code, args.join(' '))
      assert.match(stderr, message)
    }
    const away = await folder.run(['profiles', 'replay', token, '--at', 'http://127.0.0.1:1'])
    assert.deepEqual([away.exitCode, /No application responds/.test(away.stderr)], [exitCodes.notFound, true])
    const elsewhere = await folder.run(['profiles', 'replay', token, '--at', 'http://example.org'])
    assert.deepEqual([elsewhere.exitCode, /an address of this machine/.test(elsewhere.stderr)], [exitCodes.usage, true])
  })

  it('finds the application of the settings, with its key', async () => {
    const key = 'k'.repeat(32)
    await using keyed = await startApp({ env: { APP_PROFILER_KEY: key } })
    const { headers } = await fetch(`${keyed.url}/products`)
    const token = headers.get('x-debug-token') ?? ''
    const { stdout, stderr } = await folder.run(['profiles', 'replay', token], {
      env: { PORT: String(keyed.port), APP_PROFILER_KEY: key },
    })
    assert.match(stdout, /- replay: status `200`/, stderr)
    const without = await folder.run(['profiles', 'replay', token], { env: { PORT: String(keyed.port) } })
    assert.match(without.stderr, /refuses this request \(403\)/)
  })
})
