// Types of the route table, checked by the compiler: what must not compile is behind `@ts-expect-error`.

import type { Exchange } from '../../../src/http/kernel/exchange.ts'
import type { Params, UrlParams } from '../../../src/routing/route-definition.ts'
import { RouteCollection } from '../../../src/routing/route-collection.ts'
import { UrlGenerator } from '../../../src/routing/url-generator.ts'

/** Assignable both ways, key by key. */
type Same<One, Other> = [One, Other] extends [Other, One] ? ([keyof One] extends [keyof Other] ? true : false) : false

/** Compiles only where both types are the same. */
function same<One, Other>(..._proof: Same<One, Other> extends true ? [] : [never]): void {
  // Types only.
}

// eslint-disable-next-line typescript/no-generated-empty-object-type -- a path without parameters
same<keyof Params<'/'>, never>()
same<Params<'/a/{x}'>, { readonly x: string }>()
same<Params<'/a/{x}/{y}.{z}'>, { readonly x: string; readonly y: string; readonly z: string }>()
same<Params<'/a/{x<\\d+>}'>, { readonly x: string }>()
same<Params<'/a/{x<\\d{2,4}>}/{y}'>, { readonly x: string; readonly y: string }>()
same<Params<'/a/{x<(?<=a)b>?c}/{y}'>, { readonly x: string; readonly y: string }>()
same<Params<'/a/{x?1}'>, { readonly x: string }>()
same<Params<'/a/{x?}'>, { readonly x: string | null }>()
same<Params<'/a/{!x?1}'>, { readonly x: string }>()
// eslint-disable-next-line typescript/no-generated-empty-object-type -- a path without parameters
same<keyof Params<'/a/{x y}/{}'>, never>()
same<Params<'/a/{x<int>}'>, { readonly x: number }>()
same<Params<'/a/{x<int>?1}/{y<int>?}'>, { readonly x: number; readonly y: number | null }>()
same<Params<'/a/{x<int>}/{y<inter>}/{z<uuid>}'>, { readonly x: number; readonly y: string; readonly z: string }>()
same<Params<'/a/{!x<int>}'>, { readonly x: number }>()
same<Params<string>, Readonly<Record<string, string>>>()
same<UrlParams<'/a/{x}'>['x'], string | number | boolean | null>()
same<UrlParams<'/a/{x<int>}'>['x'], number | `${bigint}` | null>()

const answer = (): Response => new Response()

const routes = new RouteCollection()
  .get('home', '/', answer)
  .get('product', '/products/{slug}', (exchange) => {
    same<typeof exchange, Exchange<{ readonly slug: string }>>()
    // @ts-expect-error -- the path has no such parameter
    return new Response(exchange.request.params.id)
  })
  .add({
    name: 'archive',
    path: '/archive/{year<\\d{4}>}/{month?}',
    methods: ['GET'],
    handler: ({ request: { params } }) => new Response(params.month ?? params.year),
  })
  .get('about', { en: '/about/{who}', fr: '/a-propos/{who}' }, (exchange) => new Response(exchange.request.params.who))
  .group({ name: 'shop_', path: '/shop/{lang}' }, (group) => {
    return group.get(
      'item',
      '/items/{id}',
      (exchange) => new Response(exchange.request.params.lang + exchange.request.params.id),
    )
  })
  .get(
    'order',
    '/orders/{id<int>}/{page<int>?1}',
    ({ request: { params } }) => new Response('x'.repeat(params.id + params.page)),
  )
  .mount('/api', new RouteCollection().get('user', '/users/{id}', answer))
  .merge(new RouteCollection().post('login', '/login', answer))

const urls = new UrlGenerator(routes, { scheme: 'http', host: 'a.test' })

export const made: readonly string[] = [
  urls.url('home'),
  urls.url('product', { slug: 'tea' }),
  urls.url('product', { slug: 'tea', page: 2 }, { type: 'absolute_url', fragment: 'top' }),
  urls.url('archive', { year: 2024 }),
  urls.url('archive', { year: 2024, month: null }),
  urls.url('about', { who: 'us', _locale: 'fr' }),
  urls.url('shop_item', { lang: 'en', id: 7 }),
  urls.url('user', { id: 7 }),
  urls.url('login'),
  urls.url('order', { id: 7 }),
  urls.url('order', { id: '7', page: 2 }),
]

export const refused = (): readonly string[] => [
  // @ts-expect-error -- no route of this name
  urls.url('produkt', { slug: 'tea' }),
  // @ts-expect-error -- a parameter is missing
  urls.url('product'),
  // @ts-expect-error -- a parameter is missing
  urls.url('product', {}),
  // @ts-expect-error -- the parameter of the group is missing
  urls.url('shop_item', { id: 7 }),
  // @ts-expect-error -- the name has the prefix of its group
  urls.url('item', { lang: 'en', id: 7 }),
  // @ts-expect-error -- a record is no value of a parameter
  urls.url('product', { slug: { a: 1 } }),
  // @ts-expect-error -- a number is asked for
  urls.url('order', { id: 'seven' }),
  // @ts-expect-error -- no such form
  urls.url('home', {}, { type: 'relative' }),
]

// @ts-expect-error -- a handler answers
new RouteCollection().get('silent', '/silent', () => 1)

// Of a collection that was added to in statements nothing is known, so every name is possible.
const untyped = new RouteCollection()
untyped.get('late', '/late/{x}', (exchange) => new Response(exchange.request.params.x))
export const late: string = new UrlGenerator(untyped, { scheme: 'http', host: 'a.test' }).url('late', { x: 1 })

/** A helper for exchanges of all routes, whatever their parameters are. */
declare function helper(exchange: Exchange): Response
new RouteCollection()
  .get('number', '/numbers/{id<int>}', (exchange) => helper(exchange))
  .get('nullable', '/pages/{page?}', (exchange) => helper(exchange))
  .get('default', '/lists/{page<int>?1}', (exchange) => helper(exchange))
  .get('plain', '/plain', helper)
