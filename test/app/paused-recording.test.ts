// Recording is paused in the bar of each page and with `fanlight profiles pause`, for all processes of a store.

import assert from 'node:assert/strict'
import { createSecretKey } from 'node:crypto'
import { describe, it } from 'node:test'
import { signToken, tokenHeader } from '../../src/profiles/sampling/sampler.ts'
import type { RawResponse } from '../support/raw-client.ts'
import { cliFolder } from '../support/cli-run.ts'
import { pageText, startApp, type RunningApp } from '../support/running-app.ts'
import { until } from '../support/until.ts'

const secret = 'q3JmV0tT1nJ9n2kWc8rB5sXzYpL7dHfA'
// Pages of the profiler send no referrer, so a browser sends no origin for their forms.
const fromHere = ['Origin: null', 'Sec-Fetch-Site: same-origin']

async function isRecorded({ send }: RunningApp): Promise<boolean> {
  return (await send({ target: '/products' })).header('x-debug-token') !== undefined
}

async function set({ send, url }: RunningApp, paused: string, headers = fromHere, back = ''): Promise<RawResponse> {
  return send({
    method: 'POST',
    target: '/_profiler/recording',
    headers: [`Host: ${new URL(url).host}`, 'Content-Type: application/x-www-form-urlencoded', ...headers],
    body: String(new URLSearchParams({ paused, back })),
  })
}

describe('a pause of recording', () => {
  it('is heard by every process of the store, shown on every page, and ended on the command line', async () => {
    await using folder = await cliFolder()
    const env = { APP_STORE: folder.env['APP_STORE'] ?? '', APP_RECORD_SECRET: secret }
    await using one = await startApp({ env })
    await using other = await startApp({ env })
    const token = (await one.send({ target: '/products' })).header('x-debug-token') ?? ''
    const paused = await set(one, 'yes')
    assert.deepEqual([paused.status, paused.header('location')], [302, '/_profiler/'])
    assert.equal(await isRecorded(one), false)
    await until(async () => !(await isRecorded(other)))
    for (const page of ['', 'status', 'help', 'runs', `${token}?panel=logger`, `${token}.md`, 'index.md']) {
      const { body } = await other.send({ target: `/_profiler/${page}` })
      assert.match(
        pageText(body),
        /Recording was paused by .+@.+ at 20[-\d]+ [:\d]+ UTC\. Signed requests are still recorded/,
        page,
      )
    }
    const key = createSecretKey(secret, 'utf8')
    const signed = signToken({ expiresAt: Date.now() + 60_000, path: '/' }, key)
    const asked = await other.send({ target: '/products', headers: [`${tokenHeader}: ${signed}`] })
    assert.match(asked.header('x-debug-token') ?? '', /^\w{10,16}$/)
    const status = JSON.parse((await other.send({ target: '/_profiler/status.json' })).body) as {
      readonly pause: { readonly by: string } | null
      readonly decided: { readonly paused: number; readonly asked: number }
    }
    assert.match(status.pause?.by ?? '', /@/)
    assert.ok(status.decided.paused > 0)
    assert.equal(status.decided.asked, 1)
    assert.match((await folder.run(['profiles', 'status', '--at', one.url])).stdout, /Recording was paused by/)
    const resumed = await folder.run(['profiles', 'resume'])
    assert.deepEqual([resumed.exitCode, resumed.stdout], [0, 'Requests are recorded again.\n'])
    await until(async () => (await isRecorded(one)) && isRecorded(other))
    assert.doesNotMatch((await one.send({ target: '/_profiler/' })).body, /Recording was paused/)
    assert.ok(other.log.lines.some(({ message }) => message === 'Recording goes on.'))
    const again = await folder.run(['profiles', 'pause', '--json'])
    assert.equal(
      (JSON.parse(again.stdout) as { pause: { since: number } }).pause.since,
      Date.parse('2026-11-21T10:00:00Z'),
    )
    assert.equal((await folder.run(['profiles', 'pause', '--json'])).stdout, again.stdout)
    await until(async () => !(await isRecorded(one)))
    await using late = await startApp({ env })
    await until(async () => !(await isRecorded(late)))
  })

  it('is asked for by this machine and by a page of ours only', async () => {
    await using app = await startApp()
    for (const headers of [
      ['Sec-Fetch-Site: same-origin'],
      ['Origin: http://evil.example', 'Sec-Fetch-Site: cross-site'],
      ['Origin: null', 'Sec-Fetch-Site: cross-site'],
      ['Origin: null'],
    ]) {
      assert.equal((await set(app, 'yes', headers)).status, 403, headers.join())
    }
    assert.equal(await isRecorded(app), true)
    assert.equal((await app.send({ target: '/_profiler/recording' })).status, 404)
  })

  it('says what is allowed, and is offered in the bar of each page, which it leads back to', async () => {
    await using app = await startApp()
    const wrong = await set(app, 'maybe')
    assert.deepEqual([wrong.status, /Send the field `paused`: yes or no/.test(wrong.body)], [400, true])
    const { body } = await app.send({ target: '/_profiler/routes' })
    assert.match(body, /action="\/_profiler\/recording"[\s\S]*value="yes"[\s\S]*Pause recording/)
    for (const [back, leadsTo] of [
      ['/_profiler/?status=404', '/_profiler/?status=404'],
      ...['', '/', 'https://evil.example/', '//evil.example/_profiler/', '/_profiler/\r\nX: 1'].map((bad) => [
        bad,
        '/_profiler/',
      ]),
    ]) {
      const answer = await set(app, 'yes', undefined, back)
      assert.deepEqual([answer.status, answer.header('location')], [302, leadsTo], back)
    }
    assert.match((await app.send({ target: '/_profiler/status' })).body, /value="no"[\s\S]*Resume recording/)
    assert.equal((await set(app, 'no')).status, 302)
    assert.equal(await isRecorded(app), true)
  })
})
