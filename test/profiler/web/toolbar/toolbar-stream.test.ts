import assert from 'node:assert/strict'
import { fc } from '../../../support/fast-check.ts'
import { Readable } from 'node:stream'
import { describe, it } from 'node:test'
import { declaresPolicy, pageEnd, ToolbarStream } from '../../../../src/profiler/web/toolbar/page-end.ts'

const toolbar = '[toolbar]'
const withToolbar = (page: string): string => page.slice(0, pageEnd(page)) + toolbar + page.slice(pageEnd(page))

async function streamed(chunks: readonly (string | Uint8Array)[]): Promise<string> {
  const stream = Readable.from(chunks).pipe(new ToolbarStream(() => toolbar))
  return Buffer.concat(await stream.toArray()).toString('latin1')
}

describe('pageEnd', () => {
  const cases: readonly (readonly [what: string, page: string])[] = [
    ['before the closing tag', '<p>a</p>|</body></html>'],
    ['in any letter case and spacing', '<p>|</BODY >\n</HTML\n> '],
    ['before comments after it', 'a|</body><!-- x --></html><!-- made in 5 ms -->\n'],
    ['before a comment that does not end', 'a|</body><!-- x'],
    ['before the first of two', 'a|</body></body></html>'],
    ['at the end of a page without one', '<p>a</p>|'],
    ['at the end of a page that goes on after it', 'a</body><p>more</p>|'],
    ['not in a script', 'a<script>"</body></html>"</script>|'],
    ['not in a script after the body', 'a</body><script>"</body>"</script></html>|'],
    ['not in a comment', 'a<!-- </body></html> -->|'],
    ['at the end of an empty page', '|'],
    ['after what only looks like one', 'a</bodyguard>|'],
    ['after a broken one', 'a</bod|'],
  ]
  for (const [what, marked] of cases) {
    it(`is ${what}`, () => assert.equal(pageEnd(marked.replace('|', '')), marked.indexOf('|')))
  }

  it('stays quick on a page made of endings that are none', () => {
    const page = '</body><!-- '.repeat(100_000) + '-->x'
    assert.equal(pageEnd(page), page.length)
  })
})

describe('declaresPolicy', () => {
  it('sees a policy in the page, however it is written', () => {
    assert.ok(declaresPolicy(`<meta http-equiv="Content-Security-Policy" content="script-src 'none'">`))
    assert.ok(declaresPolicy(`<META content="x"\n HTTP-EQUIV = content-security-policy>`))
    assert.ok(!declaresPolicy('<meta http-equiv="refresh" content="5"><p>Content-Security-Policy</p>'))
  })
})

describe('ToolbarStream', () => {
  const pages = [
    '<!doctype html><html><body><p>naïve – ✓ 😀</p></body></html>\n',
    'a<script>"</body></html>"</script></BODY ><!-- é --></html>',
    'no ending at all </bod',
    '</body',
    '',
  ]
  for (const page of pages) {
    it(`puts the toolbar where it belongs, wherever the page is cut: ${JSON.stringify(page.slice(0, 30))}`, async () => {
      const bytes = Buffer.from(page)
      const expected = withToolbar(bytes.toString('latin1'))
      for (let cut = 0; cut <= bytes.length; cut++) {
        assert.equal(
          await streamed([bytes.subarray(0, cut), bytes.subarray(cut)].filter(({ length }) => length > 0)),
          expected,
        )
      }
      assert.equal(await streamed([...bytes].map((byte) => Uint8Array.of(byte))), expected)
    })
  }

  it('gives the same as for a whole page, for any page in any pieces', async () => {
    const piece = fc.constantFrom(
      '</body>',
      '</BODY\n>',
      '</body',
      '</html>',
      '<',
      '</',
      '<!--',
      '-->',
      ' ',
      'x',
      'é',
      '"',
      '<script>',
    )
    await fc.assert(
      fc.asyncProperty(
        fc.array(piece, { maxLength: 12 }),
        fc.array(fc.nat(60), { maxLength: 6 }),
        async (pieces, cuts) => {
          const bytes = Buffer.from(pieces.join(''))
          const places = [0, ...cuts.map((cut) => Math.min(cut, bytes.length)).sort((a, b) => a - b), bytes.length]
          const chunks = places.slice(1).map((place, index) => bytes.subarray(places[index], place))
          assert.equal(await streamed(chunks.filter(({ length }) => length > 0)), withToolbar(bytes.toString('latin1')))
        },
      ),
      { numRuns: 200 },
    )
  })

  it('passes a page on while it is made, and holds back 8 KB at most', () => {
    const stream = new ToolbarStream(() => toolbar)
    const read = (): string => String(stream.read() ?? '')
    stream.write('<p>first</p></bo')
    assert.equal(read(), '<p>first</p>')
    stream.write('dy>')
    stream.write('<!-- ')
    assert.equal(read(), '')
    stream.write(' '.repeat(9000))
    assert.equal(read().length, '</body><!-- '.length + 9000)
  })

  it('makes the source wait for a slow reader', async () => {
    let given = 0
    const source = new Readable({
      read() {
        given += 1
        this.push(given > 1000 ? null : Buffer.alloc(1024, 'x'))
      },
    })
    const stream = source.pipe(new ToolbarStream(() => toolbar))
    await new Promise((resolve) => stream.once('readable', resolve))
    await new Promise((resolve) => setImmediate(resolve))
    assert.ok(given < 100, `${given} chunks were taken of which nobody read one`)
    stream.resume()
    await new Promise((resolve) => stream.once('end', resolve))
    assert.equal(given, 1001)
  })

  it('leaves a page with a policy of its own as it is', async () => {
    const page = `<head><meta http-equiv="Content-Security-Policy" content="default-src 'none'"></head><body></body>`
    assert.equal(await streamed([page.slice(0, 20), page.slice(20)]), page)
  })
})
