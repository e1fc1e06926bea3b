// Which route a framework matched, what ran on the way there, and what its 404 pages offer.

import assert from 'node:assert/strict'
import { request } from '../../support/raw-client.ts'
import { textOf, type Both, type Case, type Exception } from '../support/conformance.ts'
import type { SeenProfile } from '../support/running-application.ts'
import { handlerName, patternsOf } from './facts.ts'

async function recorded(both: Both, target: string): Promise<SeenProfile> {
  return (await both.sameAndRecorded({ target })).profile
}

function parametersOf(profile: SeenProfile): Record<string, unknown> {
  return Object.fromEntries(profile.data.router.parameters)
}

function stepsOf(profile: SeenProfile): readonly string[] {
  return profile.data.time.spans
    .filter(({ category }) => ['middleware', 'hook', 'handler', 'controller'].includes(category))
    .map(({ name }) => name)
}

/** Without a framework there is no route and no step. */
function noRoute(target: string): Exception {
  return {
    why: 'node:http has no routes',
    check: async (both) => {
      const profile = await recorded(both, target)
      assert.equal(profile.route, null)
      assert.deepEqual(stepsOf(profile), [])
    },
  }
}

function withinRoute(why: string, step: string): Exception {
  return {
    why,
    check: async (both) => {
      const profile = await recorded(both, '/stopped')
      assert.equal(profile.status, 403)
      assert.equal(profile.data.router.pattern, '/stopped')
      assert.ok(step === '' || stepsOf(profile).some((name) => name.includes(step)))
    },
  }
}

export const routes: readonly Case[] = [
  {
    number: 8,
    title: 'two parameters: the pattern and the values',
    check: async (both) => {
      const profile = await recorded(both, '/shops/shade/orders/7')
      assert.equal(profile.data.router.pattern, '/shops/:shop/orders/:id')
      assert.deepEqual(parametersOf(profile), { shop: 'shade', id: '7' })
      assert.deepEqual(profile.data.request.routeParameters, profile.data.router.parameters)
      assert.ok(profile.handler.includes(handlerName(both.column, 'showOrder')), profile.handler)
    },
    exceptions: { node: noRoute('/shops/shade/orders/7') },
  },
  {
    number: 9,
    title: 'a nested router below a prefix with a parameter: the joined pattern',
    check: async (both) => {
      const profile = await recorded(both, '/nested/shade/items/8')
      assert.equal(profile.data.router.pattern, '/nested/:shop/items/:item')
      assert.deepEqual(parametersOf(profile), { shop: 'shade', item: '8' })
    },
    exceptions: { node: noRoute('/nested/shade/items/8') },
  },
  {
    number: 10,
    title: 'optional and wildcard segments: the pattern as the framework writes it',
    check: async (both) => {
      const { files, docs } = patternsOf(both.column)
      assert.equal((await recorded(both, '/files/a/b')).data.router.pattern, files)
      assert.equal((await recorded(both, '/docs')).data.router.pattern, docs)
      assert.equal((await recorded(both, '/docs/de')).data.router.pattern, docs)
    },
    exceptions: { node: noRoute('/files/a/b') },
  },
  {
    number: 11,
    title: 'middleware and hooks: names in the order of entering, with time',
    check: async (both) => {
      const profile = await recorded(both, '/steps')
      const names = ['first', 'second', 'third', handlerName(both.column, 'lastOfAll')].map((name) =>
        name.toLowerCase(),
      )
      const steps = stepsOf(profile).map((name) => name.toLowerCase())
      const seen = names.map((name) => steps.findIndex((step) => step.includes(name)))
      assert.ok(!seen.includes(-1), JSON.stringify(steps))
      assert.deepEqual(
        seen,
        seen.toSorted((a, b) => a - b),
        JSON.stringify(steps),
      )
      const second = profile.data.time.spans.find(({ name }) => name.toLowerCase().includes('second'))
      assert.ok((second?.durationMs ?? 0) >= 3)
    },
    exceptions: { node: noRoute('/steps') },
  },
  {
    number: 12,
    title: 'middleware that responds is named as the handler',
    check: async (both) => {
      const profile = await recorded(both, '/stopped')
      assert.equal(profile.status, 403)
      assert.ok(profile.handler.includes('stopHere'), profile.handler)
    },
    exceptions: {
      fastify: withinRoute('Fastify matches the route first: the hook is on the timeline', 'stopHere'),
      nest: withinRoute('Nest runs guards within the route: its handler is named', ''),
      'nest-fastify': withinRoute('Nest runs guards within the route: its handler is named', ''),
      node: noRoute('/stopped'),
    },
  },
  {
    number: 28,
    title: 'an unknown path: our page names near routes of the application',
    check: async (both) => {
      await both.ownJson({ target: '/jsno' })
      const { profile } = await both.page({ target: '/jsno' }, ['404', '/json'])
      assert.equal(profile.status, 404)
      assert.equal(profile.route, null)
    },
    exceptions: {
      node: {
        why: 'every response of node:http is the application’s own',
        check: async (both) => {
          const { profile } = await both.sameAndRecorded({ target: '/jsno', headers: ['Accept: text/html'] })
          assert.equal(profile.status, 404)
        },
      },
    },
  },
  {
    number: 29,
    title: 'a wrong method: the framework’s status, and which methods there are',
    check: async (both) => {
      await both.ownJson({ method: 'POST', target: '/json' })
      const { response } = await both.page({ method: 'POST', target: '/json' }, ['GET'])
      const isKnown = both.framework === 'koa'
      assert.equal(response.status, isKnown ? 405 : 404)
      assert.match(response.header('allow') ?? '', /GET/)
    },
    exceptions: {
      node: {
        why: 'every response of node:http is the application’s own',
        check: async (both) => {
          await both.same({ method: 'POST', target: '/json', headers: ['Accept: text/html'] })
        },
      },
    },
  },
  {
    number: 66,
    title: 'the routes page lists the routes of the application',
    check: async (both) => {
      const text = textOf((await both.withUs.profiler('routes', 'text/html')).body)
      assert.ok(text.includes('/shops/:shop/orders/:id'))
      assert.ok(text.includes(patternsOf(both.column).files))
    },
    exceptions: {
      node: {
        why: 'node:http has no routes',
        check: async (both) => {
          const text = textOf((await both.withUs.profiler('routes', 'text/html')).body)
          assert.ok(!text.includes('/shops/:shop'))
        },
      },
    },
  },
  {
    number: 51,
    title: 'attached after the routes, after listen(), or twice: still recorded once',
    check: async (both) => {
      for (const when of ['after-routes', 'after-listen', 'twice'] as const) {
        const port = await both.withUs.startAnother(when)
        const response = await request(port, { target: '/shops/shade/orders/7' })
        assert.equal(response.status, 200, when)
        assert.equal(response.headers.filter(([name]) => name === 'x-debug-token').length, 1, when)
        const profile = await both.withUs.profileOf(response)
        assert.equal(profile.status, 200, when)
        if (both.framework === 'node') continue
        assert.deepEqual(parametersOf(profile), { shop: 'shade', id: '7' }, when)
        const failed = await request(port, { target: '/throws', headers: ['Accept: text/html'] })
        assert.match(JSON.stringify((await both.withUs.profileOf(failed)).data.exception), /the stock is empty/, when)
      }
    },
  },
  {
    number: 52,
    title: 'two applications and two servers in one process: each responds for itself',
    check: async (both) => {
      const port = await both.withUs.startAnother('first')
      const [here, there] = await Promise.all([
        both.withUs.send({ target: '/echo/here' }),
        request(port, { target: '/echo/there' }),
      ])
      assert.match(here.body, /"id":"here"/)
      assert.match(there.body, /"id":"there"/)
      assert.ok((await both.withUs.profileOf(here)).url.includes(`:${both.withUs.port}/`))
      assert.ok((await both.withUs.profileOf(there)).url.includes(`:${port}/`))
    },
  },
]
