import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { fc } from '../support/fast-check.ts'
import type { Browser } from 'playwright-core'
import { html as markup, jsonScript, type SafeHtml } from '../../src/base/html/html.ts'
import { closePages, openBrowser } from '../support/browser.ts'

/** Templates of every place a value may be in. The formatter leaves `markup` as it is written. */
const templates: Readonly<Record<string, (value: string) => SafeHtml>> = {
  text: (value) => markup`<p>${value}</p><i>end</i>`,
  'text in a list': (value) => markup`<ul>${[value, value].map((item) => markup`<li>${item}</li>`)}</ul>`,
  title: (value) => markup`<title>${value}</title><i>end</i>`,
  'text area': (value) => markup`<textarea>${value}</textarea><i>end</i>`,
  table: (value) => markup`<table><tbody><tr><td>${value}</td></tr></tbody></table>`,
  'after a comment': (value) => markup`<!-- <p title=" --><p>${value}</p>`,
  'after a script': (value) => markup`<script>if (a < b) "<p>"</script><p>${value}</p>`,
  'double quotes': (value) => markup`<p title="a ${value} b" lang="x">t</p>`,
  'single quotes': (value) => markup`<p title='a ${value} b' lang="x">t</p>`,
  'two in one attribute': (value) => markup`<p title="${value}${value}">t</p>`,
  address: (value) => markup`<a href="${value}">t</a>`,
  'address with parts': (value) => markup`<a href="/a/${value}?b=${value}&amp;c">t</a>`,
  picture: (value) => markup`<img src="${value}" alt="${value}">`,
  svg: (value) => markup`<svg viewBox="0 0 ${value} 1"><text>${value}</text></svg>`,
  data: (value) => markup`<script type="application/json">${jsonScript({ [value]: value })}</script><i>end</i>`,
}

const pieces =
  '<,>,",\',&,;,=,/,\\, ,\n,`,--,!,a,&lt,&#x3c;,<p>,</p>,</script>,</title>,</textarea>,</svg>,-->,]]>,<![CDATA[,javascript:,onerror=,\u0000,\u2028,{{'
const hostileText = fc.array(fc.constantFrom(...pieces.split(',')), { maxLength: 8 }).map((parts) => parts.join(''))

/** Names of elements and attributes in document order: what must not depend on a value. */
const skeletons = `(documents) => documents.map((source) => {
  const parsed = new DOMParser().parseFromString(source, 'text/html');
  return [...parsed.querySelectorAll('*')].map((element) =>
    [element.localName, ...[...element.attributes].map((attribute) => attribute.name)].join(' ')).join(', ');
})`

describe('what a browser makes of values in html', () => {
  let browser: Browser
  before(async () => {
    browser = await openBrowser()
  })
  after(async () => closePages())

  for (const [place, template] of Object.entries(templates)) {
    it(`no value adds or removes an element or an attribute: ${place}`, async () => {
      const page = await browser.newPage()
      const values = fc.sample(hostileText, { numRuns: 200, seed: 7 })
      const documents = ['harmless', ...values].map((value) => String(template(value)))
      const seen: unknown = await page.evaluate(`(${skeletons})(${JSON.stringify(documents)})`)
      assert.ok(Array.isArray(seen))
      const [expected, ...others] = seen
      for (const [index, skeleton] of others.entries()) assert.equal(skeleton, expected, documents[index + 1])
      await page.close()
    })
  }
})
