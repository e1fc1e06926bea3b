import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { fc } from '../../support/fast-check.ts'
import {
  html as markup,
  jsonScript,
  safeUrl,
  trusted,
  trustedUrl,
  TemplatePlaceError,
} from '../../../src/base/html/html.ts'
import type { HtmlValue, SafeHtml } from '../../../src/base/html/html.ts'
import { decodeReferences } from '../../support/page-text.ts'

const runs = { numRuns: 200 }
/** Text with the characters that matter in markup and addresses, more often than chance would have it. */
const hostileText = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.string({ unit: fc.constantFrom(...'<>"\'&;=/\\:#? \t\n`ajvscript') }),
  fc.constantFrom(
    'javascript:alert(1)',
    '</script><script>',
    '-->',
    '" onload="x',
    '//host',
    '/\\host',
    'data:text/html,x',
  ),
)

describe('html', () => {
  it('keeps markup of the template and escapes values', () => {
    assert.equal(String(markup`<b>${'<i>'}</b>`), '<b>&lt;i&gt;</b>')
  })
  it('keeps quotes in text as they are', () => {
    assert.equal(String(markup`<p>${`"a" 'b' & c`}</p>`), `<p>"a" 'b' &amp; c</p>`)
  })
  it('escapes quotes in attributes', () => {
    const value = `"a" 'b' <&>`
    assert.equal(String(markup`<p title="${value}"></p>`), `<p title="&quot;a&quot; &#39;b&#39; &lt;&amp;&gt;"></p>`)
    assert.equal(String(markup`<p title='${`'`}'></p>`), `<p title='&#39;'></p>`)
  })
  it('takes markup of other templates as it is, and joins lists', () => {
    const items = ['a', '<b>'].map((item) => markup`<li>${item}</li>`)
    assert.equal(String(markup`<ul>${items}</ul>`), '<ul><li>a</li><li>&lt;b&gt;</li></ul>')
    assert.equal(String(markup`${[1, [2n, [markup`<i></i>`]]]}`), '12<i></i>')
  })
  it('leaves nothing for null, undefined and false, and writes numbers', () => {
    assert.equal(String(markup`a${null}${undefined}${false}${0}${-1.5}${12n}${true}`), 'a0-1.512true')
  })
  it('joins a list in an attribute by spaces', () => {
    assert.equal(String(markup`<i class="${['a', false, 'b']}"></i>`), '<i class="a b"></i>')
  })
  it('leaves out an attribute whose whole value is null, undefined or false', () => {
    for (const nothing of [null, undefined, false]) {
      assert.equal(
        String(markup`<details class="a" open="${nothing}" id='b'></details>`),
        `<details class="a" id='b'></details>`,
      )
      assert.equal(String(markup`<a href="${nothing}">b</a>`), '<a>b</a>')
      assert.equal(String(markup`<i title="a${nothing}"></i>`), '<i title="a"></i>')
    }
    assert.equal(String(markup`<input value="${''}" checked="${true}" />`), '<input value="" checked="true" />')
  })
  it('refuses markup inside an attribute and values of other kinds', () => {
    assert.throws(() => markup`<i title="${markup`<b></b>`}"></i>`, TypeError)
    const wrong: unknown = { toString: () => '<b>' }
    assert.throws(() => markup`${wrong as HtmlValue}`, /takes text, numbers, markup and lists of them, not object/)
    const late: unknown = Promise.resolve('<b>')
    assert.throws(() => markup`${late as HtmlValue}`, /not a Promise: await it/)
  })
  it('drops the indentation of the template, but none of a value or inside <pre>', () => {
    const value = 'a\n   b'
    assert.equal(
      String(markup`<p>
        ${value}
      </p>`),
      '<p>\na\n   b\n</p>',
    )
    assert.equal(String(markup`<pre>  a\n  ${'b'}</pre>`), '<pre>  a\n  b</pre>')
    const code = 'def f():\n    return 1'
    assert.equal(String(markup`<pre>${markup`${code}`}</pre>`), `<pre>${code}</pre>`)
  })
  it('never lets a value out of text', () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        const page = String(markup`<p>${text}</p>`)
        const inner = page.slice(3, -4)
        assert.doesNotMatch(inner, /[<>]/)
        assert.equal(decodeReferences(inner), text)
      }),
      runs,
    )
  })
  it('never lets a value out of an attribute', () => {
    fc.assert(
      fc.property(hostileText, hostileText, (one, two) => {
        const page = String(markup`<p title="a ${one} b" lang='${two}'></p>`)
        const match = /^<p title="a ([^"<>]*) b" lang='([^'<>]*)'><\/p>$/.exec(page)
        assert.equal(decodeReferences(match?.[1] ?? 'out'), one)
        assert.equal(decodeReferences(match?.[2] ?? 'out'), two)
      }),
      runs,
    )
  })
  it('never lets a value choose a scheme or a host', () => {
    const base = 'https://own.example/dir/'
    fc.assert(
      fc.property(hostileText, hostileText, (one, two) => {
        for (const link of [
          markup`<a href="${one}"></a>`,
          markup`<a href="${one}${two}"></a>`,
          markup`<a href="${one}/${two}"></a>`,
          markup`<a href="/${one}?a=${two}&amp;b=1"></a>`,
        ]) {
          const address = /^<a href="([^"<>]*)"><\/a>$/.exec(String(link))?.[1]
          assert.ok(address !== undefined)
          const target = URL.parse(decodeReferences(address), base)
          if (target === null) continue
          assert.match(target.protocol, /^https?:$/)
          if (target.host !== 'own.example') assert.match(address, /^https?:\/\//i)
        }
      }),
      runs,
    )
  })
  it('checks an address as a whole', () => {
    assert.equal(String(markup`<a href="${'java'}${'script:x'}"></a>`), '<a href="#"></a>')
    assert.equal(String(markup`<a href="/${'/evil.example'}"></a>`), '<a href="#"></a>')
    assert.equal(String(markup`<a href="/p/${'a b'}?x=${'1'}&amp;y=2#z">t</a>`), '<a href="/p/a b?x=1&amp;y=2#z">t</a>')
    assert.equal(String(markup`<form action='${'javascript:x'}'></form>`), `<form action='#'></form>`)
  })
  it('takes another scheme only when someone vouches for it', () => {
    assert.equal(
      String(markup`<a href="${trustedUrl('vscode://file/a"b')}"></a>`),
      '<a href="vscode://file/a&quot;b"></a>',
    )
    assert.equal(String(markup`<a href="${trustedUrl('vscode:')}x"></a>`), '<a href="#"></a>')
  })
})

describe('places that html refuses', () => {
  const refused: Record<string, () => SafeHtml> = {
    'the content of a script': () => markup`<script>let a = ${1}</script>`,
    'the content of a style': () => markup`<STYLE>a { color: ${'red'} }</STYLE>`,
    'an event handler': () => markup`<a onClick="${'x'}"></a>`,
    'a style attribute': () => markup`<a style="color: ${'red'}"></a>`,
    'the document of a frame': () => markup`<iframe srcdoc="${'x'}"></iframe>`,
    'a list of addresses': () => markup`<img srcset="${'x'}">`,
    'an attribute without quotes': () => markup`<a class=${'x'}></a>`,
    'the middle of an attribute without quotes': () => markup`<a class=a${'x'}></a>`,
    'the name of an attribute': () => markup`<a ${'x'}></a>`,
    'the rest of the name of an attribute': () => markup`<a data-${'x'}="1"></a>`,
    'the name of a tag': () => markup`<${'a'}></a>`,
    'the name of an end tag': () => markup`<a></${'a'}>`,
    'a comment': () => markup`<!-- ${'x'} -->`,
    'a declaration': () => markup`<!doctype ${'x'}>`,
    'an end tag without a name': () => markup`<a></ ${'x'}>`,
    'a meta refresh': () => markup`<meta http-equiv="refresh" content="0;${'x'}">`,
    'a meta refresh that is named later': () => markup`<meta content="0;${'x'}" http-equiv="refresh">`,
    'an element whose content nobody parses': () => markup`<noembed>${'x'}</noembed>`,
    'a script that has not ended yet': () => markup`<script>"</scriptx>${'x'}</script>`,
  }
  for (const [place, template] of Object.entries(refused)) {
    it(place, () => assert.throws(template, TemplatePlaceError))
  }
  it('a template that ends inside a tag, an attribute or a script', () => {
    assert.throws(() => markup`<a class="`, TemplatePlaceError)
    assert.throws(() => markup`<a`, TemplatePlaceError)
    assert.throws(() => markup`<script>`, TemplatePlaceError)
  })
  it('a template with the character that marks values', () => {
    assert.throws(() => markup`<a title="\0">`, TemplatePlaceError)
  })
  it('an attribute with spaces around its sign, which browsers read in their own way', () => {
    assert.throws(() => markup`<a title = "> ">${'x'}</a>`, TemplatePlaceError)
  })
  it('shows the spot', () => {
    assert.throws(() => markup`<p><a class=${'x'}></a></p>`, /Value 1 .* write class="\$\{…\}": <p><a class=▸/)
  })
})

describe('places that html follows', () => {
  it('comments, raw text and titles to their end', () => {
    assert.equal(String(markup`<!-- <script> --><p>${'<'}</p>`), '<!-- <script> --><p>&lt;</p>')
    assert.equal(String(markup`<script>a < b</script>${'<'}`), '<script>a < b</script>&lt;')
    assert.equal(String(markup`<title><a href='${'"'}</title>`), `<title><a href='"</title>`)
  })
  it('comments that browsers end earlier', () => {
    for (const comment of ['<!-->', '<!--->', '<!-- a --!>']) {
      const link = markup(Object.assign([`${comment}<a title="-->`, '"></a>'], { raw: [] }), '"')
      assert.equal(String(link), `${comment}<a title="-->&quot;"></a>`)
    }
  })
  it('a lone sign and a sign before a tag', () => {
    assert.equal(String(markup`1 < 2 ${'<'}`), '1 < 2 &lt;')
    assert.equal(String(markup`<<b title="${'"'}">`), '<<b title="&quot;">')
  })
  it('the attributes after an address', () => {
    const link = markup`<a href="/${'a'}" title="${'"'}">${'"'}</a>`
    assert.equal(String(link), '<a href="/a" title="&quot;">"</a>')
  })
})

describe('safeUrl', () => {
  it('keeps web addresses and relative ones', () => {
    for (const url of ['http://a/b', 'HTTPS://a', '/a?b#c', 'a/b', '?a=b:c', '#a', './a:b', ''])
      assert.equal(safeUrl(url), url)
  })
  it('answers # for scripts, other hosts and hidden characters', () => {
    for (const url of [
      'javascript:alert(1)',
      ' JaVaScRiPt:alert(1)',
      'java\nscript:alert(1)',
      '\u0001javascript:alert(1)',
      'data:text/html,x',
      'vbscript:x',
      'file:///etc/passwd',
      '//evil.example',
      '/\\evil.example',
      '\\\\evil.example',
      '/\t/evil.example',
      'https:/\\evil.example',
      'http:evil.example',
    ]) {
      assert.equal(safeUrl(url), '#', url)
    }
  })
})

describe('jsonScript', () => {
  it('cannot end its element and says the same as the value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), hostileText, (value, text) => {
        const data = { value, text }
        const page = String(
          markup`<script type="application/json">
            ${jsonScript(data)}
          </script>`,
        )
        const content = page.slice('<script type="application/json">'.length, -'</script>'.length)
        assert.doesNotMatch(content, /[<>&\u2028\u2029]/)
        assert.equal(JSON.stringify(JSON.parse(content)), JSON.stringify(data))
      }),
      runs,
    )
  })
  it('is the only thing that a data block takes', () => {
    assert.throws(
      () =>
        markup`<script type="application/json">
          ${'{}'}
        </script>`,
      /result of jsonScript/,
    )
    assert.throws(
      () =>
        markup`<script type="application/json">
          ${trusted('</script>')}
        </script>`,
      TypeError,
    )
    assert.throws(
      () =>
        markup`<script type="module">
          ${jsonScript(1)}
        </script>`,
      TemplatePlaceError,
    )
  })
})
