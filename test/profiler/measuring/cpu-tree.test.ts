import assert from 'node:assert/strict'
import type { Profiler } from 'node:inspector'
import { describe, it } from 'node:test'
import { CpuSampler, cpuTree, maxCalls } from '../../../src/measuring/function-profiles.ts'

interface NodeParts {
  readonly id: number
  readonly name: string
  readonly children?: number[]
}

function profileOf(nodes: readonly NodeParts[], samples: number[], deltasMs: readonly number[]): Profiler.Profile {
  return {
    nodes: nodes.map(({ id, name, children }) => ({
      id,
      ...(children === undefined ? {} : { children }),
      callFrame: { functionName: name, url: `file:///shop/${name}.ts`, lineNumber: 4, columnNumber: 2, scriptId: '1' },
    })),
    startTime: 1_000_000,
    endTime: 2_000_000,
    samples,
    timeDeltas: deltasMs.map((ms) => ms * 1000),
  }
}

const nodes: readonly NodeParts[] = [
  { id: 1, name: '(root)', children: [2, 5] },
  { id: 2, name: 'handle', children: [3, 4] },
  { id: 3, name: 'load' },
  { id: 4, name: 'render' },
  { id: 5, name: '(idle)' },
]

describe('cpuTree', () => {
  it('adds samples up by call, callers included', () => {
    const profile = profileOf(nodes, [3, 3, 4, 2], [1, 1, 2, 1])
    const { functions, calls, ownMs, samples, othersMs } = cpuTree({ profile, startedMs: 100 }, [100, 105])
    const named = calls.map(({ of, parent, selfMs, totalMs }) => [functions[of]?.name, parent, selfMs, totalMs])
    assert.deepEqual(named, [
      ['handle', -1, 1, 5],
      ['render', 0, 2, 2],
      ['load', 0, 2, 2],
    ])
    assert.deepEqual([ownMs, samples, othersMs], [5, 4, 0])
    assert.deepEqual(functions[0], { name: 'handle', location: 'file:///shop/handle.ts', line: 5, column: 3 })
  })

  it('leaves out what ran outside the stretches of the request, and says how much', () => {
    const profile = profileOf(nodes, [3, 3, 5, 4, 4], [10, 10, 50, 10, 10])
    // The first sample lies before, the second half inside, the last two inside and after.
    const tree = cpuTree({ profile, startedMs: 0 }, [15, 20, 70, 80])
    assert.equal(tree.ownMs, 15)
    assert.equal(tree.samples, 2)
    assert.equal(tree.othersMs, 25)
  })

  it('gives an empty tree for a request that was too quick', () => {
    const tree = cpuTree({ profile: profileOf(nodes, [], []), startedMs: 0 }, [0, 0.2])
    assert.deepEqual([tree.calls, tree.ownMs, tree.samples], [[], 0, 0])
  })

  it('keeps the longest calls where there are too many, each with its callers', () => {
    const ids = Array.from({ length: maxCalls + 50 }, (_, index) => index + 3)
    const many = [
      { id: 1, name: '(root)', children: [2] },
      { id: 2, name: 'handle', children: ids },
      ...ids.map((id) => ({ id, name: `part${id}` })),
    ]
    const { calls, droppedCalls } = cpuTree(
      {
        profile: profileOf(
          many,
          ids,
          ids.map(() => 1),
        ),
        startedMs: 0,
      },
      [0, ids.length],
    )
    assert.equal(calls.length, maxCalls)
    assert.equal(droppedCalls, 51)
    assert.ok(calls.every(({ parent }, index) => parent < index))
  })
})

describe('CpuSampler', () => {
  it('takes a profile inside another one, with a clock that fits', () => {
    const sampler = new CpuSampler()
    const outer = sampler.start()
    const inner = sampler.start()
    const fromMs = performance.now()
    while (performance.now() - fromMs < 300) JSON.stringify(process.versions)
    const toMs = performance.now()
    const taken = inner?.stop()
    assert.ok(taken !== undefined)
    const { functions, ownMs } = cpuTree(taken, [fromMs, toMs])
    assert.ok(ownMs > 10, `${ownMs} ms of 300`)
    assert.ok(functions.some(({ location }) => location.endsWith('cpu-tree.test.ts')))
    outer?.stop()
    sampler.close()
  })

  it('samples a few requests at a time only', () => {
    const sampler = new CpuSampler()
    const running = Array.from({ length: 6 }, () => sampler.start())
    assert.equal(running.filter((one) => one !== undefined).length, 4)
    for (const one of running) one?.stop()
    assert.notEqual(sampler.start()?.stop(), undefined)
    sampler.close()
  })
})

it('a CPU profile: names functions that V8 had put into their callers before it began', () => {
  const inner = (turns: number): number => {
    let sum = 0
    for (let turn = 0; turn < turns; turn += 1) sum = (sum + turn) % 1013
    return sum
  }
  const outer = (turns: number): number => inner(turns)
  for (let call = 0; call < 200_000; call += 1) outer(20)
  const sampler = new CpuSampler()
  const running = sampler.start()
  assert.ok(running !== undefined)
  outer(50_000_000)
  const { profile } = running.stop()
  sampler.close()
  const hits = (name: string): number =>
    profile.nodes.reduce(
      (sum, { callFrame, hitCount = 0 }) => sum + (callFrame.functionName === name ? hitCount : 0),
      0,
    )
  assert.ok(hits('inner') > hits('outer'), `inner ${hits('inner')}, outer ${hits('outer')}`)
})
