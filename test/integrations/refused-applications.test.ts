// What `fanlight()` of each framework does not take: the error names what it was given, and what to hand over.

import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import { it } from 'node:test'

process.env['NODE_ENV'] = 'development'
process.env['FANLIGHT_STORE'] = 'memory:'

const require = createRequire(import.meta.url)
const express = require('express') as { (): object; Router(): object }
const fastify = require('fastify') as () => object
const Koa = require('koa') as new () => object
const Router = (require('@koa/router') as { default: new () => object }).default
const { Hono } = require('hono') as { Hono: new () => object }

const takes = {
  express: 'an Express application',
  fastify: 'a Fastify application',
  hono: 'a Hono application',
  h3: 'an h3 application',
  koa: 'a Koa application',
  nest: 'a Nest application',
} as const

const importOf = (name: string): string => `import { fanlight } from 'fanlight/${name}' for it`

for (const [name, given, not] of [
  ['express', undefined, 'undefined'],
  ['express', express.Router(), 'an Express router: hand over the application that uses it'],
  ['express', express, 'the function createApplication: pass what it returns'],
  ['express', fastify(), `a Fastify application: ${importOf('fastify')}`],
  ['fastify', undefined, 'undefined'],
  ['fastify', 'app', 'a string'],
  ['fastify', fastify, 'the function fastify: pass what it returns'],
  ['fastify', Promise.resolve(), 'a promise: await it first'],
  ['fastify', express(), `an Express application: ${importOf('express')}`],
  ['fastify', new Koa(), `a Koa application: ${importOf('koa')}`],
  ['h3', createServer(), 'an HTTP server: hand over the application that it serves'],
  ['h3', new Hono(), `a Hono application: ${importOf('hono')}`],
  ['hono', null, 'null'],
  ['hono', fastify(), `a Fastify application: ${importOf('fastify')}`],
  ['koa', undefined, 'undefined'],
  ['koa', Koa, 'the class Application: make an application with new'],
  ['koa', new Router(), 'a Koa router: hand over the application that uses it'],
  ['koa', createServer(), 'an HTTP server: hand over the application that it serves'],
  ['koa', {}, 'an object of another kind'],
  ['nest', undefined, 'undefined'],
  ['nest', Promise.resolve(), 'a promise: await it first'],
  ['nest', express(), `an Express application: ${importOf('express')}`],
] as const) {
  it(`fanlight/${name}: does not take ${not}`, async () => {
    const { fanlight } = (await import(`../../src/${name}.ts`)) as { fanlight: (given: unknown) => unknown }
    const message = `fanlight/${name} takes ${takes[name]}, not ${not}`
    assert.throws(() => fanlight(given), { name: 'TypeError', message })
  })
}
