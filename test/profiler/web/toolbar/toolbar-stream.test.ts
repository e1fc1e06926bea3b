import assert from 'node:assert/strict'
import { fc } from '../../../support/fast-check.ts'
import { Readable } from 'node:stream'
import { describe, it } from 'node:test'
import { declaresPolicy, pageEnd, ToolbarStream, pageStart } from '../../../../src/pages/toolbar/page-edges.ts'

const toolbar = '[toolbar]'
const parts = { start: '[script]', render: () => toolbar }

function withToolbar(page: string): string {
  const [{ place, isDocument }, end] = [pageStart(page), pageEnd(page)]
  return isDocument ? `${page.slice(0, place)}[script]${page.slice(place, end)}${toolbar}${page.slice(end)}` : page
}

async function streamed(chunks: readonly (string | Uint8Array)[]): Promise<string> {
  const stream = Readable.from(chunks).pipe(new ToolbarStream(parts))
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

describe('pageStart', () => {
  const cases: readonly (readonly [what: string, page: string])[] = [
    ['in the head', '<!doctype html>\n<html lang="en"><head>|<title>x</title>'],
    ['behind what says the charset', '<!DOCTYPE html><head data-a="b>c">\n<meta charset="utf-8">\n|<title>x</title>'],
    ['before the first element of a page without a head', '<!doctype html>|<title>x</title>'],
    ['before the body', '<html>|<body class="a">'],
    ['behind comments and a declaration of XML', '<?xml version="1.0"?><!-- <head> --><!doctype html>|<p>'],
    ['behind a mark of the byte order', '\u00ef\u00bb\u00bf<!doctype html>|<p>'],
    ['before what only looks like a head', '<!doctype html>|<header>'],
    ['not in a tag that does not end', '<!doctype html>|<head data-a="b>c'],
  ]
  for (const [what, marked] of cases) {
    it(`is ${what}`, () => {
      const { place, isDocument } = pageStart(marked.replace('|', ''))
      assert.deepEqual([place, isDocument], [marked.indexOf('|'), true])
    })
  }

  it('is not put into text that does not begin as a document', () => {
    for (const page of ['', 'text', '<h1>x</h1>', '<body>x', '<!-- a --> <p>', '<!-- <html> --><p>']) {
      assert.equal(pageStart(page).isDocument, false, page)
    }
  })

  it('waits for more of a page only where that can change the place', () => {
    for (const open of [
      '',
      '<',
      '<!',
      '<!doc',
      '<!doctype html',
      '<!-- a',
      '<html',
      '<html lang="',
      '<head>\n',
      '<meta charset',
    ]) {
      assert.equal(pageStart(open).isSettled, false, open)
    }
    for (const closed of ['<h1>', '<p>', 'x', '<headline>', `<!-- ${'x'.repeat(9000)}`]) {
      assert.equal(pageStart(`<!doctype html>${closed}`).isSettled, true, closed)
    }
  })

  it('stays quick on a page made of comments', () => {
    const page = `<html>${'<!-- -->'.repeat(100_000)}<!-- <html a="`
    assert.equal(pageStart(page).place, 800_006)
  })
})

it('declaresPolicy: sees a policy in the page, however it is written', () => {
  assert.ok(declaresPolicy(`<meta http-equiv="Content-Security-Policy" content="script-src 'none'">`))
  assert.ok(declaresPolicy(`<META content="x"\n HTTP-EQUIV = content-security-policy>`))
  assert.ok(!declaresPolicy('<meta http-equiv="refresh" content="5"><p>Content-Security-Policy</p>'))
})

describe('ToolbarStream', () => {
  const pages = [
    '<!doctype html><html><body><p>naïve – ✓ 😀</p></body></html>\n',
    '<!-- a --><!doctype html>\n<html lang="en"><head>\n<meta charset="utf-8"><title>x</title></head></body></html>',
    '<html>a<script>"</body></html>"</script></BODY ><!-- é --></html>',
    '<!doctype html>no ending at all </bod',
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
      '<!doctype html>',
      '<head>',
      '<meta a="',
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
    const stream = new ToolbarStream(parts)
    const read = (): string => String(stream.read() ?? '')
    stream.write('<!doctype html><he')
    assert.equal(read(), '<!doctype html>')
    stream.write('ader>first</header></bo')
    assert.equal(read(), '[script]<header>first</header>')
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
    const stream = source.pipe(new ToolbarStream(parts))
    await new Promise((resolve) => stream.once('readable', resolve))
    await new Promise((resolve) => setImmediate(resolve))
    assert.ok(given < 100, `${given} chunks were taken of which nobody read one`)
    stream.resume()
    await new Promise((resolve) => stream.once('end', resolve))
    assert.equal(given, 1001)
  })

  it('leaves a page with its own policy as it is', async () => {
    const page = `<head><meta http-equiv="Content-Security-Policy" content="default-src 'none'"></head><body></body>`
    assert.equal(await streamed([page.slice(0, 20), page.slice(20)]), page)
  })
})
