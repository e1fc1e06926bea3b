import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
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
  it('names the request with its full URL, and says when it failed', () => {
    const text = pageText(render({ route: null, durationMs: 2 }))
    assert.match(text, /GET http:\/\/127\.0\.0\.1:8000\/nope\?x=1&y=%20z ?No route matched · failed after 2\.0\d? ms/)
  })
  it('lets messages begin at the side of their script, and breaks a long URL anywhere', () => {
    assert.match(render(), /<h1 class="message [^"]*" dir="auto">/)
    assert.match(render(), /class="verbatim any-break"/)
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
    assert.match(unrecorded, /Forwarded to error handler ?Not recorded/)
    assert.match(unrecorded, /Error ID r3f3r3nc3/)
  })
  it('shows every error of the chain with message and own properties, verbatim', () => {
    const text = pageText(render())
    for (const fact of [
      '[2/2] NotFoundHttpError',
      '[1/2] ResourceNotFoundError',
      'No route found for "GET http://127.0.0.1:8000/nope"',
      'No routes found for "/nope/"',
      'statusCode: 404',
      'headers: []',
    ]) {
      assert.ok(text.includes(fact), fact)
    }
  })
  it('folds errors, log and request below the routes, and says who linked here', () => {
    const referer = 'http://127.0.0.1:8000/shop'
    const markup = render({ suggestions: [makeSuggestion()], requestHeaders: [['Referer', referer]] })
    const [inSight = '', ...folds] = markup.slice(markup.indexOf('<main')).split('<details')
    assert.match(pageText(inSight), /No route found.*Did you mean.*GET \/products.*Linked from http:\/\/127/)
    assert.doesNotMatch(pageText(inSight), /NotFoundHttpError|\[2\/2\]|Change here|Forwarded|Run again/)
    assert.ok(folds.some((part) => pageText(`<${part}`).includes('NotFoundHttpError ← ResourceNotFound')))
    assert.match(markup, /<details class="fold folded">\s*<summary>Log · 1 line<\/summary>/)
    assert.match(markup, /<summary>Request · 1 header<\/summary>/)
  })
  it('names places to change of a request without a route, but for those of its suggestions', () => {
    const candidates = ['app/routes.ts:12', 'app/front.ts:3'].map((place) => {
      const [file = '', line = ''] = place.split(':')
      return { file, line: Number(line), why: `defines ${place}` }
    })
    const text = pageText(render({ suggestions: [makeSuggestion()], candidates }))
    assert.match(text, /Change here app\/front\.ts:3/)
    assert.doesNotMatch(text, /defines app\/routes/)
  })
  it('folds what a browser says of itself, if that is much', () => {
    const said = ['Sec-Fetch-Mode', 'Sec-Fetch-Dest', 'sec-ch-ua'].map((name) => [name, 'x'] as const)
    const facts = { statusCode: 500, route: 'cart', requestHeaders: [['Host', 'h'] as const, ...said] }
    assert.match(pageText(render(facts)), /Headers.*Host ?h ?3 headers of the browser.*Sec-Fetch-Mode/)
    const few = { ...facts, requestHeaders: facts.requestHeaders.slice(0, 2) }
    assert.match(pageText(render(few)), /Host ?h ?Sec-Fetch-Mode ?x/)
  })
  it('has one large heading: the outermost message', () => {
    const headings = render().match(/<h1[\s\S]*?<\/h1>/g) ?? []
    assert.equal(headings.length, 1)
    assert.equal(pageText(headings[0] ?? ''), 'No route found for "GET http://127.0.0.1:8000/nope"')
    assert.doesNotMatch(
      pageText(/<header[^]*?<\/header>/.exec(render({ url: 'http://127.0.0.1:8000/nope' }))?.[0] ?? ''),
      /127\.0\.0\.1/,
    )
  })
  it('puts status, message, suggestions, errors, what is beside them, log and request in this order', () => {
    const markup = render({ suggestions: [makeSuggestion()] })
    const order = ['class="topbar', '<h1', 'id="did-you-mean"', 'id="error-2"', '<aside', 'id="log"', 'id="request"']
    const places = order.map((mark) => markup.indexOf(mark))
    assert.ok(places.every((place) => place > 0))
    assert.deepEqual(
      places,
      places.toSorted((a, b) => a - b),
    )
  })
  it('says class and message of a lone error once, above its source', () => {
    const frames = [makeFrame({ excerpt: makeExcerpt(5, 15) })]
    const alone = { statusCode: 500, route: 'cart', chain: makeChain(makeError({ message: 'no price', frames })) }
    const main = /<main[\s\S]*/.exec(render({ ...alone, log: [] }))?.[0] ?? ''
    assert.equal(main.match(/no price/g)?.length, 1)
    assert.match(pageText(main), /^\[1\/1\] TypeError ?no price ?ProductController\.show/)
  })
  it('begins the title of other errors with class, message and path', () => {
    const error = makeError({ message: `no price${'!'.repeat(100)}\nfor it` })
    const markup = render({ statusCode: 500, statusText: 'Internal Server Error', chain: makeChain(error) })
    const title = /<title>(.*)<\/title>/.exec(markup)?.[1] ?? ''
    assert.match(title, /^TypeError: no price!{72}… · \/nope · Error 500 Internal Server Error$/)
    assert.match(render({ statusCode: 405, statusText: 'Method Not Allowed' }), /<title>Error 405 Method Not Allowed</)
  })
  it('shows beside the source the log before the error, with every warning and error', () => {
    const log = Array.from({ length: 60 }, (_, index) =>
      makeRecord({ level: index % 20 === 0 ? 'warn' : 'debug', message: `line ${index}.` }),
    )
    const own = makeRecord({ level: 'error', message: 'Uncaught', context: { reference: 'r3f3r3nc3' } })
    const side = pageText(/<aside[\s\S]*<\/aside>/.exec(render({ log: [...log, own] }))?.[0] ?? '')
    for (const shown of ['line 0.', 'line 20.', 'line 40.', 'line 52.', 'line 59.', '49 earlier lines'])
      assert.ok(side.includes(shown), shown)
    assert.doesNotMatch(side, /line 51\.|Uncaught/)
  })
  it('cuts a column of endless warnings with a link to the whole log', () => {
    const log = Array.from({ length: 500 }, () => makeRecord({ level: 'warn', message: 'x'.repeat(1900) }))
    const side = /<aside[\s\S]*<\/aside>/.exec(render({ log }))?.[0] ?? ''
    assert.ok(side.length < 60_000, String(side.length))
    assert.match(side, /<a href="#log">\d+ more lines<\/a>/)
  })
  it('shows as code what explanations have between backticks', () => {
    const frames = [makeFrame({ excerpt: makeExcerpt(5, 15) })]
    const hints = [
      { title: 'No price', text: 'See `<find>()` and `b`.' },
      { title: 'Odd', text: 'A ` alone' },
    ]
    const markup = render({ statusCode: 500, chain: makeChain(makeError({ frames })), hints })
    assert.match(markup, /See <code>.*&lt;find&gt;\(\).*<\/code> and <code>/)
    assert.ok(pageText(markup).includes('See `<find>()` and `b`.'))
    assert.ok(pageText(markup).includes('A ` alone'))
  })
  it('clamps long messages and addresses, and lets the reader show them whole', () => {
    const chain = makeChain(makeError({ message: 'word '.repeat(200) }))
    assert.equal(render({ chain, url: `http://h/${'a'.repeat(300)}` }).match(/Show all/g)?.length, 2)
    assert.doesNotMatch(render(), /Show all/)
    const ofLines = (count: number): string => render({ chain: makeChain(makeError({ message: 'a\n'.repeat(count) })) })
    assert.doesNotMatch(ofLines(9), /Show all/)
    assert.match(ofLines(10), /Show all/)
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
    assert.doesNotMatch(render({ statusCode: 500, route: 'product' }), /Did you mean/)
  })
  it('explains known errors inside the source, at the marked line', () => {
    const hints = [{ title: 'Nothing is listening on <host>:5432', text: 'Start the "database".' }]
    const text = pageText(render({ statusCode: 500, route: 'product', hints }))
    assert.match(text, /const value12 = 12 ?Nothing is listening on <host>:5432 Start the "database"\. ?const value13/)
  })
  it('explains a request without a route between suggestions and errors', () => {
    const hints = [{ title: 'The proxy strips the prefix', text: 'See its rules.' }]
    const text = pageText(render({ hints, suggestions: [makeSuggestion()] }))
    assert.match(text, /Did you mean ?GET \/products.*The proxy strips the prefix See its rules\. .*\[2\/2\]/)
  })
  it('lists the places to change, and shows where values come from below the source', () => {
    const candidates = Array.from({ length: 5 }, (_, index) => ({
      file: 'app/a.ts',
      line: 30 + index,
      why: `reason <${index}>`,
    }))
    const source = { file: 'app/a.ts', line: 30, parts: [makeExcerpt(30, 2)], marked: [31] }
    const origins = [{ usedAt: 'app/b.ts:12', name: 'findPrice()', note: 'Returns undefined in line 31', source }]
    const markup = render({ statusCode: 500, route: 'product', candidates, origins })
    const text = pageText(markup)
    assert.match(text, /Change here app\/a\.ts:30 – reason <0>.*2 more places app\/a\.ts:33/)
    assert.match(text, /value19.*findPrice\(\) Returns undefined in line 31 app\/a\.ts:31.*value30/)
    assert.match(markup, /<li class="at">[^/]*const<\/i> value31/)
  })
  it('asks routing nothing when a route took the request', () => {
    assert.doesNotMatch(render({ route: 'product' }), /No route of this application/)
  })
  it('is complete and without buttons when there is nothing to copy', () => {
    assert.doesNotMatch(startTags(render()).join(''), /copy-data|data-copy/)
  })
  it('keeps what can be copied as data, never as markup', () => {
    const copy = { markdown: '# </script><b>"' }
    const markup = String(renderErrorPage(makeErrorView(), { ...page, copy }))
    const data = /<script type="application\/json" id="copy-data">([\s\S]*?)<\/script>/.exec(markup)?.[1] ?? ''
    const parsed: unknown = JSON.parse(data)
    assert.ok(typeof parsed === 'object' && parsed !== null && 'markdown' in parsed)
    assert.equal(parsed.markdown, copy.markdown)
    assert.match(data, /untrusted data/)
  })
  it('lets places be copied without an editor, and links to them with one', () => {
    const chain = makeChain(makeError({ frames: [makeFrame({ excerpt: makeExcerpt(5, 15) })] }))
    const view = makeErrorView({ statusCode: 500, route: 'product', chain })
    const place = 'app/controllers/product-controller.ts:12'
    assert.ok(String(renderErrorPage(view, page)).includes(`<code data-place>${place}:5</code>`))
    const linked = String(renderErrorPage(view, { ...page, editor: (file, line) => `vscode://file/${file}:${line}` }))
    assert.ok(linked.includes(`<a href="vscode://file/${place}"><code>${place}:5</code></a>`))
    assert.doesNotMatch(linked, /<code data-place>/)
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
    renderErrorPage(hostile, { ...page, copy: { markdown: evil }, editor: () => `javascript:${evil}` }),
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
