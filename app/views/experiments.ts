// Things to try on the home page of a shop in debug: each leads to one behaviour of the library.

import { html, type SafeHtml } from '../../src/index.ts'
import type { Link } from './layout.ts'

interface Experiment {
  readonly method: 'GET' | 'POST'
  /** Path and query. */
  readonly href: string
  /** What is on the link, when it is not the address. */
  readonly label?: string
  /** What there is to see. */
  readonly see: string
}

interface ExperimentGroup {
  readonly title: string
  readonly about: string
  readonly experiments: readonly Experiment[]
}

/** Every experiment, in groups. */
export function experimentList(link: Link): SafeHtml {
  return html`<div class="tries">${groupsOf(link).map(groupView)} ${maintenance}</div>`
}

function get(href: string, see: string, label?: string): Experiment {
  return { method: 'GET', href, see, ...(label === undefined ? {} : { label }) }
}

function groupsOf(link: Link): readonly ExperimentGroup[] {
  const products = link('products')
  return [
    {
      title: 'A path that leads nowhere',
      about: 'Every one of them is a 404 that names what was asked, what was looked for and what is near.',
      experiments: [
        get('/prodcuts', 'a typo'),
        get('/Products', 'wrong case'),
        get('/nope?page=2', 'nothing like it'),
        // A browser resolves the dot; `//a/b` alone would be another host.
        get('/.//a/b', 'a doubled slash, kept as sent', '//a/b'),
        get('/index.php', 'a file name is an ordinary path'),
        get(`${link('currencies')}/eur`, 'a route is there, its requirement fails'),
        get(link('product', { slug: 'nope' }), 'the route matches, the product is missing'),
        { method: 'POST', href: '/nope?x=1', see: 'any method' },
      ],
    },
    {
      title: 'A method that is not allowed',
      about: 'A 405 lists the methods that are.',
      experiments: [
        { method: 'POST', href: products, see: 'only GET and HEAD are there' },
        get(link('basket_clear'), 'only POST is there'),
      ],
    },
    {
      title: 'Something breaks',
      about: 'An error with three causes in two files, and a request that cannot be used.',
      experiments: [
        get(link('demo_error'), 'the chain, with the source around it'),
        get(link('demo_slow', { ms: 'never' }), 'a 400 that says what is allowed'),
        { method: 'POST', href: link('basket_add'), see: 'an order without a product' },
      ],
    },
    {
      title: 'Looking into a request',
      about: 'Make one of these, then open the newest profile.',
      experiments: [
        get(link('demo_price'), 'a wrong price and no error; panel Code has the line'),
        get(link('demo_slow'), 'four steps on the timeline'),
        get(link('demo_fetch'), 'calls to the shop’s own API'),
        get(link('demo_access'), 'a 403 that names what decided; panels Access and Session'),
        get(link('demo_stream'), 'a page sent in pieces'),
        get(link('demo_events'), 'events, one by one, in the panel Connections'),
        get('/_profiler/latest', 'the newest profile'),
        get('/_profiler/', 'all of them, with search'),
      ],
    },
    {
      title: 'One currency a page',
      about: 'Each page reads one record by its code; the currency panel shows the read.',
      experiments: [
        get(link('products', { currency: 'JPY' }), 'no decimals'),
        get(link('products', { currency: 'KWD' }), 'three digits after the point'),
        get(link('products', { currency: 'QQQ' }), 'a code without a record'),
        get('/_profiler/latest?panel=currency', 'the read of the last page'),
      ],
    },
  ]
}

function groupView({ title, about, experiments }: ExperimentGroup): SafeHtml {
  return html`<section class="try">
    <h3>${title}</h3>
    <p>${about}</p>
    <ul>
      ${experiments.map(experimentView)}
    </ul>
  </section> `
}

function experimentView({ method, href, label, see }: Experiment): SafeHtml {
  const target =
    method === 'GET'
      ? html`<a href="${href}"><code>${label ?? href}</code></a>`
      : html`<form method="post" action="${href}"><button>POST ${label ?? href}</button></form>`
  return html`<li>${target} <span class="small quiet">– ${see}</span></li> `
}

const maintenance: SafeHtml = html`<section class="try">
  <h3>Closing the shop</h3>
  <p>
    Every address then responds with 503 and one static page, in every process that shares the store, within a second:
  </p>
  <ul>
    <li><pre>npm run fanlight -- lock on --reason "Stocktaking" --retry-after 120</pre></li>
    <li><pre>npm run fanlight -- lock off</pre></li>
    <li>
      <span class="small quiet">Or from the start: <code>APP_LOCK=1 npm start</code></span>
    </li>
  </ul>
</section>`
