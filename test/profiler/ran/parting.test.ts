// Where two requests part: programs that run twice, once for each side.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { toSections } from '../../../src/observe/blocks/sections.ts'
import { partingBlocks, partingOf } from '../../../src/ran/parting.ts'
import type { RanCall, RanCode } from '../../../src/observe/ran-code.ts'
import { profileOf, startWorking } from '../../support/captured.ts'
import { pageText } from '../../support/page-text.ts'
import { until } from '../../support/until.ts'
import * as programs from './parted.ts'
import { forAll } from '../../support/for-all.ts'

const sides: Readonly<Record<'A' | 'B', programs.Visit>> = {
  A: { side: 'A', user: { vip: true, name: 'x' }, prices: [1, 5, 0, 3] },
  B: { side: 'B', user: { name: 'y' }, prices: ['one', 5, 7, 3] },
}

const all: Readonly<Record<keyof typeof programs, (visit: programs.Visit) => unknown>> = programs

/** Of each program what is said first, and then. */
const expected: Readonly<Record<keyof typeof programs, readonly [head: RegExp, facts: RegExp]>> = {
  branch: [
    /parted\.ts:13 sum \*= 0\.9 ran only in the second\. vip was undefined in the first and true in the second\.$/,
    /^Both ran before that: \S+:12 if \(vip\)\nvip first differed here: \S+:10 const vip = user\.vip\nuser was/,
  ],
  loop: [
    /parted\.ts:23 continue ran only in the second\. isFree was false in the first and true in the second\.$/,
    /^Both ran before that, pass 3: \S+:22 if \(isFree\)\nisFree first [^\n]+\nprice was 7 in the first and 0 in the second\./,
  ],
  failing: [
    /parted\.ts:33 return prices\.length ran only in the first\. rate was "2" in the first and "x" in the second\.$/,
    /^Both ran before that: \S+:32 check\(rate\)\nrate first differed here: \S+:31/,
  ],
  value: [
    /^Both ran the same lines\. price was NaN in the first and 1 in the second\.$/,
    /^price first differed here: \S+:42 const price/,
  ],
  called: [
    /:52 function ten\(\): number was called only in the second\. \S+:56 function two\(\): number was called only in the first\. pick was/,
    /:49/,
  ],
  passedOn: [
    /:71 return 'all' ran only in the second\. \S+:73 return String\(count\) ran only in the first\. count was 3 in the first and undefined in the second\.$/,
    /count first differed here: \S+:61 const limit = [^\n]+\nside was/,
  ],
  alike: [
    /^Both ran the same lines\. Of the values that are kept, only ids, times and the like differ, if any\.$/,
    /^$/,
  ],
  // Noting ends sooner on a machine that is slow.
  long: [/^The same lines, as far as they were noted\. From here on, not all of them were: \S+:8[45] /, /^$/],
}

/** Without the application around it, of which V8 now and then passes a call by. */
function alone({ calls, ...code }: RanCode): RanCode {
  const own = calls.filter(({ function: index }) => /parted\.ts/.test(code.functions[index]?.file ?? ''))
  const parentOf = ({ parent }: RanCall): number => own.findIndex((call) => call === calls[parent])
  return { ...code, calls: own.map((call) => Object.assign({}, call, { parent: parentOf(call) })) }
}

function said(a: RanCode | undefined, b: RanCode | undefined): readonly [head: string, facts: string] {
  const [section] = toSections(partingBlocks(partingOf(a, b)), (text) => text)
  return [section?.text ?? '', (section?.items ?? []).map((item) => item.slice(2)).join('\n')]
}

describe('partingOf', async () => {
  let run = (): unknown => undefined
  const app = await forAll(startWorking(() => run()))

  async function trace(name: keyof typeof programs, side: 'A' | 'B'): Promise<{ token: string; code: RanCode }> {
    run = all[name].bind(null, sides[side])
    const asking = { 'x-fanlight-profile': 'code' }
    // The first one makes the functions known.
    await profileOf(app, asking)
    const { token, data } = await profileOf(app, asking)
    return { token, code: alone(data['code'] as RanCode) }
  }

  const known = new Map<string, ReturnType<typeof trace>>()
  const traced: typeof trace = (name, side) => {
    const found = known.get(name + side) ?? trace(name, side)
    known.set(name + side, found)
    return found
  }

  for (const [name, [head, facts]] of Object.entries(expected) as [
    keyof typeof programs,
    readonly [RegExp, RegExp],
  ][]) {
    it(`says it of ${name}, and the other way round`, async () => {
      const [a, b] = [await traced(name, 'A'), await traced(name, 'B')]
      const [first, rest] = said(a.code, b.code)
      assert.match(first, head)
      assert.match(rest, facts)
      const [other] = said(b.code, a.code)
      for (const place of first.match(/\S+\.ts:\d+/g) ?? []) assert.ok(other.includes(place), other)
    })
  }

  it('says what is missing, and that code was changed', async () => {
    const { code: a } = await traced('branch', 'A')
    const { code: b } = await traced('branch', 'B')
    assert.deepEqual(said(undefined, undefined), ['', ''])
    assert.match(said(a, undefined)[0], /^Not known: the code of the first was not recorded/)
    assert.match(said({ ...a, state: 'functions' }, b)[0], /^Not known: the code of the second/)
    const functions = b.functions.map((one) =>
      one.name === 'branch' ? { ...one, source: one.source.map((line) => line.replace('0.9', '0.8')) } : one,
    )
    assert.match(
      said(a, { ...b, functions })[0],
      /^Not known: this function was changed between them\. \S+parted\.ts:9/,
    )
    // Nothing is said to be missing where not all was kept.
    const cut = {
      ...b,
      calls: b.calls.map((call) => Object.assign({}, call, { cutAt: 2, path: call.path.slice(0, 2) })),
    }
    assert.doesNotMatch(said(a, cut)[0], /only in|Both ran/)
  })

  it('heads the comparison as a page and as Markdown', async () => {
    let target = ''
    let body = ''
    // Until no call of the application around it was passed by.
    await until(async () => {
      const [a, b] = [await trace('branch', 'A'), await trace('branch', 'B')]
      target = `/_profiler/compare?a=${a.token}&b=${b.token}`
      body = (await app.send({ target })).body
      return /Where they part\s*\S+parted\.ts/.test(pageText(body))
    })
    assert.match(
      pageText(body),
      /Where they part\s*\S+:13 sum \*= 0\.9 ran only in the second\. vip was undefined in the first and true in the second\./,
    )
    const { body: markdown } = await app.send({ target: target.replace('compare?', 'compare.md?') })
    assert.match(
      markdown,
      /## Where they part\n\n`\S+:13` `sum \*= 0\.9` ran only in the second\. `vip` was `undefined` in the first and `true` in the second\.\n\n- Both/,
    )
    const { body: json } = await app.send({ target: target.replace('compare?', 'compare.json?') })
    assert.equal((JSON.parse(json) as { readonly parting: { readonly state: string } }).parting.state, 'parted')
  })
})
