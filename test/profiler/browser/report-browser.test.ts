// The script that reports from pages: small, alone, and safe in any page.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { gzipSync } from 'node:zlib'
import { rolldown } from 'rolldown'
import { reportingScript } from '../../../src/pages/toolbar/page-edges.ts'

it('fanlight/client: is at most 2 KB, minified and compressed, and imports nothing', async () => {
  const bundle = await rolldown({ input: 'src/client.ts', platform: 'browser' })
  const { output } = await bundle.generate({ minify: true })
  await bundle.close()
  assert.deepEqual(
    output.map((chunk) => (chunk.type === 'chunk' ? chunk.imports : chunk.fileName)),
    [[]],
  )
  const bytes = gzipSync(output[0].code, { level: 9 }).length
  assert.ok(bytes <= 2048, `${bytes} bytes`)
})

describe('the script in a page', () => {
  it('is ASCII, and in pages in UTF-8 one line', () => {
    const script = reportingScript('/_profiler/abcdefghij/browser', 'n', 'text/html; charset=iso-8859-1')
    assert.match(script, /^[\0-\x7f]+$/)
    assert.match(script, /^<script nonce="n">[^]*\("\/_profiler\/abcdefghij\/browser"\)<\/script>$/)
    const inLine = reportingScript('/_profiler/abcdefghij/browser', 'n', 'text/html; charset=UTF-8')
    assert.ok(!inLine.includes('\n'))
    assert.equal(inLine.replaceAll('\u2028', '\n'), script)
  })

  it('uses nothing of its module', () => {
    const source = readFileSync('src/observe/browser/report-browser.ts', 'utf8')
    assert.doesNotMatch(source, /^import |^(?:const|let|function) /m)
  })
})
