// A page and events that are sent while they are made. Registered in debug only.

import { Readable } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import { html, stream, type Exchange, type Reply } from '../../src/index.ts'
import { products } from '../catalogue.ts'
import { frameOf, pageHeaders, type Shop } from '../shop.ts'
import { renderPage } from '../views/layout.ts'
import { streamRow, streamView } from '../views/demo.ts'

/** Milliseconds between two products. */
const pauseMs = 100

/** Stands in the page where the products go. */
const place = '<!-- products -->'

/** GET /demo/stream: the head of the page at once, then a product every 100 ms. */
export function showStream(exchange: Exchange, shop: Shop): Reply {
  const frame = frameOf(exchange, shop)
  const [start = '', end = ''] = renderPage(frame, streamView(html`<!-- products -->`))
    .toString()
    .split(place)

  async function* parts(): AsyncGenerator<string> {
    yield start
    for (const product of products) {
      yield streamRow(product, frame).toString()
      await wait(pauseMs)
    }
    yield end
  }

  return stream(Readable.from(encode(parts())), { headers: pageHeaders })
}

/** GET /demo/events: a product every 100 ms, as Server-Sent Events. */
export function showEvents({ signal }: Exchange): Reply {
  async function* events(): AsyncGenerator<string> {
    for (const { slug, name } of products) {
      if (signal.aborted) return
      yield `event: product\nid: ${slug}\ndata: ${JSON.stringify({ slug, name })}\n\n`
      await wait(pauseMs, undefined, { signal }).catch(() => undefined)
    }
  }

  return stream(Readable.from(events()), {
    headers: { 'content-type': 'text/event-stream', 'cache-control': 'no-store' },
  })
}

async function* encode(parts: AsyncIterable<string>): AsyncGenerator<Buffer> {
  for await (const part of parts) yield Buffer.from(part)
}
