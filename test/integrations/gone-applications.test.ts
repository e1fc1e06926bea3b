// Applications and requests that are gone: what integrations know of them does not keep them in memory.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import Router from '@koa/router'
import express from 'express'
import Fastify from 'fastify'
import { H3 } from 'h3'
import { Hono } from 'hono'
import Koa from 'koa'
import { createServer } from 'node:http'
import { until } from '../support/until.ts'
import { ask, listen } from './served.ts'

process.env['NODE_ENV'] = 'development'
process.env['FANLIGHT_STORE'] = 'memory:'
const { attachWhenOn } = await import('../../src/integrations/switch.ts')

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

const made: Readonly<Record<string, () => object>> = {
  express: () => attachWhenOn('express', express(), {}).get('/left', () => undefined),
  fastify: () => attachWhenOn('fastify', Fastify(), {}).get('/left', async () => 'gone'),
  koa: () => attachWhenOn('koa', new Koa(), {}).use(new Router().get('/left', () => undefined).routes()),
  hono: () => attachWhenOn('hono', new Hono(), {}).get('/left', (context) => context.text('gone')),
  h3: () => attachWhenOn('h3', new H3(), {}).get('/left', () => 'gone'),
}

async function pathsOf(port: number): Promise<readonly string[]> {
  const { text } = await ask(port, { path: '/_profiler/routes', headers: { accept: 'text/html', connection: 'close' } })
  return text.match(/\/(?:left|kept)\b/g) ?? []
}

describe('applications that are gone', () => {
  for (const [name, make] of Object.entries(made)) {
    it(`${name}: hundreds of them are given back to memory`, async () => {
      const references: WeakRef<object>[] = []
      // Many are made in turns of their own: a reference keeps its application for the turn in which it was made.
      for (let turn = 0; turn < 20; turn += 1) {
        for (let count = 0; count < 20; count += 1) references.push(new WeakRef(make()))
        await new Promise((resolve) => setImmediate(resolve))
      }
      await until(() => {
        collect()
        // What a stack or a cache still names is not a list that grows.
        return references.filter((reference) => reference.deref() !== undefined).length < references.length / 20
      })
    })
  }

  it('leave the list of routes, and those that are there stay in it', async (test) => {
    const kept = attachWhenOn('express', express(), {})
    kept.get('/kept', (_request, response) => void response.send('kept'))
    const { port } = await listen(test, createServer(kept))
    let held: object | undefined = made['hono']?.()
    assert.ok(held !== undefined)
    await ask(port, { path: '/kept' })
    assert.deepEqual(new Set(await pathsOf(port)), new Set(['/kept', '/left']))
    held = undefined
    await until(async () => {
      collect()
      return !(await pathsOf(port)).includes('/left')
    })
    assert.deepEqual(new Set(await pathsOf(port)), new Set(['/kept']))
  })
})

describe('a request that has ended', () => {
  for (const method of ['GET', 'POST']) {
    it(`${method}: is given back to memory while work goes on that it has begun`, async (test) => {
      const references: WeakRef<object>[] = []
      const timers: NodeJS.Timeout[] = []
      test.after(() => timers.forEach((timer) => clearTimeout(timer)))
      const app = attachWhenOn('express', express(), {})
      app.use(express.json(), (request, response) => {
        references.push(new WeakRef(request), new WeakRef(response))
        timers.push(setTimeout(() => undefined, 600_000))
        response.json(request.body ?? null)
      })
      const { port } = await listen(test, createServer(app))
      const headers = { connection: 'close', 'content-type': 'application/json' }
      for (let count = 0; count < 10; count += 1) {
        await ask(port, { method, headers, ...(method === 'POST' ? { body: '{}' } : {}) })
      }
      assert.equal(references.length, 20)
      await until(() => {
        collect()
        return references.filter((reference) => reference.deref() !== undefined).length <= 2
      })
    })
  }
})
