// The first page: what this is, a few products, and in debug everything there is to try.

import { html, type SafeHtml } from '../../src/index.ts'
import type { Product } from '../catalogue.ts'
import { experimentList } from './experiments.ts'
import type { Frame, PageContent } from './layout.ts'
import { productShelf } from './product-list.ts'

/** The page at `/`. `featured` are the products it shows. */
export function homeView(featured: readonly Product[], frame: Frame): PageContent {
  const { link, isDebug } = frame
  return {
    title: 'Home',
    body: html`<div>
        <h1>Look who is at the door</h1>
        <p class="lead">
          Knockers, bells, mats and the half-round window above them. A small shop that shows what Fanlight does: every
          request comes in through one front controller, and you can look inside each one.
        </p>
      </div>
      ${isDebug ? experiments(frame) : null}
      <section class="stack">
        <h2>From the shelves</h2>
        ${productShelf(featured, frame)}
        <p><a href="${link('products')}">All products</a></p>
      </section>`,
  }
}

function experiments({ link }: Frame): SafeHtml {
  return html`<section class="stack">
    <h2>Try it</h2>
    <p>
      The shop runs in debug, so its error pages explain themselves and every request has a profile. Send
      <code>Accept: application/json</code>, <code>text/markdown</code> or <code>text/plain</code> to get any error in
      that form.
    </p>
    ${experimentList(link)}
  </section>`
}
