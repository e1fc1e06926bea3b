// The package as it is published, in applications of all kinds: CommonJS, TypeScript by type stripping, and a bundle. Case 55 of the
// conformance table.

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { rolldown } from 'rolldown'
import { installPackage } from '../../scripts/built-shop.ts'
import { appFolder, asking, printedBy, type AppFolder, type Ended, type Printed } from '../support/registered-app.ts'

/** Where the package is installed, in the folder. */
const register = './installed/node_modules/fanlight/dist/register.js'

const expressApp = `
app.use(function logger(request, response, next) { next() })
app.get('/orders/:id', function showOrder(request, response) { response.json({}) })`
const koaApp = `
app.use(async function logger(context, next) { await next() })
router.get('/orders/:id', function showOrder(context) { context.body = {} })
app.use(router.routes())`
const path = '/orders/7'

/** Files of applications that call fanlight(app). */
const files = {
  'express.cjs': `
const express = require('express')
const { fanlight } = require('fanlight/express')
const app = fanlight(express())${expressApp}
const server = require('node:http').createServer(app)${asking('server', path)}`,
  'koa.cjs': `
const Koa = require('koa'), { Router } = require('@koa/router')
const { fanlight } = require('fanlight/koa')
const app = fanlight(new Koa()), router = new Router()${koaApp}
const server = require('node:http').createServer(app.callback())${asking('server', path)}`,
  'express.mts': `
import express, { type Express } from 'express'
import { createServer, type Server } from 'node:http'
import { fanlight, type IntegrationOptions } from 'fanlight/express'
const options: IntegrationOptions = { captureBodies: true }
const app: Express = fanlight(express(), options)${expressApp}
const server = createServer(app) satisfies Server${asking('server', path)}`,
  'koa.mts': `
import Koa from 'koa'
import { Router } from '@koa/router'
import { createServer } from 'node:http'
import { fanlight } from 'fanlight/koa'
const app: Koa = fanlight(new Koa()), router = new Router()${koaApp}
const server = createServer(app.callback())${asking('server', path)}`,
} as const

/** The same file without a line of ours. */
function withoutLine(text: string): string {
  return text
    .replaceAll(/^.*'fanlight\/.*$/gm, '')
    .replace(/fanlight\(((?:express|new Koa)\(\))(?:, options)?\)/, '$1')
    .replace(/^const options.*$/m, '')
}

function stepsIn({ profile }: Printed): readonly string[] {
  const events = profile?.data['events'] as { readonly calls: readonly { readonly listener: string }[] } | undefined
  return (events?.calls ?? []).map(({ listener }) => listener)
}

let folder: AppFolder
before(async () => {
  folder = appFolder()
  await installPackage(join(folder.path, 'installed'))
})
after(async () => folder[Symbol.asyncDispose]())

async function run(file: string, text: string, args: readonly string[] = []): Promise<Ended> {
  folder.write(`installed/${file}`, text)
  return folder.run([...args, `installed/${file}`])
}

/** Runs what rolldown makes of the file. */
async function runBundle(name: string, text: string, external: RegExp, args: readonly string[] = []): Promise<Ended> {
  folder.write(`installed/${name}.mts`, text)
  const input = join(folder.path, `installed/${name}.mts`)
  const bundle = await rolldown({ input, platform: 'node', external, logLevel: 'silent' })
  await bundle.write({ file: join(folder.path, `installed/${name}.bundle.mjs`) })
  await bundle.close()
  return folder.run([...args, `installed/${name}.bundle.mjs`])
}

const steps: Readonly<Record<string, readonly string[]>> = { express: ['logger'], koa: ['logger', 'router'] }

function assertSeen(ended: Ended, framework: string): void {
  const printed = printedBy(ended)
  const request = printed.profile?.data['request'] as { readonly handler: string }
  assert.deepEqual([printed.profile?.route, request.handler], ['/orders/:id', 'showOrder'], ended.stderr)
  const more = ended.stderr.replace(/^Fanlight: http:\/\/127\.0\.0\.1:\d+\/_profiler\/\n/, '')
  assert.deepEqual([stepsIn(printed), printed.notes, more], [steps[framework], [], ''])
}

describe('the package as it is published', () => {
  for (const [file, text] of Object.entries(files)) {
    const [framework = ''] = file.split('.')
    it(`${file}: route, handler and steps with fanlight(app)`, async () => {
      assertSeen(await run(file, text), framework)
    })
    it(`${file}: the same with fanlight/register and no line`, async () => {
      assertSeen(await run(`registered.${file}`, withoutLine(text), ['--import', register]), framework)
    })
  }

  it('fanlight/register may be required, too', async () => {
    const text = `require('fanlight/register')\n${withoutLine(files['koa.cjs'])}`
    assertSeen(await run('required.cjs', text), 'koa')
  })
})

describe('an Express application in a bundle', () => {
  const text = files['express.mts']

  it('has everything with fanlight(app), where the package is external', async () => {
    assertSeen(await runBundle('external', text, /^fanlight/), 'express')
  })

  it('has what Express publishes with fanlight/register, and a note that names the rest', async () => {
    const printed = printedBy(await runBundle('registered', withoutLine(text), /^node:/, ['--import', register]))
    assert.equal(printed.profile?.route, '/orders/:id')
    assert.deepEqual(stepsIn(printed), ['logger'])
    assert.match(
      printed.notes.join(),
      /^A bundler made Express part of .+registered\.bundle\.mjs: only what publishes channels .+ Call fanlight\(app\)/,
    )
  })

  it('runs without us where the package became part of it, and says so in one line', async () => {
    const ended = await runBundle('whole', text, /^node:/)
    assert.deepEqual([printedBy(ended).token, printedBy(ended).text], [null, '{}'])
    assert.match(ended.stderr, /^fanlight: off, a bundler made it part of another file; leave the package out .*\n$/)
  })
})
