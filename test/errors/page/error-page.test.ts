import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { renderErrorMarkdown } from '../../../src/errors/markdown-renderer.ts'
import { renderErrorText } from '../../../src/errors/text-renderer.ts'
import { renderErrorPage } from '../../../src/errors/page/error-page.ts'
import {
  makeChain,
  makeError,
  makeErrorView,
  makeExcerpt,
  makeFrame,
  makeRecord,
  makeSuggestion,
} from '../../support/error-view.ts'
import { pageText, startTags } from '../../support/page-text.ts'

const page = { nonce: 'n0nce', profilerPath: '/_profiler' }
const render = (facts: Parameters<typeof makeErrorView>[0] = {}): string =>
  String(renderErrorPage(makeErrorView(facts), page))

describe('renderErrorPage', () => {
  it('is titled by status and reason', () => {
    assert.ok(render().includes('<title>Error 404 Not Found</title>'))
    assert.ok(pageText(render()).includes('Error 404 Not Found'))
  })
  it('names the request with its full URL', () => {
    assert.ok(pageText(render()).includes('GET http://127.0.0.1:8000/nope?x=1&y=%20z'))
  })
  it('says who drew it and links to both profiles', () => {
    const markup = render()
    assert.ok(pageText(markup).includes('Forwarded to error handler (ba9876543210)'))
    assert.ok(markup.includes('href="/_profiler/ba9876543210?panel=request&amp;type=request"'))
    assert.ok(markup.includes('href="/_profiler/0123456789ab?panel=exception&amp;type=request"'))
  })
  it('shows tokens without links where there is no profiler, and says when nothing is recorded', () => {
    const bare = { nonce: 'n', profilerPath: null }
    const recorded = String(renderErrorPage(makeErrorView(), bare))
    assert.doesNotMatch(recorded, /_profiler/)
    assert.ok(pageText(recorded).includes('Profile 0123456789ab'))
    const unrecorded = pageText(renderErrorPage(makeErrorView({ token: null, subRequestToken: null }), bare))
    assert.ok(unrecorded.includes('Forwarded to error handler Not recorded'))
  })
  it('shows every error of the chain with message and own properties, verbatim', () => {
    const markup = render()
    for (const fact of [
      '[2/2] NotFoundHttpError',
      '[1/2] ResourceNotFoundError',
      'No route found for "GET http://127.0.0.1:8000/nope"',
      'No routes found for "/nope/"',
      'statusCode: 404',
      'headers: []',
    ]) {
      assert.ok(markup.includes(fact), fact)
    }
  })
  it('has one large heading: the outermost message', () => {
    const headings = render().match(/<h1[\s\S]*?<\/h1>/g) ?? []
    assert.equal(headings.length, 1)
    assert.equal(pageText(headings[0] ?? ''), 'No route found for "GET http://127.0.0.1:8000/nope"')
  })
  it('puts verdict, message, suggestions, errors, log and request in this order', () => {
    const markup = render({ suggestions: [makeSuggestion()] })
    const order = ['class="band', '<h1', 'id="what-to-do"', 'id="errors"', 'id="log"', 'id="request"']
    const places = order.map((mark) => markup.indexOf(mark))
    assert.ok(places.every((place) => place > 0))
    assert.deepEqual(
      places,
      places.toSorted((a, b) => a - b),
    )
  })
  it('names the place and the causes under the message', () => {
    const text = pageText(/<dl[\s\S]*?<\/dl>/.exec(render())?.[0] ?? '')
    assert.match(text, /at ?ProductController\.show app\/controllers\/product-controller\.ts:12:5/)
    assert.match(text, /caused by ?ResourceNotFoundError: No routes found for "\/nope\/"/)
  })
  it('shows the matched route and its parameters', () => {
    const text = pageText(render({ statusCode: 500, route: 'product', routeParameters: { slug: 'a<b', page: 2 } }))
    assert.ok(text.includes('Route product'))
    assert.match(text, /slug\s*a<b/)
    assert.match(text, /page\s*2/)
  })
  it('says in a sentence what is empty', () => {
    const text = pageText(render({ log: [], query: [], requestHeaders: [], chain: makeChain() }))
    for (const sentence of [
      'No route is close to the requested path.',
      'Nothing was logged during this request.',
      'No query string',
      'No route matched',
      'No headers',
      'No error was recorded.',
    ]) {
      assert.ok(text.includes(sentence), sentence)
    }
    assert.match(render({ chain: makeChain() }), /<h1[\s\S]*Error 404 Not Found[\s\S]*<\/h1>/)
  })
  it('leaves suggestions out where routing was not the matter', () => {
    assert.doesNotMatch(render({ statusCode: 500, route: 'product' }), /How to fix it/)
  })
  it('explains known errors before it suggests routes', () => {
    const hints = [{ title: 'Nothing is listening on <host>:5432', text: 'Start the "database".' }]
    const text = pageText(render({ hints, suggestions: [makeSuggestion()] }))
    assert.match(
      text,
      /How to fix it 2 .*How to fix it Nothing is listening on <host>:5432 Start the "database"\. .*GET \/products/,
    )
    assert.match(pageText(render({ statusCode: 500, hints })), /Start the "database"/)
  })
  it('asks routing nothing when a route took the request', () => {
    assert.doesNotMatch(render({ route: 'product' }), /No route of this application/)
  })
  it('is complete and without buttons when there is nothing to copy', () => {
    assert.doesNotMatch(render(), /copy-data|data-copy/)
  })
  it('keeps what can be copied as data, never as markup', () => {
    const copy = { text: '</script><b>"', markdown: '# <b>' }
    const markup = String(renderErrorPage(makeErrorView(), { ...page, copy }))
    const data = /<script type="application\/json" id="copy-data">([\s\S]*?)<\/script>/.exec(markup)?.[1] ?? ''
    const parsed: unknown = JSON.parse(data)
    assert.ok(typeof parsed === 'object' && parsed !== null && 'text' in parsed && 'markdown' in parsed)
    assert.equal(parsed.text, copy.text)
    assert.equal(parsed.markdown, copy.markdown)
    assert.match(data, /untrusted data/)
  })
})

describe('renderErrorPage with hostile facts', () => {
  const evil = `"><img src=x onerror=alert(1)>'</script></title>&lt;`
  const hostile = makeErrorView({
    method: evil,
    url: `http://h/${evil}`,
    statusText: evil,
    reference: evil,
    route: evil,
    routeParameters: { [evil]: evil },
    errorHandler: evil,
    token: evil,
    subRequestToken: evil,
    requestHeaders: [[evil, evil]],
    query: [[evil, evil]],
    chain: {
      cut: evil,
      errors: [
        makeError({
          className: evil,
          message: evil,
          code: evil,
          properties: [{ name: evil, value: evil }],
          frames: [
            makeFrame({ functionName: evil, file: evil, excerpt: { startLine: 12, lines: [[[evil, evil]]] } }),
            makeFrame({ functionName: evil, file: `node_modules/${evil}/x`, origin: 'dependency' }),
            makeFrame({ functionName: evil, file: `node_modules/@a/${evil}/x`, origin: 'dependency' }),
          ],
          members: [makeChain(makeError({ message: evil }))],
        }),
        makeError({ className: evil, message: evil }),
      ],
    },
    log: [makeRecord({ channel: evil, message: `${evil} {a}`, context: { a: evil, [evil]: evil } })],
    suggestions: [
      makeSuggestion({ routeName: evil, pattern: evil, reason: evil, method: 'GET', url: evil, definedAt: evil }),
    ],
  })
  const markup = String(
    renderErrorPage(hostile, { ...page, copy: { text: evil, markdown: evil }, editor: () => `javascript:${evil}` }),
  )

  it('makes no tag, attribute or script of them', () => {
    assert.doesNotMatch(markup, /<img|<b>/)
    for (const tag of startTags(markup)) assert.doesNotMatch(tag.replace(/"[^"]*"/g, '""'), /onerror|alert/)
    assert.doesNotMatch(markup, /href="javascript:/)
    assert.equal(markup.match(/<script/g)?.length, markup.match(/<\/script>/g)?.length)
    assert.equal(markup.match(/<script/g)?.length, (render().match(/<script/g)?.length ?? 0) + 1)
  })
  it('shows them as they came', () => {
    assert.ok(pageText(markup).includes(`[2/2] ${evil}`))
  })
  it('links to no other scheme or host', () => {
    const urls = ['javascript:alert(1)', '//evil.example/x', 'data:text/html,x']
    const links = render({ suggestions: urls.map((url) => makeSuggestion({ url })) }).match(/href="[^"]*"/g) ?? []
    for (const link of links) assert.match(link, /^href="(?:#|\/_profiler|data:image\/svg\+xml,%3Csvg )/)
  })
})

describe('size of the error page', () => {
  const frames = Array.from({ length: 40 }, (_, index) =>
    makeFrame({ functionName: `step${index}`, line: 20, excerpt: makeExcerpt(13, 15) }),
  )
  it('is at most 120 KB for 40 frames with source and 50 log lines', () => {
    const log = Array.from({ length: 50 }, (_, index) =>
      makeRecord({ message: 'Line {n} of the request.', context: { n: index, a: { b: ['c'] } } }),
    )
    const view = makeErrorView({ chain: makeChain(makeError({ frames })), log })
    const copy = { text: renderErrorText(view), markdown: renderErrorMarkdown(view) }
    const markup = String(renderErrorPage(view, { ...page, copy }))
    assert.ok(Buffer.byteLength(markup) <= 120_000, `${Buffer.byteLength(markup)} bytes`)
    for (const { functionName } of frames) assert.ok(markup.includes(`${functionName}<`))
  })
  it('is at most 1 MB for anything, and shows where it was cut', () => {
    const long = '<&"\u{1f4a5}'.repeat(20_000)
    const properties = Array.from({ length: 100 }, (_, index) => ({ name: `p${index}`, value: long }))
    const deep = (depth: number): ReturnType<typeof makeError> =>
      makeError({
        message: long,
        properties,
        frames: frames.concat(Array.from({ length: 500 }, () => makeFrame({ file: long, functionName: long }))),
        members: depth === 0 ? [] : Array.from({ length: 30 }, () => makeChain(deep(depth - 1))),
      })
    const pairs = Array.from({ length: 2000 }, (_, index) => [`n${index}`, long] as const)
    const markup = render({
      method: long,
      url: long,
      chain: makeChain(...Array.from({ length: 60 }, () => deep(1))),
      log: Array.from({ length: 500 }, () => makeRecord({ message: long, context: { long } })),
      requestHeaders: pairs,
      query: pairs,
      routeParameters: Object.fromEntries(pairs),
      suggestions: Array.from({ length: 500 }, () => makeSuggestion({ reason: long, url: `/${long}`, pattern: long })),
    })
    assert.ok(Buffer.byteLength(markup) <= 1_000_000, `${Buffer.byteLength(markup)} bytes`)
    const text = pageText(markup)
    for (const mark of [
      'more characters]',
      'more errors not shown',
      'more lines not shown',
      'more rows not shown',
      'more routes not shown',
    ]) {
      assert.ok(text.includes(mark), mark)
    }
  })
})
