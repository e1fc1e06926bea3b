// What every server of the bench serves: the same 50 routes, the same bodies, and the requests that are sent.

/** A route: method, and path in our notation. */
export interface BenchRoute {
  readonly name: string
  readonly method: 'GET' | 'POST'
  readonly path: string
}

/** One request of the bench, and what a right answer is. */
export interface BenchRequest {
  readonly name: string
  readonly method: string
  readonly path: string
  readonly status: number
  /** What the answer must hold, as a sign that the work was done. */
  readonly holds: string
  readonly body?: string
  /** Default: none, which gets a page from us. */
  readonly accept?: string
  /** Lua that makes each path a new one; wrk runs it before each request. */
  readonly freshPath?: boolean
}

/** Answer of the static route. */
export const statusBody = { status: 'ok', service: 'bench', version: '1.0.0', uptime: 12_345 }

/** Answer of the route with parameters. */
export const postBody = (user: string, post: string): object => ({ user, post, title: 'A post', tags: ['a', 'b'] })

/** A page of 20 KB, as a controller would return it: made once, because templates are not what is measured. */
export const pageBody: string = makePage()

/** 1 KB of JSON to send. */
export const orderBody: string = JSON.stringify({
  customer: 4711,
  items: Array.from({ length: 12 }, (_, index) => ({
    sku: `article-${1000 + index}`,
    quantity: index + 1,
    price: '19.90',
  })),
  note: 'x'.repeat(330),
})

/** Answer to the sent JSON. */
export const orderAnswer = (order: unknown): object => ({
  items: (order as { items: readonly unknown[] }).items.length,
  accepted: true,
})

/** The 50 routes: five that are asked, and forty-five of a usual application. */
export const routes: readonly BenchRoute[] = [
  { name: 'status', method: 'GET', path: '/api/status' },
  { name: 'user_post', method: 'GET', path: '/users/{user}/posts/{post}' },
  { name: 'page', method: 'GET', path: '/page' },
  { name: 'order', method: 'POST', path: '/api/orders' },
  { name: 'home', method: 'GET', path: '/' },
  ...'accounts baskets brands campaigns carts comments coupons events invoices labels media notes offers returns reviews'
    .split(' ')
    .flatMap((noun): BenchRoute[] => [
      { name: `${noun}_list`, method: 'GET', path: `/api/${noun}` },
      { name: `${noun}_show`, method: 'GET', path: `/api/${noun}/{id}` },
      { name: `${noun}_add`, method: 'POST', path: `/api/${noun}` },
    ]),
]

/** The requests, in the order of the table. */
export const requests: readonly BenchRequest[] = [
  { name: 'static JSON', method: 'GET', path: '/api/status', status: 200, holds: '"service":"bench"' },
  { name: 'two parameters', method: 'GET', path: '/users/42/posts/7', status: 200, holds: '"user":"42","post":"7"' },
  { name: 'unmatched path', method: 'GET', path: '/no/such/page', status: 404, holds: '' },
  {
    name: 'unmatched path, as JSON',
    method: 'GET',
    path: '/no/such/page',
    status: 404,
    holds: '',
    accept: 'application/json',
  },
  { name: 'unmatched, each new', method: 'GET', path: '/no/such/page', status: 404, holds: '', freshPath: true },
  { name: 'wrong method', method: 'DELETE', path: '/api/status', status: 405, holds: '' },
  {
    name: 'wrong method, as JSON',
    method: 'DELETE',
    path: '/api/status',
    status: 405,
    holds: '',
    accept: 'application/json',
  },
  { name: '20 KB page', method: 'GET', path: '/page', status: 200, holds: '</html>' },
  { name: 'POST 1 KB JSON', method: 'POST', path: '/api/orders', status: 200, holds: '"items":12', body: orderBody },
]

/** `/users/{user}` as `/users/:user`. */
export function colons(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1')
}

function makePage(): string {
  const row =
    '<tr><td>Article</td><td>A line of text of a usual length, with umlauts left out</td><td>19.90</td></tr>\n'
  const head = '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Page</title></head><body><table>\n'
  const tail = '</table></body></html>\n'
  return head + row.repeat(Math.ceil((20_480 - head.length - tail.length) / row.length)) + tail
}
