// Checked by the compiler only.
import type { Handler } from '../../src/kernel/handler.ts'
import { RouteCollection } from '../../src/routing/route-collection.ts'
import { UrlGenerator } from '../../src/routing/url-generator.ts'
const ok = (): Response => new Response()
const routes = new RouteCollection()
  .get('product', '/products/{slug}', (exchange) => new Response(exchange.params.slug + exchange.context.path))
  .get('archive', '/archive/{year<\\d{4}>}/{month?}', (exchange) => {
    const m: string | null = exchange.params.month
    return new Response(m)
  })
  .group({ name: 'blog_', path: '/blog/{lang}' }, (g) =>
    g.get('show', '/{id}', (e) => new Response(e.params.lang + e.params.id)),
  )
const u = new UrlGenerator(routes, { scheme: 'http', host: 'x' })
u.url('product', { slug: 'x' })
u.url('archive', { year: 1 })
u.url('blog_show', { lang: 'x', id: 1, page: 3 })
// @ts-expect-error unknown
u.url('nope')
// @ts-expect-error missing
u.url('product')
// @ts-expect-error missing
u.url('blog_show', { lang: 'x' })
export const h: Handler = ok
