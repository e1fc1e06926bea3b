// GraphQL beside other frameworks: operations have names, and errors of resolvers are kept, with the servers that people use and
// both lines of the package `graphql`.

import assert from 'node:assert/strict'
import { createServer, type RequestListener } from 'node:http'
import { createRequire } from 'node:module'
import { after, before, describe, it } from 'node:test'
import { pathToFileURL } from 'node:url'
import express, { type RequestHandler } from 'express'
import { graphql, buildSchema } from 'graphql'
import { ask, listen, profileOf, profilesOf, tokenOf, type Got, type SeenProfile } from './served.ts'

process.env['NODE_ENV'] = 'test'
process.env['FANLIGHT_STORE'] = 'memory:'
await import('../../src/register.ts')
const { fanlight } = await import('../../src/http.ts')
// What needs graphql 16 is beside it.
const require = createRequire(new URL('older/package.json', import.meta.url))
const load = (name: string): Promise<unknown> => import(pathToFileURL(require.resolve(name)).href)

const typeDefs = `
  type Query { product(id: ID): Product broken: String late: String }
  type Product { id: ID price: Float }
  type Mutation { updateProduct(id: ID!): Product }`
const resolvers = {
  Query: {
    product: (_: unknown, { id }: { id: string }) => ({ id }),
    broken: () => {
      throw new TypeError('the resolver is broken')
    },
    late: async () => {
      await Promise.resolve()
      throw new Error('too late')
    },
  },
  Product: { price: async () => 2 },
  Mutation: {
    updateProduct: (_: unknown, { id }: { id: string }) => {
      throw new RangeError(`no product ${id}`)
    },
  },
}

interface Servers {
  apollo(path: string): Promise<RequestHandler>
  yoga(path: string): Promise<RequestHandler>
}

const commonJs: Servers = {
  apollo: async () => apolloOf(require('@apollo/server'), require('@as-integrations/express5')),
  yoga: async (path) => yogaOf(path, require('graphql-yoga')),
}

const modules: Servers = {
  apollo: async () => {
    const file = (name: string, path: string): string =>
      pathToFileURL(require.resolve(name).replace(/dist.cjs.*/, path)).href
    return apolloOf(
      await import(file('@apollo/server', 'dist/esm/index.js')),
      await import(file('@as-integrations/express5', 'dist/esm/index.js')),
    )
  },
  yoga: async (path) => yogaOf(path, await load('graphql-yoga')),
}

async function apolloOf(library: unknown, integration: unknown): Promise<RequestHandler> {
  const { ApolloServer } = library as {
    ApolloServer: new (options: object) => { start(): Promise<void> }
  }
  const { expressMiddleware } = integration as { expressMiddleware(server: object): RequestHandler }
  const server = new ApolloServer({ typeDefs, resolvers, allowBatchedHttpRequests: true })
  await server.start()
  return expressMiddleware(server)
}

function yogaOf(graphqlEndpoint: string, library: unknown): RequestHandler {
  const { createYoga, createSchema } = library as {
    createYoga(options: object): RequestHandler
    createSchema(options: object): object
  }
  return createYoga({
    schema: createSchema({ typeDefs, resolvers }),
    graphqlEndpoint,
    logging: false,
    batching: true,
    maskedErrors: false,
  })
}

/** As Mercurius has it with `jit`: what is asked is a function from then on. */
function compiledQueries(): RequestHandler {
  const { parse } = require('graphql') as { parse(query: string): object }
  const { createSchema } = require('graphql-yoga') as { createSchema(options: object): object }
  const { compileQuery } = require('graphql-jit') as {
    compileQuery(...given: unknown[]): { query(root: object, context: object, variables?: object): Promise<object> }
  }
  const schema = createSchema({ typeDefs, resolvers })
  const known = new Map<string, ReturnType<typeof compileQuery>>()
  return (request, response) => {
    const asked = [request.body].flat() as { query: string; operationName?: string; variables?: object }[]
    const results = asked.map(({ query, operationName, variables }) => {
      const compiled = known.get(query) ?? compileQuery(schema, parse(query), operationName)
      known.set(query, compiled)
      return compiled.query({}, {}, variables)
    })
    void Promise.all(results).then((all) => response.json(Array.isArray(request.body) ? all : all[0]))
  }
}

/** graphql 17 of this repository, which publishes what it does. */
const seventeen = (): RequestHandler => {
  const schema = buildSchema(typeDefs)
  const roots = {
    product: ({ id }: { id: string }) => ({ id, price: 2 }),
    broken: resolvers.Query.broken,
    late: resolvers.Query.late,
    updateProduct: (args: { id: string }) => resolvers.Mutation.updateProduct(undefined, args),
  }
  return (request, response) => {
    const asked = [request.body].flat() as { query: string; operationName?: string }[]
    void Promise.all(
      asked.map(({ query, operationName }) => graphql({ schema, source: query, rootValue: roots, operationName })),
    ).then((results) => response.json(Array.isArray(request.body) ? results : results[0]))
  }
}

for (const [name, make] of [
  ['Apollo Server, CommonJS', commonJs.apollo],
  ['Apollo Server, ESM', modules.apollo],
  ['GraphQL Yoga, CommonJS', commonJs.yoga],
  ['GraphQL Yoga, ESM', modules.yoga],
  ['graphql-jit', async () => compiledQueries()],
  ['graphql 17', async () => seventeen()],
] as const) {
  describe(`GraphQL operations: ${name}`, () => {
    let port: number
    const tests: (() => Promise<void>)[] = []
    before(async () => {
      const app = express()
      app.use('/shop-api', express.json(), await make('/shop-api'))
      app.use('/admin-api', express.json(), await make('/admin-api'))
      ;({ port } = await listen({ after: (work) => tests.push(work) }, createServer(app as RequestListener)))
    })
    after(async () => {
      for (const end of tests) await end()
    })
    const send = (body: unknown, path = '/shop-api'): Promise<Got> =>
      ask(port, { path, method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })
    const seen = async (got: Got): Promise<SeenProfile> => profileOf(port, tokenOf(got))

    it('are told apart by endpoint and name, or by the fields that they ask for', async () => {
      const operations = {
        '/shop-api query Products': { query: 'query Products { product(id: 1) { id price } }' },
        '/admin-api query Products': { query: 'query Products { product(id: 1) { id price } }' },
        '/shop-api query product': {
          query: '{ one: product(id: 1) { id } ...More } fragment More on Query { product(id: 2) { id } }',
        },
        '/shop-api query B': { query: 'query A { late } query B { product { id } }', operationName: 'B' },
        '/shop-api query A, query C': [
          { query: 'query A { product { id } }' },
          { query: 'query C { product { id } }' },
        ],
      }
      // Each twice: what is known by then takes another way.
      for (const [route, body] of [...Object.entries(operations), ...Object.entries(operations)]) {
        const got = await send(body, route.split(' ')[0])
        assert.equal(got.status, 200, got.text)
        const profile = await seen(got)
        assert.equal(profile.route, route)
        assert.equal(profile.errorClass, null)
        assert.match(
          String(got.headers['server-timing']),
          new RegExp(`graphql;desc="${route.split(' ').slice(1).join(' ')}"`),
        )
      }
      const { text } = await ask(port, { path: '/_profiler/runs.json?compare=no&by=route' })
      for (const route of Object.keys(operations)) assert.ok(text.includes(`"${route}"`), text)
      const listed = new Set((await profilesOf(port)).map(({ route }) => route))
      for (const route of Object.keys(operations)) assert.ok(listed.has(route))
    })

    it('keep the error of a resolver with its place, and the status of the response', async () => {
      const failures = {
        '{ broken }': ['TypeError', 'the resolver is broken'],
        '{ late }': ['Error', 'too late'],
        'mutation updateProduct { updateProduct(id: 77) { id } }': ['RangeError', 'no product 77'],
      }
      for (const [query, [errorClass = '', message = '']] of Object.entries(failures)) {
        const got = await send({ query })
        assert.equal(got.status, 200)
        assert.match(got.text, /"errors"/)
        const profile = await seen(got)
        assert.deepEqual([profile.status, profile.errorClass, profile.errorMessage], [200, errorClass, message])
        const { errors } = profile.data['exception'] as { errors: { frames: { file: string; line: number }[] }[] }
        assert.match(errors[0]?.frames[0]?.file ?? '', /graphql\.test\.ts$/)
        assert.match(JSON.stringify(profile.data['notes']), /during this request: a GraphQL resolver failed/)
      }
    })

    it('times resolvers and keeps variables', async () => {
      const query = 'query One($id: ID) { product(id: $id) { id price } }'
      const { data } = await seen(await send({ query, variables: { id: '1' } }))
      const { operations, resolvers: timed } = data['graphql'] as {
        operations: { name: string; document: string }[]
        resolvers: { name: string; count: number }[]
      }
      assert.deepEqual(
        operations.map((operation) => operation.name),
        ['One'],
      )
      const counts = new Set(timed.map((field) => `${field.name} ${field.count}`))
      // Without a resolver of its own, graphql 17 calls a method of the root, and reads a property below it.
      for (const count of name === 'graphql 17' ? ['Query.product 1'] : ['Query.product 1', 'Product.price 1'])
        assert.ok(counts.has(count))
    })
  })
}

it('GraphQL inside the handler of a page does not rename the page', async (test) => {
  const schema = buildSchema('type Query { greeting: String }')
  const server = fanlight(
    createServer((_, response) => {
      void graphql({ schema, source: 'query Greeting { greeting }' }).then(() => response.end('<p>Hello</p>'))
    }),
  )
  const { port } = await listen(test, server)
  const profile = await profileOf(port, tokenOf(await ask(port, { path: '/page?query=shoes' })))
  assert.equal(profile.route, null)
})
