// The panels of time and of CPU profiles: with data, empty, cut, of an earlier version, and with hostile text. Real data is in
// test/profiler/measuring and test/browser.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { CpuData } from '../../../src/observe/collectors/functions.ts'
import type { LoopHindrance, TimeData } from '../../../src/observe/collectors/time.ts'
import type { Span } from '../../../src/base/timing/stopwatch.ts'
import type { PanelView } from '../../../src/pages/panel.ts'
import { panelContent } from '../../../src/pages/panel-content.ts'
import { cpuPanel, memoryPanel } from '../../../src/analysis/pages/panels.ts'
import { layOutFlame } from '../../../src/pages/panels/flame-graph.ts'
import { functionTimes } from '../../../src/profiles/measured-parts.ts'
import { saidParts } from '../../../src/analysis/parts.ts'
import { timePanel } from '../../../src/pages/panels/time.ts'
import { hostileText } from '../../support/hostile-profile.ts'
import { makeProfile } from '../../support/profiles.ts'
import { pageText } from '../../support/running-app.ts'

const view: PanelView = {
  profile: makeProfile({}),
  linkTo: (token, panel) => `/_profiler/${token}?panel=${panel ?? ''}`,
}
const textOf = (markup: unknown): string => pageText(String(markup)).replace(/\s+/g, ' ')

function span(parts: Partial<Span> & Pick<Span, 'id' | 'startMs'>): Span {
  return {
    parentId: null,
    name: `span ${parts.id}`,
    kind: 'internal',
    category: 'store',
    durationMs: 10,
    status: 'ok',
    attributes: {},
    ...parts,
  }
}

const other: LoopHindrance = { token: 'abcdefghij', method: 'GET', path: '/report', fromMs: 20, durationMs: 50 }

const measured: TimeData = {
  durationMs: 100,
  spans: [span({ id: 1, startMs: 0 })],
  droppedSpans: 0,
  subRequests: [],
  ownCpuMs: 30,
  loopWaitMs: 50,
  ioWaitMs: 20,
  heldBackMs: 0,
  longestStretchMs: 30,
  stretchCount: 1,
  stretches: [0, 20, 70, 80],
  blockedBy: [other],
  blocked: [],
  blockedOthersMs: 0,
  droppedHindrances: 0,
  memory: { heapBefore: 1024 * 1024, heapAfter: 3 * 1024 * 1024, heapLimit: 1024 ** 3, resident: 50 * 1024 * 1024 },
  garbagePauses: [{ kind: 'minor', startMs: 5, durationMs: 2 }],
  profilerMs: 0.05,
}

describe('timePanel', () => {
  it('divides the time, and says what of it is measured', () => {
    const text = textOf(timePanel.render(measured, view))
    assert.match(text, /^ ?100 ms ?own code 30.0 ms ?waiting for the event loop ≤ 50.0 ms ?waiting for I\/O 20.0 ms/)
    assert.match(text, /Own code ?0.00 ms ?30.0 ms/)
  })

  it('names no request where only untracked work was in the way', () => {
    const untracked = { ...other, token: null, method: null, path: null }
    const text = textOf(timePanel.render({ ...measured, blockedBy: [untracked] }, view))
    assert.match(
      text,
      /Blocked for 50.0 ms: this request was ready, but the event loop was running other code. ?Timeline/,
    )
    const both = textOf(timePanel.render({ ...measured, blockedBy: [untracked, other] }, view))
    assert.match(both, /50.0 ms of this request’s time: untracked work/)
  })

  it('tells the first use of the error page as what it is, and not as something that was in the way', () => {
    const load = span({
      id: 2,
      startMs: 25,
      durationMs: 70,
      category: 'loading',
      name: 'first use of the error handler',
    })
    const first: TimeData = { ...measured, spans: [...measured.spans, load], blockedBy: [], profilerMs: 70 }
    const text = textOf(timePanel.render(first, view))
    assert.match(text, /Waited 70.0 ms for the first error page: Fanlight loaded the code that renders error pages/)
    assert.match(text, /^ ?100 ms .* profiler 70.0 ms, not in the total/)
    assert.match(text, /0 – 170 ms/)
  })

  it('leads to the request that was in the way, from the sentence and from the time line', () => {
    const markup = String(timePanel.render(measured, view))
    assert.match(textOf(markup), /Blocked for 50.0 ms.*50.0 ms of this request’s time: GET \/report abcdefghij/)
    assert.equal(markup.split('href="/_profiler/abcdefghij?panel=time"').length - 1, 2)
    assert.deepEqual(timePanel.badge?.({ ...measured, blocked: [other] }), {
      count: 1,
      tone: 'warning',
      hint: 'blocked loop: 1 other request',
    })
  })

  it('tells what came before the request from what came during it', () => {
    const before = { ...other, fromMs: -60, durationMs: 60 }
    const text = textOf(timePanel.render({ ...measured, heldBackMs: 60, blockedBy: [before] }, view))
    assert.match(text, /Delayed up to 60.0 ms before start/)
    assert.doesNotMatch(text, /Blocked for/)
  })

  it('names those that this request held up once each, and work outside all requests', () => {
    const unknown = { token: null, method: null, path: null, fromMs: 0, durationMs: 7 }
    const text = textOf(timePanel.render({ ...measured, blockedBy: [unknown, other], blocked: [other, other] }, view))
    assert.match(text, /7.00 ms of this request’s time: untracked work/)
    assert.match(text, /Held up 1 other request, 100 ms total.*100 ms of waiting in 2 stretches: GET \/report/)
  })

  it('tells Markdown and agents what was in the way, too', () => {
    const sequentialWaits = [{ first: 'src/a.ts:1', second: 'src/a.ts:2', count: 2, savedMs: 30 }]
    const profile = makeProfile({ data: { time: { ...measured, sequentialWaits } } })
    const [, delays] = saidParts(profile, 'time', (text) => `<${text}>`) ?? []
    assert.match(delays?.text ?? '', /^<Blocked for 50.0 ms:> .* <Up to 30.0 ms less with Promise\.all\(\):>/)
    assert.deepEqual(delays?.items, [
      '- 50.0 ms of this request’s time: <GET /report> <abcdefghij>',
      '- <src/a.ts:1> then <src/a.ts:2> up to 30.0 ms, 2 times',
    ])
  })

  it('shows memory and pauses', () => {
    const profile = makeProfile({ data: { time: measured } })
    const text = textOf(memoryPanel.render(undefined, { ...view, profile }))
    assert.match(text, /Heap after 3.0 MB \(\+2.0 MB\)/)
    assert.match(text, /1 pause \(minor\), 2.00 ms total/)
  })

  it('indents what ran inside, marks what ran side by side, and leads to sub-requests', () => {
    const spans = [
      span({ id: 1, startMs: 0, durationMs: 60, category: 'controller', name: 'list' }),
      span({ id: 2, startMs: 5, parentId: 1 }),
      span({ id: 3, startMs: 6, parentId: 1 }),
      span({ id: 4, startMs: 40, parentId: 1 }),
      span({ id: 5, startMs: 70, category: 'sub-request', name: 'error handler' }),
    ]
    const subRequests = [{ token: 'klmnopqrst', handler: 'error handler', status: 500, startMs: 70, durationMs: 10 }]
    const markup = String(timePanel.render({ ...measured, spans, subRequests }, view))
    assert.equal(markup.split('parallel with 1<').length - 1, 2)
    assert.equal(markup.split('class="depth-1"').length - 1, 3)
    assert.match(markup, /<a href="\/_profiler\/klmnopqrst\?panel=time">error handler<\/a>/)
  })

  it('gives spans that repeat each other one row, with a bar for each', () => {
    const statement = (id: number, parts: Partial<Span> = {}): Span =>
      span({
        id,
        startMs: id * 2,
        durationMs: 1,
        parentId: 1,
        name: 'SELECT sqlite',
        attributes: { 'db.query.text': 'SELECT * FROM lines WHERE order_id = ?' },
        ...parts,
      })
    const handler = span({ id: 1, startMs: 0, durationMs: 60, category: 'controller', name: 'list' })
    const rowsOf = (spans: readonly Span[]): readonly string[] => {
      const markup = String(
        timePanel.render({ ...measured, stretches: [], blockedBy: [], garbagePauses: [], spans }, view),
      )
      return [...markup.matchAll(/<tr[^>]*data-from=[\s\S]*?<\/tr>/g)].map(([row]) => row)
    }
    const alike = [2, 3, 4, 5, 6].map((id) => statement(id))
    const [, repeats = '', ...none] = rowsOf([handler, ...alike])
    assert.deepEqual(none, [])
    assert.match(textOf(repeats), /5 × SELECT sqlite ?SELECT \* FROM lines WHERE order_id = \? 4\.00 ms 5\.00 ms total/)
    assert.equal(repeats.split('data-from=').length - 1, 6, 'of the row and of five bars')
    assert.match(repeats, /data-from="4\.000"\s+data-for="9\.000"/)

    assert.equal(rowsOf([handler, ...alike.slice(0, 3)]).length, 4, 'three do not share a row')
    const failed = alike.with(2, statement(4, { status: 'error' }))
    assert.equal(rowsOf([handler, ...failed]).length, 6, 'one that failed has its own row')
    const others = alike.with(2, statement(4, { attributes: { 'db.query.text': 'SELECT 1' } }))
    assert.equal(rowsOf([handler, ...others]).length, 6)
    const inside = span({ id: 9, startMs: 6.2, durationMs: 0.1, parentId: 3 })
    assert.equal(rowsOf([handler, ...alike, inside]).length, 7, 'one with something inside has its own row')
    const together = [2, 3, 4, 5, 6].map((id) => statement(id, { durationMs: 5 }))
    assert.equal(rowsOf([handler, ...together]).length, 6, 'side by side is worth a row')
  })

  it('tells what was logged between what was done: problems as rows, other lines as ticks', () => {
    const line = (timeMs: number, level: string, message: string, context = {}): unknown => ({
      level,
      channel: 'app',
      message,
      context,
      timeMs,
    })
    const records = [
      line(5, 'info', 'Loading'),
      line(15, 'warn', 'Slow {what}', { what: '<b>service' }),
      line(40, 'error', 'Uncaught {error_class}.', { error_class: 'TypeError' }),
    ]
    const profile = makeProfile({ errorClass: 'TypeError', data: { logger: { records, dropped: 0 } } })
    const spans = [10, 20, 30].map((startMs, index) =>
      span({ id: index + 1, startMs, category: index === 2 ? 'http' : 'store' }),
    )
    const markup = String(timePanel.render({ ...measured, spans }, { ...view, profile }))
    const text = textOf(markup)
    assert.match(
      text,
      /span 1 .*warn Slow <b>service ?15\.0 ms .*span 2 .*span 3 .*error Uncaught TypeError\. ?40\.0 ms/,
    )
    assert.match(text, /Other log lines ?5\.00 ms ?1 line/)
    assert.match(markup, new RegExp(`panel=exception">Uncaught`))
    assert.match(text, /All queries 2 outgoing requests 1 log 2/)
    assert.match(text, /0 ms ?20 ms ?40 ms ?60 ms ?80 ms ?100 ms/)
  })

  it('names the step that ran longest, without those inside it, and none of this library', () => {
    const saidOf = (spans: readonly Span[]): string =>
      /Most time: (.*?) How this/.exec(textOf(String(timePanel.render({ ...measured, spans }, view))))?.[1] ?? ''
    const handler = span({ id: 1, startMs: 0, category: 'controller', durationMs: 90 })
    const query = { parentId: 1, name: 'SELECT' }
    const queries = [10, 40].map((startMs, index) => span({ ...query, id: 2 + index, startMs, durationMs: 30 }))
    const own = ['kernel', 'loading', 'sub-request'].map((category, index) =>
      span({ id: 5 + index, startMs: 0, category, durationMs: 99 }),
    )
    assert.equal(saidOf([handler, ...queries, ...own]), '2 × SELECT, 60.0 ms of 100 ms')
    assert.equal(saidOf([handler, ...queries.slice(1)]), 'span 1 without the steps inside it, 60.0 ms of 100 ms')
    assert.equal(saidOf([span({ id: 9, startMs: 0, durationMs: 400 })]), '')
  })

  it('shows the kind of rows that the address asks for', () => {
    const spans = [span({ id: 1, startMs: 0 }), span({ id: 2, startMs: 20, category: 'http' })]
    const checked = (kind: string): readonly string[] =>
      [
        ...String(timePanel.render({ ...measured, spans }, { ...view, values: new Map([['kind', kind]]) })).matchAll(
          /value="([\w-]*)" checked/g,
        ),
      ].map(([, value = '']) => value)
    assert.deepEqual(checked('store'), ['store'])
    assert.deepEqual(checked('nothing'), [''])
  })

  it('says so when nothing was measured, or no span', () => {
    assert.match(textOf(timePanel.render(undefined, view)), /No timing was recorded/)
    assert.match(textOf(timePanel.render({ ...measured, spans: [] }, view)), /No spans were recorded/)
  })

  it('says what was cut', () => {
    const text = textOf(timePanel.render({ ...measured, droppedSpans: 411, droppedHindrances: 3 }, view))
    assert.match(text, /1 of 412 spans recorded/)
    assert.match(text, /3 more were not recorded/)
  })

  it('draws profiles of an earlier version', () => {
    const { durationMs, spans, droppedSpans, subRequests } = measured
    const text = textOf(timePanel.render({ durationMs, spans, droppedSpans, subRequests }, view))
    assert.match(text, /^ ?100 ms/)
    assert.match(text, /The shares of this time were not measured/)
  })

  it('leads from a sub-request to its parent', () => {
    const { durationMs, spans, droppedSpans, subRequests } = measured
    const child: PanelView = { ...view, profile: makeProfile({ parentToken: 'abcdefghij' }) }
    assert.match(
      textOf(timePanel.render({ durationMs, spans, droppedSpans, subRequests }, child)),
      /counts toward its parent/,
    )
  })

  it('shows the note where its collector failed', () => {
    const notes = [{ source: 'collector time', message: 'failed: RangeError: too much' }]
    const profile = makeProfile({ data: { notes } })
    assert.match(textOf(panelContent(timePanel, { ...view, profile })), /RangeError: too much/)
  })
})

const cpu: CpuData = {
  ownMs: 40,
  othersMs: 0,
  samples: 40,
  functions: [
    { name: 'emit', file: 'node:events', line: 1, column: 1, origin: 'node' },
    { name: 'list', file: 'src/shop.ts', line: 12, column: 3, origin: 'own' },
    { name: 'parse', file: 'node_modules/csv/index.js', line: 4, column: 1, origin: 'dependency' },
    { name: '(garbage collector)', file: '', line: 0, column: 0, origin: 'node' },
  ],
  calls: [
    { parent: -1, of: 0, selfMs: 0, totalMs: 35 },
    { parent: 0, of: 1, selfMs: 10, totalMs: 35 },
    { parent: 1, of: 2, selfMs: 5, totalMs: 25 },
    { parent: 2, of: 2, selfMs: 20, totalMs: 20 },
    { parent: -1, of: 3, selfMs: 5, totalMs: 5 },
  ],
  droppedCalls: 0,
  startTookMs: 22,
  stopTookMs: 3,
}

describe('cpuPanel', () => {
  it('draws calls and a table that says the same, with links to own code', () => {
    const editor = (file: string, line: number): string => `vscode://file/${file}:${line}`
    const markup = String(cpuPanel.render(cpu, { ...view, editor }))
    assert.match(markup, /<svg[^>]*class="flame-call own"[^>]*x="0.000%"[^>]*width="87.500%"/)
    assert.match(markup, /href="vscode:\/\/file\/src\/shop.ts:12"/)
    assert.ok(!markup.includes('vscode://file/node_modules'))
    const text = textOf(markup)
    assert.match(text, /parse node_modules\/csv\/index.js:4 25.0 ms 63 % 25.0 ms dependency/)
    assert.match(text, /1 frame of Node and Fanlight around your code/)
    assert.ok(!markup.includes('style='))
  })

  it('lists functions that used time or are own code, and counts those that only called others', () => {
    const text = textOf(cpuPanel.render(cpu, view))
    assert.doesNotMatch(text, /emit node:events/)
    assert.match(text, /1 function of Node and dependencies without self time not shown/)
    const owned = { ...cpu, calls: cpu.calls.map((call) => (call.of === 1 ? { ...call, selfMs: 0 } : call)) }
    assert.match(textOf(cpuPanel.render(owned, view)), /list src\/shop\.ts:12 – 35\.0 ms your code/)
  })

  it('says when others ran meanwhile, and when samples are few', () => {
    const text = textOf(cpuPanel.render({ ...cpu, othersMs: 12, samples: 4 }, view))
    assert.match(text, /12.0 ms of other requests excluded/)
    assert.match(text, /So few samples/)
  })

  it('says how to ask where no profile was taken', () => {
    const text = textOf(cpuPanel.render(undefined, view))
    assert.match(text, /No CPU profile yet/)
    assert.match(text, /x-fanlight-profile: cpu/)
  })

  it('offers to send again only what a page may send: no other method, nothing masked', () => {
    const offer = (parts: Parameters<typeof makeProfile>[0]): boolean =>
      String(cpuPanel.render(undefined, { ...view, profile: makeProfile(parts) })).includes('data-run-again')
    assert.equal(offer({}), true)
    assert.equal(offer({ method: 'POST' }), false)
    assert.equal(offer({ url: 'http://127.0.0.1:8000/?token=******' }), false)
    assert.equal(offer({ parentToken: 'abcdefghij' }), false)
  })

  it('says so when the request was too quick, and when calls were cut', () => {
    assert.match(textOf(cpuPanel.render({ ...cpu, samples: 0, calls: [] }, view)), /too fast/)
    assert.match(textOf(cpuPanel.render({ ...cpu, droppedCalls: 7 }, view)), /7 frames too short or too deep/)
  })

  it('stays a page with thousands of calls, deep ones, and calls that name callers that are not there', () => {
    const calls = Array.from({ length: 5000 }, (_, index) => ({
      parent: index - 1,
      of: 1,
      selfMs: 0.01,
      totalMs: 50 - index / 100,
    }))
    const strange = [
      { parent: 99_999, of: 1, selfMs: 1, totalMs: 1 },
      { parent: 1, of: 77, selfMs: 1, totalMs: 1 },
    ]
    const markup = String(cpuPanel.render({ ...cpu, calls: [...calls, ...strange] }, view))
    assert.ok(markup.length < 500_000)
    const { boxes, rows } = layOutFlame({ ...cpu, calls: [...calls, ...strange] })
    assert.ok(rows <= 60 && boxes.length <= 700)
  })

  it('counts a function that calls itself once', () => {
    const parse = functionTimes(cpu).find(({ called }) => called.name === 'parse')
    assert.deepEqual([parse?.selfMs, parse?.totalMs], [25, 25])
  })

  it('has own code first, then what took longest itself', () => {
    assert.deepEqual(
      functionTimes(cpu).map(({ called }) => called.name),
      ['list', 'parse', '(garbage collector)', 'emit'],
    )
  })

  it('escapes names', () => {
    const [called] = cpu.functions.map((one) => ({ ...one, name: hostileText, file: hostileText }))
    assert.ok(called !== undefined)
    const markup = String(cpuPanel.render({ ...cpu, functions: cpu.functions.map(() => called) }, view))
    assert.ok(!/<(img|script)/.test(markup))
  })
})
