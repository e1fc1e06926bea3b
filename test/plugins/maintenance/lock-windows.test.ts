import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { LockWindow } from '../../../src/profiles/lock.ts'
import { endOfWindows, overlapping, windowsAt } from '../../../src/maintenance/lock.ts'

/** On one day, by hours: `at(2)` is two o'clock. */
function at(hour: number): number {
  return Date.UTC(2026, 11, 1) + hour * 3_600_000
}

function makeWindow(id: string, from: number, to: number, noticeHours = 0): LockWindow {
  return {
    id,
    from: new Date(at(from)).toISOString(),
    to: new Date(at(to)).toISOString(),
    reason: '',
    noticeSeconds: noticeHours * 3600,
  }
}

describe('windowsAt', () => {
  const night = makeWindow('night', 2, 4, 1)
  const noon = makeWindow('noon', 12, 13)

  it('has a window from its begin up to its end, and announces it before', () => {
    const seen = [0, 1, 2, 3.99, 4, 12, 13].map((hour) => {
      const { active, announced } = windowsAt([noon, night], at(hour))
      return [active.map(({ id }) => id).join(), announced?.id ?? '']
    })
    assert.deepEqual(seen, [
      ['', ''],
      ['', 'night'],
      ['night', ''],
      ['night', ''],
      ['', ''],
      ['noon', ''],
      ['', ''],
    ])
  })

  it('knows when that changes next', () => {
    const changes: number[] = []
    for (let now = at(0); now < Infinity; now = windowsAt([noon, night], now).nextChange) changes.push(now)
    assert.deepEqual(changes, [0, 1, 2, 4, 12, 13].map(at))
    assert.equal(windowsAt([], at(0)).nextChange, Infinity)
  })
})

it('endOfWindows: is the end of the last one that follows without a gap', () => {
  const row = [makeWindow('c', 5, 6), makeWindow('b', 3, 4), makeWindow('a', 1, 3), makeWindow('short', 1, 2)]
  assert.equal(endOfWindows(row, at(1)), at(4))
  assert.equal(endOfWindows(row, at(4)), null)
  assert.equal(endOfWindows(row, at(5.5)), at(6))
  assert.equal(endOfWindows([], at(0)), null)
})

it('overlapping: names the windows that share a moment, and not those that touch', () => {
  const window = makeWindow('own', 2, 4)
  const others = [window, makeWindow('before', 1, 2), makeWindow('in', 3, 3.5), makeWindow('after', 4, 5)]
  assert.deepEqual(
    [...others, makeWindow('around', 1, 9)].flatMap((other) => overlapping(window, [other]).map(({ id }) => id)),
    ['in', 'around'],
  )
})
