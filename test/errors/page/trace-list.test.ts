import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { countErrors, traceList } from '../../../src/errors/page/trace-list.ts'
import { makeChain, makeError, makeExcerpt, makeFrame } from '../../support/error-view.ts'
import { pageText } from '../../support/page-text.ts'

const dependency = (name: string): ReturnType<typeof makeFrame> =>
  makeFrame({ origin: 'dependency', file: `node_modules/${name}/index.js`, functionName: `in ${name}` })
const node = makeFrame({ origin: 'node', file: 'node:internal/timers', functionName: 'tick' })

describe('traceList', () => {
  it('says of source that changed since it was loaded that it is from before', () => {
    const excerpt = { ...makeExcerpt(5, 15), changedSince: 'loaded' as const }
    const page = pageText(String(traceList(makeChain(makeError({ frames: [makeFrame({ excerpt })] })))))
    assert.ok(page.includes('The file has changed since it was loaded: these lines are from before.'), page)
    assert.ok(page.includes('value12'))
  })

  it('numbers errors from the outermost down, each with an anchor', () => {
    const markup = String(
      traceList(makeChain(makeError({ className: 'A' }), makeError({ className: 'B' }), makeError({ className: 'C' }))),
    )
    assert.match(pageText(markup), /\[3\/3\] A .*\[2\/3\] B .*\[1\/3\] C/)
    assert.deepEqual(markup.match(/id="error-\d"/g), ['id="error-3"', 'id="error-2"', 'id="error-1"'])
  })
  it('leads with the first own frame and its source, and leaves the others to be unfolded', () => {
    const frames = [
      dependency('pg'),
      makeFrame({ functionName: 'first', excerpt: makeExcerpt(5, 15) }),
      makeFrame({ functionName: 'second', line: 13, excerpt: makeExcerpt(5, 15) }),
      makeFrame({ functionName: 'third' }),
    ]
    const markup = String(traceList(makeChain(makeError({ frames }))))
    const [lead = '', rest = ''] = markup.split('<ol class="frames"')
    assert.match(
      pageText(lead),
      /Something is missing\..* first app\/controllers\/product-controller\.ts:12:5 .*const value12 = 12/,
    )
    assert.equal(lead.match(/<li class="at">/g)?.length, 1)
    assert.match(pageText(rest), /in pg.* first .* second .*value13.* third /)
    assert.equal(rest.match(/<details/g)?.length, 1)
    assert.equal(rest.match(/<li class="at">/g)?.length, 1)
  })
  it('does not show the same source twice', () => {
    const frame = makeFrame({ excerpt: makeExcerpt(5, 15) })
    const members = ['north', 'south', 'west'].map((message) => makeChain(makeError({ message, frames: [frame] })))
    const markup = String(traceList(makeChain(makeError({ members, frames: [node] }))))
    assert.equal(markup.match(/<li class="at">/g)?.length, 1)
    assert.equal(pageText(markup).match(/product-controller\.ts:12:5/g)?.length, 3)
  })
  it('unfolds the innermost error with own source, or the root cause', () => {
    const opened = (...owners: boolean[]): string | undefined => {
      const errors = owners.map((isOwn) =>
        makeError({ frames: [isOwn ? makeFrame({ excerpt: makeExcerpt(5, 15) }) : dependency('pg')] }),
      )
      return /id="(error-\d)" open/.exec(String(traceList(makeChain(...errors))))?.[1]
    }
    assert.equal(opened(true, true, true), 'error-1')
    assert.equal(opened(true, true, false), 'error-2')
    assert.equal(opened(true, false, false), 'error-3')
    assert.equal(opened(false, false), 'error-1')
    assert.doesNotMatch(String(traceList(makeChain(makeError()), { isFolded: true })), / open/)
  })
  it('folds the middle of a long chain, never the first, the root or the unfolded one', () => {
    const errors = Array.from({ length: 10 }, (_, index) =>
      makeError({ className: `E${index}`, frames: index === 5 ? [makeFrame({ excerpt: makeExcerpt(5, 15) })] : [] }),
    )
    const markup = String(traceList(makeChain(...errors)))
    const folds = markup.split('<details class="fold more-steps">').slice(1)
    assert.deepEqual(
      folds.map((fold) => pageText(fold).slice(0, 13)),
      ['4 more causes', '3 more causes'],
    )
    const [first = '', second = ''] = folds
    assert.match(first, />E1<[\s\S]*>E4<[\s\S]*<\/details>\s*<\/details>[\s\S]*>E5</)
    assert.match(second, />E8<[\s\S]*<\/details>\s*<\/details>[\s\S]*>E9<[\s\S]*root cause/)
    assert.doesNotMatch(String(traceList(makeChain(...errors.slice(0, 4)))), /more causes/)
  })
  it('shows hints about an AggregateError above its members or in that which they are about, and where values come from in the first one', () => {
    const members = ['north', 'south'].map((message, index) =>
      makeChain(makeError({ message, frames: [makeFrame({ line: 12 + index, excerpt: makeExcerpt(5, 15) })] })),
    )
    const chain = makeChain(makeError({ members, frames: [] }))
    const hints = [{ title: 'One is closed.', text: 'Open it.' }]
    const origins = [{ usedAt: 'a.ts:1', name: 'door', note: 'is set nowhere', source: null }]
    const text = pageText(traceList(chain, { hints, origins }))
    assert.match(text, /One is closed\. Open it\..*north.*value12 = 12.*door is set nowhere.*south/)
    const ofSecond = [{ title: 'One is closed.', text: 'Open it.', place: 'app/controllers/product-controller.ts:13' }]
    const markup = String(traceList(chain, { hints: ofSecond, origins }))
    assert.match(pageText(markup), /north.*door is set nowhere.*south.*value13 = 13 One is closed\. Open it\./)
    assert.deepEqual(markup.match(/id="error-1-\d-1" open/g), ['id="error-1-2-1" open'])
  })
  it('writes each place as file:line:column', () => {
    const text = pageText(
      traceList(makeChain(makeError({ frames: [makeFrame({ file: 'app/a.ts', line: 3, column: 9 })] }))),
    )
    assert.ok(text.includes('app/a.ts:3:9'))
  })
  it('folds neighbouring foreign calls into one line with their count and where they are', () => {
    const frames = [makeFrame(), dependency('express'), dependency('@scope/router'), node, makeFrame()]
    const markup = String(traceList(makeChain(makeError({ frames }))))
    assert.equal(markup.match(/<details class="fold run">/g)?.length, 1)
    assert.ok(pageText(markup).includes('3 frames in express, @scope/router, node'))
  })
  it('folds the calls that a cause shares with the error above', () => {
    const shared = ['serve', 'handle'].map((functionName) => makeFrame({ functionName, file: functionName }))
    const outer = makeError({ className: 'Outer', frames: [makeFrame({ line: 1 }), ...shared] })
    const cause = makeError({ frames: [makeFrame({ line: 2 }), ...shared] })
    assert.ok(pageText(traceList(makeChain(outer, cause))).includes('2 frames shared with [2/2] Outer'))
  })
  it('writes no figures where a call has no line', () => {
    const frames = [makeFrame({ origin: 'node', file: '<anonymous>', functionName: 'JSON.parse', line: 0, column: 0 })]
    assert.match(pageText(traceList(makeChain(makeError({ frames })))), /JSON\.parse <anonymous> ?node$/)
  })
  it('says when foreign code is of no package', () => {
    const frames = [makeFrame({ origin: 'dependency', file: '…/tool/run.ts' }), node, makeFrame()]
    assert.ok(pageText(traceList(makeChain(makeError({ frames })))).includes('2 frames in foreign code, node'))
  })
  it('tells async calls, and calls without a name', () => {
    const frames = [makeFrame({ isAsync: true, functionName: 'load' }), makeFrame({ functionName: null })]
    const text = pageText(traceList(makeChain(makeError({ frames }))))
    assert.ok(text.includes('async load'))
    assert.ok(text.includes('(anonymous)'))
  })
  it('expands the members of an AggregateError with their own causes', () => {
    const member = makeChain(makeError({ className: 'Member' }), makeError({ className: 'Root' }))
    const chain = makeChain(makeError({ className: 'AggregateError', members: [member, makeChain(makeError())] }))
    const markup = String(traceList(chain))
    assert.match(pageText(markup), /2 errors in this AggregateError.*\[2\/2\] Member.*\[1\/2\] Root/)
    assert.ok(markup.includes('id="error-1-1-2"'))
    assert.equal(countErrors(chain), 4)
  })
  it('says where a chain was cut', () => {
    assert.ok(
      pageText(traceList({ errors: [makeError()], cut: 'cause is a cycle' })).includes('Cut here: cause is a cycle.'),
    )
  })
  it('says so when there is no error, no call or no message', () => {
    assert.equal(pageText(traceList(makeChain())), 'No error was recorded.')
    const text = pageText(traceList(makeChain(makeError({ message: '' }))))
    assert.ok(text.includes('This error has no message.'))
    assert.ok(text.includes('No stack trace.'))
  })
  it('says what was thrown when it was not an Error', () => {
    const thrown = makeError({ className: 'string', message: "'timeout'", isError: false })
    assert.match(
      pageText(traceList(makeChain(thrown))),
      /\[1\/1\] string 'timeout' Not an Error object, so no stack trace\.$/,
    )
    const caught = makeError({ isError: false, frames: [makeFrame()] })
    assert.match(pageText(traceList(makeChain(caught))), /where it was caught/)
  })
  it('shows the code beside the class', () => {
    assert.ok(
      pageText(traceList(makeChain(makeError({ code: 'ECONNREFUSED' })))).includes('[1/1] TypeError ECONNREFUSED'),
    )
  })
  it('links to an editor for own code only', () => {
    const editor = (file: string, line: number, column: number): string => `vscode://file/p/${file}:${line}:${column}`
    const excerpt = makeExcerpt(5, 15)
    const frames = [makeFrame({ file: 'a"b.ts', excerpt }), makeFrame({ origin: 'dependency', excerpt })]
    const links = String(traceList(makeChain(makeError({ frames })), { editor })).match(/href="[^"]*"/g)
    assert.deepEqual(links, ['href="vscode://file/p/a&quot;b.ts:12:5"'])
  })
  it('nests no deeper than it can show', () => {
    let chain = makeChain(makeError())
    for (let depth = 0; depth < 50; depth++) chain = makeChain(makeError({ members: [chain] }))
    assert.ok(pageText(traceList(chain)).includes('nested too deeply'))
  })
})
