import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Reply } from '../../../src/base/http/reply.ts'
import type { Listener } from '../../../src/http/kernel/listener.ts'
import type { EventsData } from '../../../src/observe/collectors/events.ts'
import { pageText, startApp } from '../../support/running-app.ts'

const listeners: readonly Listener[] = [
  {
    name: 'greeter',
    onRequest: () => undefined,
    onResponse: (_exchange, reply) => void reply.setHeader('x-greeting', 'hello'),
  },
  {
    name: 'guard of errors',
    onError: () => {
      throw new Error('in a listener')
    },
  },
  { name: 'silent' },
]

describe('eventsCollector', () => {
  it('names the listeners in the order they ran, and those whose moment did not come', async () => {
    await using running = await startApp({ listeners })
    const token = (await running.send({ target: '/api' })).header('x-debug-token') ?? ''
    const { calls, notCalled } = (await running.profiles.read(token))!.data['events'] as EventsData
    const own = calls.filter(({ listener }) => listener === 'greeter').map(({ moment }) => moment)
    assert.deepEqual(own, ['onRequest', 'onResponse'])
    assert.deepEqual(notCalled, [{ listener: 'guard of errors', moment: 'onError' }])
    for (const { ownMs, durationMs } of calls) assert.ok(ownMs !== null && durationMs !== null && ownMs <= durationMs)
  })

  it('leaves out listeners that only watch for the profiler', async () => {
    await using running = await startApp({ listeners })
    const token = (await running.send({ target: '/api' })).header('x-debug-token') ?? ''
    const { data } = (await running.profiles.read(token))!
    const { calls } = data['events'] as EventsData
    assert.deepEqual(new Set(calls.map(({ listener }) => listener)), new Set(['currency', 'greeter']))
  })

  it('runs several that only watch one after the other, waits for those that take their time, and goes on with their answers', async () => {
    const seen: string[] = []
    const watcher = (name: string, doesWait: boolean): Listener => ({
      name,
      isInstrumentation: true,
      onRequest: () => {
        if (!doesWait) return void seen.push(name)
        return sleep(1).then(() => void seen.push(name))
      },
      onResponse: (_exchange, reply) => {
        const next = new Reply(reply.status, [...reply.headers, 'x-seen', name], reply.body)
        return doesWait ? sleep(1).then(() => next) : next
      },
    })
    const watchers = [watcher('one', false), watcher('two', true), watcher('three', false)]
    await using running = await startApp({ listeners: [...listeners, ...watchers] })
    const answer = await running.send({ target: '/api' })
    assert.deepEqual(seen, ['one', 'two', 'three'])
    const named = answer.headers.filter(([name]) => name === 'x-seen').map(([, value]) => value)
    // First in, last out.
    assert.deepEqual(named, ['three', 'two', 'one'])
    const { data } = (await running.profiles.read(answer.header('x-debug-token') ?? ''))!
    const { calls } = data['events'] as EventsData
    assert.deepEqual(new Set(calls.map(({ listener }) => listener)), new Set(['currency', 'greeter']))
  })

  it('marks a listener that failed, and leaves its sub-request out', async () => {
    await using running = await startApp({ listeners })
    const token = (await running.send({ target: '/nope' })).header('x-debug-token') ?? ''
    const profile = await running.profiles.read(token)
    const { calls } = profile!.data['events'] as EventsData
    assert.equal(calls.find(({ moment }) => moment === 'onError')?.hasFailed, true)
    assert.match(pageText((await running.send({ target: `/_profiler/${token}?panel=events` })).body), /guard of errors/)
    const child = profile!.childTokens[0]
    assert.match(
      pageText((await running.send({ target: `/_profiler/${child}?panel=events` })).body),
      /those of its parent/,
    )
  })
})
