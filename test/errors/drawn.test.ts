// Pages and Markdown that keep pieces of errors before: what they show is what they would show without them.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Drawn } from '../../src/errors/drawn.ts'
import type { Frame } from '../../src/errors/flattened-error.ts'
import { renderErrorPage } from '../../src/errors/page/error-page.ts'
import { renderErrorMarkdown } from '../../src/errors/debug-renderer.ts'
import type { ErrorView } from '../../src/errors/error-view.ts'
import { makeChain, makeError, makeErrorView, makeExcerpt, makeFrame } from '../support/error-view.ts'

// Pieces are known by these, which a file keeps until it changes.
const excerpt = makeExcerpt(1, 30)
const [origin, candidate] = [
  {
    usedAt: 'src/cart.ts:9',
    name: 'cart',
    note: 'is read',
    source: { file: 'src/cart.ts', line: 3, parts: [excerpt], marked: [3] },
  },
  { file: 'src/cart.ts', line: 3, why: 'reads `cart`' },
]
const frame = (change: Partial<Frame> = {}): Frame => makeFrame({ file: 'src/cart.ts', line: 9, excerpt, ...change })
const viewOf = (frames: readonly Frame[], change: Partial<ErrorView> = {}): ErrorView =>
  makeErrorView({
    chain: makeChain(makeError({ frames: [frame(), ...frames] })),
    origins: [origin],
    candidates: [candidate],
    ...change,
  })

const views: Readonly<Record<string, ErrorView>> = {
  'the same again': viewOf([frame({ line: 12 })]),
  'another line': viewOf([frame({ line: 13 })]),
  'another column': viewOf([frame({ line: 12, column: 7 })]),
  'another function': viewOf([frame({ line: 12, functionName: 'total' })]),
  'a function without a name': viewOf([frame({ line: 12, functionName: null })]),
  'a frame that was awaited': viewOf([frame({ line: 12, isAsync: true })]),
  'a recursion': viewOf([frame({ line: 12, repeats: { frames: 1, times: 40 } })]),
  variables: viewOf([frame({ line: 12, variables: [['cart', 'undefined']] })]),
  'a place that is shown above': viewOf([frame()]),
  'source that is spent': viewOf(Array.from({ length: 60 }, (_, at) => frame({ line: 12, column: at + 1 }))),
  'a hint': viewOf([frame({ line: 12 })], { hints: [{ title: 'The cart is empty', text: 'Check it.' }] }),
  'a file that has changed': viewOf([frame({ line: 12, excerpt: { ...excerpt, changedSince: 'loaded' } })]),
  'another origin': viewOf([frame({ line: 12 })], { origins: [{ ...origin, note: 'is never set' }] }),
  'another candidate': viewOf([frame({ line: 12 })], { candidates: [{ ...candidate, why: 'is never set' }] }),
}

describe('Drawn', () => {
  const drawn = new Drawn<ReturnType<typeof renderErrorPage>>()
  const pageOf = (view: ErrorView, kept: typeof drawn): string =>
    String(renderErrorPage(view, { nonce: 'n', profilerPath: null, drawn: kept }))
  const text = new Drawn<string>()
  pageOf(viewOf([frame({ line: 12 })]), drawn)
  renderErrorMarkdown(viewOf([frame({ line: 12 })]), text)
  for (const [what, view] of Object.entries(views)) {
    it(`keeps nothing that differs: ${what}`, () => {
      assert.equal(pageOf(view, drawn), pageOf(view, new Drawn()))
      assert.equal(renderErrorMarkdown(view, text), renderErrorMarkdown(view))
    })
  }

  it('draws a piece once for each thing and way', () => {
    const pieces = new Drawn<string>()
    const [one, other] = [{}, {}]
    let count = 0
    const draw = (): string => `piece ${(count += 1)}`
    const asked = [pieces.piece(one, 'a', draw), pieces.piece(one, 'b', draw), pieces.piece(other, 'a', draw)]
    assert.deepEqual(asked, ['piece 1', 'piece 2', 'piece 3'])
    assert.equal(pieces.piece(one, 'a', draw), 'piece 1')
  })
})
