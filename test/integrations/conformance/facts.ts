// What differs from framework to framework as a matter of style: how patterns are written, and how handlers are called.

import type { Column } from '../support/conformance.ts'

/** Express 4, Fastify and Hono write the same patterns. */
const star = { files: '/files/*', docs: '/docs/:lang?' }
const named = { files: '/files/*path', docs: '/docs{/:lang}' }

/** A wildcard and an optional segment, as the framework writes them. */
export function patternsOf({ framework, versions }: Column): { readonly files: string; readonly docs: string } {
  switch (framework) {
    case 'express4':
    case 'fastify':
    case 'hono':
    case 'nest-fastify':
      return star
    case 'koa':
      return versions === 'oldest' ? { files: '/files/(.*)', docs: '/docs/:lang?' } : named
    case 'h3':
      return { files: '/files/**', docs: '/docs/:lang?' }
    case 'express':
    case 'nest':
    case 'node':
      return named
  }
}

/** The handler of a route, as its framework tells it. */
export function handlerName({ framework }: Column, name: string): string {
  return framework.startsWith('nest') ? `Orders.${name}` : name
}
