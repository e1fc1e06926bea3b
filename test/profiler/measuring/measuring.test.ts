// The whole way, with a real server: bounds are wide, because the machine is shared.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { CpuData } from '../../../src/observe/collectors/functions.ts'
import type { TimeData } from '../../../src/observe/collectors/time.ts'
import { sendTogether, sendWhileHeld, startBusyApp, timeOf } from '../../support/busy-app.ts'
import { startApp, type RunningApp } from '../../support/running-app.ts'
import { until } from '../../support/until.ts'

/** Sends the request until one was measured as it should be. The parts of its time must add up each time. */
async function untilMeasured(
  app: RunningApp,
  path: string,
  isAsItShould: (time: Required<TimeData>) => boolean,
): Promise<void> {
  await until(async () => {
    const [token] = await sendTogether(app, [path])
    const time = await timeOf(app, token)
    const { ownCpuMs, ioWaitMs, loopWaitMs, durationMs } = time
    const sum = (ownCpuMs ?? 0) + (ioWaitMs ?? 0) + (loopWaitMs ?? 0)
    assert.ok(Math.abs(sum - durationMs) < 1, `${sum} of ${durationMs}`)
    return isAsItShould(time)
  })
}

describe('the shares of a request’s time', () => {
  it('tells own code from waiting', async () => {
    await using app = await startBusyApp()
    const [holding] = await sendTogether(app, ['/hold/40'])
    const held = await timeOf(app, holding)
    assert.ok((held.ownCpuMs ?? 0) >= 39, `own ${held.ownCpuMs}`)
    // A machine that is busy elsewhere stretches code of any kind: one request that was let alone is looked for.
    await untilMeasured(app, '/wait/60', ({ ownCpuMs, ioWaitMs }) => (ioWaitMs ?? 0) >= 40 && (ownCpuMs ?? 99) < 40)
    await untilMeasured(app, '/mixed', ({ ownCpuMs, ioWaitMs }) => {
      assert.ok((ownCpuMs ?? 0) >= 14, `own ${ownCpuMs}`)
      return (ioWaitMs ?? 0) >= 20
    })
  })

  it('names the request that held the loop in the profile of the one that waited, and the other way round', async () => {
    await using app = await startBusyApp()
    const [victimToken = '', culpritToken = ''] = await sendTogether(app, ['/held-up', '/hold-up/80'])
    const victim = await timeOf(app, victimToken)
    const blocker = victim.blockedBy.find(({ token }) => token === culpritToken)
    assert.ok(blocker !== undefined, JSON.stringify(victim.blockedBy))
    assert.deepEqual([blocker.method, blocker.path], ['GET', '/hold-up/80'])
    assert.ok(blocker.durationMs > 30, `blocked ${blocker.durationMs}`)
    assert.ok((victim.loopWaitMs ?? 0) > 30, `waited ${victim.loopWaitMs}`)
    const culprit = await timeOf(app, culpritToken)
    const blocked = culprit.blocked.find(({ token }) => token === victimToken)
    assert.equal(blocked?.path, '/held-up')
    assert.ok(culprit.blockedOthersMs > 30, `blocked ${culprit.blockedOthersMs}`)
  })

  it('says that a request could only be read when another one let go of the loop', async () => {
    await using app = await startBusyApp()
    const [culpritToken, lateToken] = await sendWhileHeld(app, '/wait/1')
    const late = await timeOf(app, lateToken)
    assert.ok((late.heldBackMs ?? 0) > 40, `held back ${late.heldBackMs}`)
    const blocker = late.blockedBy.find(({ token }) => token === culpritToken)
    assert.ok(blocker !== undefined && blocker.fromMs < 0 && blocker.fromMs + blocker.durationMs <= 0)
    assert.equal((await timeOf(app, culpritToken)).blocked[0]?.token, lateToken)
  })

  it('says the same of a request on a connection that came while the loop was held', async () => {
    await using app = await startBusyApp()
    const [culpritToken, lateToken] = await sendWhileHeld(app, '/wait/1', { onNewConnection: true })
    const { heldBackMs, blockedBy } = await timeOf(app, lateToken)
    assert.ok((heldBackMs ?? 0) > 40, `held back ${heldBackMs}`)
    assert.ok(
      blockedBy.some(({ token }) => token === culpritToken),
      JSON.stringify(blockedBy),
    )
  })

  it('T77: names of another request its token, method and path, and nothing else of it', async () => {
    await using app = await startBusyApp()
    const secret = 'zqother4711zqother4711zq'
    const [victim, culprit] = await sendTogether(app, [
      { path: `/held-up?q=plain-${secret}`, headers: { referer: `http://r/${secret}`, 'user-agent': secret } },
      { path: `/hold-up/80?token=${secret}&q=plain-${secret}`, headers: { cookie: `a=${secret}` } },
    ])
    for (const [own, other, path] of [
      [victim, culprit, '/hold-up/80'],
      [culprit, victim, '/held-up'],
    ]) {
      const { blockedBy, blocked } = await timeOf(app, own)
      const named = [...blockedBy, ...blocked].filter(({ token }) => token === other)
      assert.ok(named.length > 0, JSON.stringify([blockedBy, blocked]))
      for (const hindrance of named) {
        assert.deepEqual(Object.keys(hindrance).toSorted(), ['durationMs', 'fromMs', 'method', 'path', 'token'])
        assert.deepEqual([hindrance.method, hindrance.path], ['GET', path])
      }
      assert.ok(!JSON.stringify([blockedBy, blocked]).includes(secret))
    }
  })

  it('T77: masks a secret in the path of the other request, at the edge where the path is cut too', async () => {
    await using app = await startBusyApp()
    const secret = 'zqedge4711zqedge4711zqedge4711zqedge4711'
    const paths = [
      `/hold-up/80/x;sessionid=${secret}`,
      `/hold-up/80/ghp_${secret}`,
      ...[150, 170, 180].map((length) => `/hold-up/80/${'a'.repeat(length)}-ghp_${secret}`),
      `/hold-up/80/x;p=${'b'.repeat(170)};sessionid=${secret}`,
    ]
    for (const path of paths) {
      const [victim, culprit] = await sendTogether(app, ['/held-up', path])
      const texts = await Promise.all(
        [victim, culprit].map(async (token) => JSON.stringify(await app.profiles.read(token ?? ''))),
      )
      for (const text of texts)
        assert.ok(!text.includes('zqedge'), `${path}: ${text.slice(text.indexOf('zqedge') - 200)}`)
    }
  })

  it('reads memory, and pauses for garbage that fell in the request', async () => {
    // How much garbage it takes until V8 collects some depends on what ran before.
    setFlagsFromString('--expose-gc')
    const collect = runInNewContext('gc') as () => void
    await using app = await startBusyApp({ listeners: [{ name: 'collector', onMatch: () => collect() }] })
    const [token] = await sendTogether(app, ['/wait/30'])
    const { memory, garbagePauses, durationMs } = await timeOf(app, token)
    assert.ok(memory !== null && memory.heapBefore > 0 && memory.heapAfter > 0 && memory.heapLimit > memory.heapAfter)
    assert.ok(memory.resident > memory.heapAfter / 2)
    assert.ok(garbagePauses.length > 0)
    assert.ok(garbagePauses.every(({ startMs, durationMs: ms }) => startMs + ms >= 0 && startMs <= durationMs))
  })

  it('counts the work of an error page apart, and says nothing of the sub-request', async () => {
    await using app = await startApp()
    await app.send({ target: '/error' })
    const { items } = await app.profiles.find({ url: '/error' })
    const profile = await app.profiles.read(items.find(({ parentToken }) => parentToken === null)?.token ?? '')
    assert.ok(profile !== undefined)
    const { ownCpuMs, profilerMs, subRequests } = await timeOf(app, profile.token)
    const [page] = subRequests
    assert.ok(page !== undefined && profilerMs >= page.durationMs)
    assert.ok((ownCpuMs ?? Infinity) <= profile.durationMs)
    // Both together are all the time until the page was there.
    assert.ok(profile.durationMs + profilerMs + 0.01 >= page.startMs + page.durationMs)
    assert.equal((await timeOf(app, profile.childTokens[0])).ownCpuMs, undefined)
  })

  it('leaves nothing behind when the application is closed', async () => {
    const app = await startBusyApp()
    await app[Symbol.asyncDispose]()
    await using other = await startBusyApp()
    const [token] = await sendTogether(other, ['/hold/20'])
    assert.ok(((await timeOf(other, token)).ownCpuMs ?? 0) >= 19)
  })
})

describe('the CPU profile of a request', () => {
  it('is recorded for a request that asks for it, for its own stretches only', async () => {
    await using app = await startBusyApp()
    const [token] = await sendTogether(app, [
      { path: '/hold/60', headers: { 'X-Fanlight-Profile': 'cpu' } },
      '/hold/30',
    ])
    const profile = await app.profiles.read(token ?? '')
    const data = profile?.data['cpu'] as CpuData | undefined
    assert.ok(data !== undefined)
    const held = data.functions.findIndex(({ name }) => name === 'holdLoop')
    assert.equal(data.functions[held]?.file, 'test/support/busy-app.ts')
    assert.equal(data.functions[held]?.origin, 'own')
    const totalMs = data.calls.reduce((sum, { of, totalMs: ms }) => sum + (of === held ? ms : 0), 0)
    assert.ok(totalMs > 30 && totalMs <= data.ownMs + 1, `${totalMs} of ${data.ownMs}`)
    assert.ok(data.ownMs <= (profile?.durationMs ?? 0) + 1, `${data.ownMs} of ${profile?.durationMs}`)
  })

  it('does not count its own start as a delay of the request', async () => {
    await using app = await startBusyApp()
    // A busy machine may hold a request back too; it does not do so each time.
    const delays: string[] = []
    for (let count = 0; count < 5; count += 1) {
      const [token] = await sendTogether(app, [{ path: '/hold/1', headers: { 'X-Fanlight-Profile': 'cpu' } }])
      const profile = (await app.profiles.read(token ?? '')) ?? assert.fail('no profile')
      const { startTookMs } = profile.data['cpu'] as CpuData
      const { profilerMs, heldBackMs, blockedBy } = await timeOf(app, token)
      assert.ok((profilerMs ?? 0) >= startTookMs, `${profilerMs} of ${startTookMs}`)
      if ((heldBackMs ?? 0) < startTookMs && blockedBy.length === 0) return
      delays.push(`held back for ${heldBackMs} by ${JSON.stringify(blockedBy)}, of ${startTookMs}`)
    }
    assert.fail(delays.join('\n'))
  })

  it('is not taken of other requests, nor for another site, nor for another value', async () => {
    await using app = await startBusyApp()
    const tokens = await sendTogether(app, [
      '/hold/5',
      { path: '/hold/5', headers: { 'X-Fanlight-Profile': 'cpu', Origin: 'http://evil.example' } },
      { path: '/hold/5', headers: { 'X-Fanlight-Profile': 'yes' } },
    ])
    for (const token of tokens) assert.equal((await app.profiles.read(token))?.data['cpu'], undefined)
  })
})
