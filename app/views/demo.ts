// The pages of the demonstrations: what was done, and where in the profiler to look at it.

import { html, type SafeHtml } from '../../src/index.ts'
import type { Product } from '../catalogue.ts'
import type { Frame, PageContent } from './layout.ts'

/** A call that /demo/fetch made. */
export interface Call {
  readonly url: string
  readonly status: number
  /** Characters of the response. */
  readonly length: number
  readonly durationMs: number
  /** Token of the profile of the response, if it has one. */
  readonly token: string | null
}

/** After waiting. */
export function slowView(ms: number, { link }: Frame): PageContent {
  return {
    title: 'Slow page',
    body: html`<div>
        <h1>That took a while</h1>
        <p class="lead">
          This page waited about ${ms} ms in four steps, two of them at once. The
          <a href="/_profiler/latest?panel=time">time panel</a> shows each step as a bar.
        </p>
      </div>
      <p>
        <a class="button" href="${link('demo_slow', { ms: '100' })}">100 ms</a>
        <a class="button" href="${link('demo_slow', { ms: '2000' })}">2 s</a>
        <a class="button" href="${link('demo_slow', { ms: 'never' })}">ms=never</a>
      </p>`,
  }
}

/** An offer that is wrong. */
export function priceView(product: string, pieces: string, total: string): PageContent {
  return {
    title: 'Offer',
    body: html`<div>
        <h1>${pieces} × ${product}</h1>
        <p class="lead">Five pieces or more cost 10 % less: <strong>${total}</strong></p>
      </div>
      <p>
        Ten should cost less. Open <a href="/_profiler/latest?panel=code">the panel Code</a> and press
        <em>Run again</em>: it shows the line, and what the number of pieces was.
      </p>`,
  }
}

/** After calling the shop's own addresses. */
export function fetchView(calls: readonly Call[], _frame: Frame): PageContent {
  return {
    title: 'Outgoing calls',
    body: html`<div>
        <h1>The shop called itself</h1>
        <p class="lead">
          Each request has a profile, and a bar in the <a href="/_profiler/latest?panel=time">time panel</a>.
        </p>
      </div>
      <div class="scroll">
        <table class="calls">
          <thead>
            <tr>
              <th scope="col">Address</th>
              <th scope="col" class="number">Status</th>
              <th scope="col" class="number">Characters</th>
              <th scope="col" class="number">Duration</th>
              <th scope="col">Profile</th>
            </tr>
          </thead>
          <tbody>
            ${calls.map(callRow)}
          </tbody>
        </table>
      </div>`,
  }
}

function callRow({ url, status, length, durationMs, token }: Call): SafeHtml {
  return html`<tr>
    <th scope="row">${url}</th>
    <td class="number">${status}</td>
    <td class="number" data-unit="characters">${length}</td>
    <td class="number">${durationMs.toFixed(1)} ms</td>
    <td>${token === null ? 'none' : html`<a href="/_profiler/${token}">${token}</a>`}</td>
  </tr> `
}

/** The page that is sent in pieces; `rows` marks where the products go. */
export function streamView(rows: SafeHtml): PageContent {
  return {
    title: 'Streamed page',
    body: html`<div>
        <h1>Sent while it is made</h1>
        <p class="lead">The first line was on its way before the last one was written.</p>
      </div>
      <table>
        <thead>
          <tr>
            <th scope="col">Product</th>
            <th scope="col" class="number">Price</th>
          </tr>
        </thead>
        <tbody>
          ${rows}
        </tbody>
      </table>`,
  }
}

/** One product of the streamed page. */
export function streamRow(product: Product, { link, prices }: Frame): SafeHtml {
  return html`<tr>
    <th scope="row"><a href="${link('product', { slug: product.slug })}">${product.name}</a></th>
    <td class="number">${prices.show(prices.piece(product.price))}</td>
  </tr> `
}
