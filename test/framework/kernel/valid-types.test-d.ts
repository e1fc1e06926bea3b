// Types of what the schemas of a route give, checked by the compiler: what must not compile is behind `@ts-expect-error`.

import * as v from 'valibot'
import { z } from 'zod'
import type { AppOptions } from '../../../src/app/options.ts'
import { json, redirect, type Reply } from '../../../src/base/http/reply.ts'
import type { Exchange } from '../../../src/http/kernel/exchange.ts'
import { RouteCollection } from '../../../src/routing/route-collection.ts'

const Note = v.object({ title: v.string(), tags: v.optional(v.array(v.string()), []) })
const Page = z.object({ page: z.coerce.number().default(1) })

const login = (exchange: Exchange): void => void exchange.request.headers

export const routes: Iterable<unknown> = new RouteCollection()
  .post(
    'note',
    '/notes/{slug}',
    ({ valid, request }) => {
      const title: string = valid.body.title
      const tags: string[] = valid.body.tags
      const page: number = valid.query.page
      // @ts-expect-error -- the schema gives no such member
      return json({ title, tags, page, slug: request.params.slug, none: valid.body.none })
    },
    { body: Note, query: Page, guard: login },
  )
  .post('guarded', '/guarded/{slug}', ({ valid }) => json(valid.body.title satisfies string), {
    body: Note,
    guard: ({ request }) => {
      // @ts-expect-error -- the path has no such parameter
      void request.params.id
    },
  })
  // @ts-expect-error -- there is no body without a schema
  .post('unknown', '/unknown', ({ valid }) => json(valid.body))
  // @ts-expect-error -- there is a schema, but of something else
  .post('other', '/other', ({ valid }) => json(valid.form), { body: Note })
  // What a schema gives may be anything.
  .post('anything', '/anything', ({ valid }) => json([valid.body, valid.query]), { body: z.unknown(), query: z.any() })
  // A handler for routes with and without schemas.
  .post('plain', '/plain', (exchange: Exchange) => json(exchange.valid.body))
  .post('plain_body', '/plain', (exchange: Exchange) => json(exchange.valid.body), { body: Note })
  // @ts-expect-error -- there is no such option
  .post('misspelt', '/misspelt', ({ valid }) => json(valid.query), { requirments: {} })
  .add({
    name: 'added',
    path: '/added/{id}',
    handler: ({ valid }) => json(valid.form.title satisfies string),
    form: Note,
  })
  .group({ path: '/all', query: Page, guard: login }, (group) =>
    group
      .get('list', '/list', ({ valid }) => json(valid.query.page satisfies number))
      .post('both', '/both', ({ valid }) => json([valid.query.page satisfies number, valid.body.tags.length]), {
        body: Note,
      })
      .group({ path: '/{id}', params: z.object({ id: z.coerce.number() }) }, (inner) =>
        inner.get('one', '', ({ valid }) => json((valid.params.id + valid.query.page) satisfies number)),
      ),
  )

// What a handler may not do is said by the compiler.
function showById({ request }: Exchange<{ readonly id: number }>): Reply {
  return json(request.params.id)
}
new RouteCollection()
  .get('by_id', '/a/{id<int>}', showById)
  // @ts-expect-error -- the path has another parameter
  .get('by_slug', '/a/{slug}', showById)
  // @ts-expect-error -- text is no number
  .get('by_text', '/a/{id}', showById)
  // @ts-expect-error -- the path has no such parameter
  .get('misspelt', '/a/{id<int>}', ({ request }) => json(request.params.idd))
  // @ts-expect-error -- the body comes later
  .post('unawaited', '/a', ({ request }) => json(request.body.json().title))
  // @ts-expect-error -- a handler gets one argument
  .get('express', '/a', (request: Exchange, response: { json(value: unknown): void }) => response.json(request))
// @ts-expect-error -- that is no redirect
redirect('/', { status: 200 })
// @ts-expect-error -- the port is a setting
export const options: AppOptions = { routes: new RouteCollection(), port: 3000 }

// A guard of a group says nothing of the parameters of its routes.
function signedIn(_: Exchange): void {}
new RouteCollection().group({ guard: signedIn, name: 'a_' }, (members) =>
  members.get('x', '/x/{id<int>}', ({ request }) => json(request.params.id.toFixed())),
)

// A handler in a file of its own names the values that it reads.
function addNote({ valid }: Exchange<{ readonly id: number }, { readonly body: { readonly title: string } }>): Reply {
  return json(valid.body.title.toUpperCase())
}
const note = v.object({ title: v.string() })
new RouteCollection().post('note', '/notes/{id<int>}', addNote, { body: note })
// @ts-expect-error the schema gives no title
new RouteCollection().post('note', '/notes/{id<int>}', addNote, { body: v.object({ name: v.string() }) })
