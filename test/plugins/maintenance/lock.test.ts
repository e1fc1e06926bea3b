import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { inspect } from 'node:util'
import { fc } from '../../support/fast-check.ts'
import { openMemoryEngine } from '../../../src/stores/memory/open-memory-engine.ts'
import type { LockState, LockStore } from '../../../src/profiles/lock.ts'
import { isMaintenance, joinBits } from '../../../src/stores/lock/closure.ts'
import { Lock } from '../../../src/maintenance/lock.ts'
import { LineList } from '../../support/exchange.ts'
import { until } from '../../support/until.ts'

/** `hours` after ten o'clock. */
const state = (value: unknown, hours = 0): LockState => ({
  value: value as number,
  reason: 'moving house',
  retryAfterSeconds: 60,
  changedAt: `2026-11-21T${10 + hours}:00:00.000Z`.replace('T9', 'T09'),
})

/** A source that does what it is told: the hostile ones of F21. */
class ScriptedSource implements LockStore {
  readonly name = 'scripted:'
  reading: () => Promise<LockState>
  change: (state: LockState) => void = () => undefined
  fail: (error: unknown) => void = () => undefined

  constructor(reading: () => Promise<LockState>) {
    this.reading = reading
  }

  read(): Promise<LockState> {
    return this.reading()
  }
  async write(_state: LockState): Promise<void> {}
  watch(onChange: (state: LockState) => void, onError: (error: unknown) => void): () => void {
    this.change = onChange
    this.fail = onError
    return () => undefined
  }
}

async function started(
  source: LockStore,
  bootValue = 0,
): Promise<{ lock: Lock; log: LineList; clock: { ms: number } }> {
  const log = new LineList()
  const clock = { ms: 0 }
  const lock = new Lock({ bootValue, store: source, log, startBudgetMs: 20, now: () => clock.ms })
  await lock.start()
  return { lock, log, clock }
}

describe('Lock', () => {
  for (const value of [
    '1',
    1.5,
    Number.NaN,
    null,
    undefined,
    2 ** 53 + 1,
    -(2 ** 53),
    { value: 1 },
    [1],
    1n,
    true,
    Infinity,
  ]) {
    it(`keeps the last good value when the source gives ${inspect(value)}, and warns`, async () => {
      for (const good of [0, 1]) {
        const source = new ScriptedSource(async () => state(good))
        const { lock, log } = await started(source)
        source.change(state(value))
        assert.equal(lock.isClosed, good === 1)
        assert.equal(lock.state.shared.value, good)
        assert.ok(log.lines.some((line) => line.level === 'warn' && line.message.includes('cannot be used')))
      }
    })
  }

  it('joins boot and shared bits, all 53 of them', async () => {
    const { lock } = await started(new ScriptedSource(async () => state(2 ** 40)), 5)
    assert.equal(lock.state.value, 2 ** 40 + 5)
    fc.assert(
      fc.property(fc.maxSafeInteger(), fc.maxSafeInteger(), (one, other) => {
        const joined = joinBits(one, other)
        assert.ok(Number.isSafeInteger(joined))
        assert.equal(BigInt(joined), BigInt(one) | BigInt(other))
        assert.equal(isMaintenance(joined), isMaintenance(one) || isMaintenance(other))
      }),
      { numRuns: 200 },
    )
  })

  it('refuses a boot value that is not a safe integer, naming it', () => {
    for (const bootValue of [1.5, Number.NaN, 2 ** 53]) {
      const make = (): Lock =>
        new Lock({ bootValue, store: new ScriptedSource(async () => state(0)), log: new LineList() })
      assert.throws(make, { name: 'RangeError', message: new RegExp(String(bootValue)) })
    }
  })

  it('is wholly one or the other through a thousand flips (F31)', async () => {
    const engine = await openMemoryEngine()
    const { lock, log } = await started(engine.lock)
    for (let flip = 1; flip <= 1000; flip += 1) {
      await engine.lock.write(state(flip % 4))
      assert.equal(lock.isClosed, flip % 2 === 1)
    }
    assert.ok(log.lines.every((line) => line.message.startsWith('The lock is {value}')))
  })
})

describe('Lock with a hostile source (F21)', () => {
  const hostile: Readonly<Record<string, () => Promise<LockState>>> = {
    rejects: () => Promise.reject(new Error('gone')),
    'throws at once': () => {
      throw new Error('gone')
    },
    'rejects with null': () => Promise.reject(null),
    'gives undefined': async () => undefined as unknown as LockState,
    'gives a state whose getters throw': async () =>
      Object.defineProperty({}, 'value', {
        get: () => {
          throw new Error('no')
        },
      }) as LockState,
    'never answers': () => new Promise(() => undefined),
  }

  for (const [what, reading] of Object.entries(hostile)) {
    it(`starts with the boot value and one warning when the source ${what}`, async () => {
      const { lock, log } = await started(new ScriptedSource(reading), 1)
      assert.equal(lock.isClosed, true)
      assert.equal(log.lines.length, 1)
      assert.equal(log.lines[0]?.level, 'warn')
    })
  }

  it('keeps the last good value when a change is a revoked proxy', async () => {
    const source = new ScriptedSource(async () => state(1))
    const { lock, log } = await started(source)
    const { proxy, revoke } = Proxy.revocable(state(0), {})
    revoke()
    source.change(proxy)
    assert.equal(lock.isClosed, true)
    assert.match(JSON.stringify(log.lines), /cannot be read/)
  })

  it('starts when the source cannot be watched', async () => {
    const source = new ScriptedSource(async () => state(1))
    source.watch = () => {
      throw new Error('no watching here')
    }
    const { lock, log } = await started(source)
    assert.equal(lock.isClosed, true)
    assert.match(JSON.stringify(log.lines), /no watching here/)
  })

  it('writes what it knows again if the source has lost it or has an older one, as soon as the source takes it', async () => {
    for (const lost of [{ value: 0 }, { value: 0, changedAt: '' }, state(0, -1)]) {
      let stored: unknown = state(1)
      const source = new ScriptedSource(async () => stored as LockState)
      let isDown = true
      source.write = async (written) => {
        if (isDown) throw new Error('down')
        stored = written
      }
      const { lock, log } = await started(source)
      stored = lost
      source.change(lost as LockState)
      await until(() => log.lines.some((line) => /lost the lock, which cannot be written/.test(JSON.stringify(line))))
      isDown = false
      await until(() => log.lines.some(({ message }) => message.includes('It was written again')))
      assert.deepEqual([stored, lock.isClosed], [state(1), true])
      lock.close()
    }
  })

  it('writes nothing over a newer state that it has not heard of yet, and takes any other one', async () => {
    const source = new ScriptedSource(async () => state(1))
    const { lock } = await started(source)
    source.write = () => assert.fail('nothing is to be written')
    source.reading = async () => state(0, 1)
    source.change(state(1, -1))
    source.change(state(3))
    assert.equal(lock.state.value, 3)
    source.change(state(0, 1))
    assert.equal(lock.isClosed, false)
    source.change(state(1, -1))
    assert.equal(lock.isClosed, false)
  })

  it('starts closed until it was read once, if that is asked for, and tries again', async () => {
    let isDown = true
    const source = new ScriptedSource(async () => (isDown ? Promise.reject(new Error('down')) : state(0)))
    const lock = new Lock({ bootValue: 0, store: source, log: new LineList(), startClosed: true })
    await lock.start()
    assert.deepEqual([lock.isClosed, lock.isClosedAtBoot], [true, false])
    assert.equal(lock.problem, 'The lock was never read and counts as 1: Error: down.')
    isDown = false
    await until(() => !lock.isClosed)
    assert.equal(lock.problem, null)
  })

  it('takes a first answer that comes after the budget', async () => {
    const late = Promise.withResolvers<LockState>()
    const { lock } = await started(new ScriptedSource(() => late.promise))
    assert.equal(lock.isClosed, false)
    late.resolve(state(1))
    await until(() => lock.isClosed)
  })

  it('does not let a late first answer undo a newer change', async () => {
    const late = Promise.withResolvers<LockState>()
    const source = new ScriptedSource(() => late.promise)
    const { lock } = await started(source)
    source.change(state(1))
    late.resolve(state(0))
    await late.promise
    await Promise.resolve()
    assert.equal(lock.isClosed, true)
  })

  it('warns at most once a minute and says how many failures it kept to itself', async () => {
    const source = new ScriptedSource(async () => state(0))
    const { log, clock } = await started(source)
    for (let second = 0; second < 120; second += 1) {
      clock.ms = second * 1000
      source.fail(new Error('down'))
    }
    assert.equal(log.lines.length, 2)
    assert.equal(log.lines[1]?.context['unreported'], 59)
  })

  it('is not moved by a source that changes its own object afterwards', async () => {
    const mutable = { ...state(0) } as { value: number } & LockState
    const { lock } = await started(new ScriptedSource(async () => mutable))
    Object.assign(mutable, { value: 1 })
    assert.equal(lock.isClosed, false)
    assert.equal(lock.state.shared.value, 0)
  })

  it('keeps the last good value when what decides about requests is wrong', async () => {
    const source = new ScriptedSource(async () => state(1))
    for (const wrong of [{ only: ['checkout'] }, { readOnly: 'yes' }, { windows: [{}] }]) {
      const { lock, log } = await started(source)
      source.change(Object.assign(state(0), wrong))
      assert.equal(lock.isClosed, true)
      assert.match(JSON.stringify(log.lines), new RegExp(`its ${Object.keys(wrong)[0]} cannot be used; allowed is`))
    }
  })

  it('leaves out a wrong link, name and time', async () => {
    const wrong = { link: { key: 'short' }, changedBy: 7, since: 'today' }
    const { lock } = await started(new ScriptedSource(async () => Object.assign(state(1), wrong)))
    assert.deepEqual(lock.state.shared, state(1))
  })

  it('takes a good value with a wrong reason and wait, with defaults for both', async () => {
    const source = new ScriptedSource(
      async () => ({ value: 1, reason: 7, retryAfterSeconds: -4 }) as unknown as LockState,
    )
    const { lock } = await started(source)
    assert.equal(lock.isClosed, true)
    assert.equal(lock.retryAfterSeconds, null)
    assert.equal(lock.state.shared.reason, '')
  })
})
