import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { contentSecurityPolicy, createNonce, renderDocument } from '../../../src/base/html/document.ts'
import { html, trusted, scriptBlock, styleSheet } from '../../../src/base/html/html.ts'
import { themeScript, themeStyles } from '../../../src/base/html/theme.ts'

describe('renderDocument', () => {
  const parts = {
    tone: 'neutral' as const,
    title: 'A & <b>',
    body: html`<p>hello</p>`,
    styles: [themeStyles, trusted('p{}')],
    nonce: 'n0nce',
  }

  it('escapes the title and carries the nonce on every style and script', () => {
    const page = String(renderDocument({ ...parts, headScript: themeScript, script: [trusted('a()'), trusted('b()')] }))
    assert.ok(page.startsWith('<!doctype html>'))
    assert.ok(page.includes('<title>A &amp; &lt;b&gt;</title>'))
    assert.ok(page.includes('<p>hello</p>'))
    assert.equal(page.match(/<script/g)?.length, 2)
    assert.equal(page.match(/<(?:script|style) nonce="n0nce">/g)?.length, 3)
  })
  it('has an icon in the colour of its tone', () => {
    const icons = (['neutral', 'info', 'success', 'warning', 'error'] as const).map(
      (tone) =>
        /<link rel="icon" href="(data:image\/svg\+xml,[^"#]+)"/.exec(String(renderDocument({ ...parts, tone })))?.[1],
    )
    assert.equal(new Set(icons).size, 5)
    assert.ok(!icons.includes(undefined))
  })
  it('has no script when none is asked for', () => {
    assert.doesNotMatch(String(renderDocument(parts)), /<script/)
  })
  it('asks for nothing from elsewhere and has no style attribute', () => {
    const page = String(renderDocument({ ...parts, headScript: themeScript }))
    // The namespace of the icon is a name, no address.
    assert.doesNotMatch(page.replace('http://www.w3.org/2000/svg', ''), /https?:\/\/|@import|url\(|\sstyle=/)
  })
})

it('createNonce: is new and long each time', () => {
  const nonces = new Set(Array.from({ length: 100 }, createNonce))
  assert.equal(nonces.size, 100)
  for (const nonce of nonces) assert.match(nonce, /^[0-9A-Za-z+/_-]{22,}$/)
})

it('contentSecurityPolicy: allows styles and scripts of the nonce and nothing else', () => {
  const policy = contentSecurityPolicy('n0nce')
  assert.match(policy, /^default-src 'none'; style-src 'nonce-n0nce'; script-src 'nonce-n0nce';/)
  assert.match(policy, /frame-ancestors 'none'/)
  assert.doesNotMatch(policy, /unsafe|\*/)
})

describe('styleSheet', () => {
  it('drops comments and spaces that say nothing', () => {
    const sheet = styleSheet(`
      /* a note */
      a:hover > b, i { color: red; margin: 0 1px; }
      @media (max-width: 40rem) { a { color: blue } }
    `)
    assert.equal(String(sheet), 'a:hover > b,i{color:red;margin:0 1px}@media (max-width:40rem){a{color:blue}}')
  })
  it('refuses text that could end its element', () => {
    assert.throws(() => styleSheet('a{}</style>'), TypeError)
    assert.throws(() => scriptBlock('"</script>"'), TypeError)
  })
})

describe('themeStyles', () => {
  it('defines every custom property that it uses', () => {
    const sheet = String(themeStyles)
    const defined = new Set(sheet.match(/--[\w-]+(?=:)/g))
    const used = new Set(Array.from(sheet.matchAll(/var\((--[\w-]+)/g), (match) => match[1]))
    assert.deepEqual(
      [...used].filter((name) => name !== undefined && !defined.has(name)),
      [],
    )
  })
  it('stays small', () => {
    assert.ok(String(themeStyles).length < 14_000)
  })
})
