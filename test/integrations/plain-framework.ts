// The smallest framework there can be, with its integration: it tells the observer what frameworks tell, so that the shared part
// is tested without any of theirs.

import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { ListedRoute, Observer } from '../../src/integrations/integration.ts'

export type PlainHandler = (request: IncomingMessage, response: ServerResponse) => unknown

export interface PlainOptions {
  /** By `GET /path`. */
  readonly routes: Readonly<Record<string, PlainHandler>>
  /** Responds to an error in place of the framework. */
  readonly ownErrors?: (thrown: unknown, request: IncomingMessage, response: ServerResponse) => void
  readonly observer: Observer
}

/** The observer of this process; the first `fanlight()` makes it. */
export function observerOfProcess(): Observer {
  const known = Reflect.get(globalThis, Symbol.for('fanlight.integrations')) as { readonly observer: Observer }
  return known.observer
}

/** An application: 404 and 500 are its default responses. */
export function plainApplication({ routes, ownErrors, observer }: PlainOptions): RequestListener {
  const list = (): readonly ListedRoute[] =>
    Object.keys(routes).map((key) => {
      const [method = '', path = ''] = key.split(' ')
      return { methods: [method], path }
    })
  observer.addRoutes(routes, list)
  return (request, response) => {
    const observed = observer.requestOf(request, routes)
    const path = (request.url ?? '/').split('?', 1)[0] ?? '/'
    const handler = routes[`${request.method === 'HEAD' ? 'GET' : (request.method ?? '')} ${path}`]
    if (handler === undefined) {
      observed?.respondsByDefault('miss')
      response.writeHead(404, { 'content-type': 'application/json' }).end('{"message":"Not Found"}')
      return
    }
    observed?.matched({ path, params: {}, handler: handler.name })
    const step = observed?.startStep('handler', 'handler')
    const fail = (thrown: unknown): void => {
      step?.end('error')
      observed?.failed(thrown)
      if (ownErrors !== undefined) {
        observed?.respondsItself()
        ownErrors(thrown, request, response)
        return
      }
      if (response.headersSent) return void response.destroy()
      observed?.respondsByDefault('error')
      response.setHeader('X-Kept', 'yes')
      response.setHeader('Set-Cookie', ['a=1', 'b=2'])
      response.writeHead(500, { 'content-type': 'application/json', ETag: '"e"' }).end('{"message":"It failed"}')
    }
    void (async () => {
      try {
        await handler(request, response)
        step?.end()
      } catch (thrown) {
        fail(thrown)
      }
    })()
  }
}
