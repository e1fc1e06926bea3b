// The library's own calls in a trace: folded beside own code, shown with source where there is nothing else.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { StackFrames } from '../../src/errors/stack-frames.ts'
import { groupFrames, packageOf } from '../../src/errors/trace-lines.ts'

const root = process.cwd()
const bounds = { maxFrames: 10, maxExcerpts: 10 }
const stack = (...places: readonly string[]): string =>
  ['Error: x', ...places.map((place) => `    at run (file://${root}/${place})`)].join('\n')
const kernel = 'src/http/kernel/kernel.ts:40:5'
const step = 'src/http/kernel/route-step.ts:20:5'

describe('StackFrames on calls of the library', () => {
  it('names them by the library, never as own code, and folds them', () => {
    const frames = new StackFrames(root).read(stack('app/main.ts:5:1', kernel, step), 'x', bounds)
    assert.deepEqual(
      frames.map(({ file, origin, excerpt }) => [file, origin, excerpt !== null]),
      [
        ['app/main.ts', 'own', true],
        ['fanlight/src/http/kernel/kernel.ts', 'dependency', false],
        ['fanlight/src/http/kernel/route-step.ts', 'dependency', false],
      ],
    )
    const [own, foreign] = groupFrames(frames)
    assert.ok(own?.kind === 'single' && foreign?.kind === 'foreign')
    assert.equal(own.frame, frames[0])
    assert.deepEqual(foreign.frames.map(packageOf), ['fanlight', 'fanlight'])
  })

  it('shows source of the first one where no own code takes part', () => {
    const frames = new StackFrames(root).read(stack(kernel, step), 'x', bounds)
    assert.deepEqual(
      frames.map(({ excerpt }) => excerpt !== null),
      [true, false],
    )
  })

  it('reads no source where none is asked for', () => {
    const frames = new StackFrames(root).read(stack(kernel), 'x', { ...bounds, maxExcerpts: 0 })
    assert.equal(frames[0]?.excerpt, null)
  })

  it('knows it wherever it is installed', () => {
    const frames = new StackFrames('/srv/shop', { libraryRoot: '/srv/shop/node_modules/fanlight/dist' }).read(
      'Error: x\n    at run (file:///srv/shop/node_modules/fanlight/dist/kernel/kernel.js:1:1)',
      'x',
      bounds,
    )
    assert.equal(frames[0]?.file, 'fanlight/dist/kernel/kernel.js')
  })
})
