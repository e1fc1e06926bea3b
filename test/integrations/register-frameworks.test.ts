// Versions of frameworks between the newest and the oldest, one that was not tested, and a bundle, where load hooks find nothing: with
// `fanlight/register` and not a line in the application.

import assert from 'node:assert/strict'
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { rolldown } from 'rolldown'
import { appFolder, asking, printedBy, register } from '../support/registered-app.ts'

const path = '/orders/7'

/** Code that makes `server`, with `load` for packages. */
const express = (name: string): string => `
const app = load('${name}')()
app.get('/orders/:id', function showOrder(request, response) { response.json({}) })
const server = createServer(app)`
const koaOf = (application: string): string => `
const app = ${application}, router = new (load('@koa/router').Router ?? load('@koa/router'))()
router.get('/orders/:id', (context) => { context.body = {} })
app.use(router.routes())
const server = createServer(app.callback())`
const koa = koaOf(`new (load('koa'))()`)
/** Feathers is such an application. */
const copiedKoa = koaOf(`((own) => Object.create(load('events').prototype, {
  ...Object.getOwnPropertyDescriptors(Object.getPrototypeOf(own)),
  ...Object.getOwnPropertyDescriptors(own),
}))(new (load('koa'))())`)

const packages = join(import.meta.dirname, 'older/node_modules')
const keepsLinks = ['--preserve-symlinks', '--preserve-symlinks-main'] as const

function applicationOf(code: string): string {
  return `const load = require, { createServer } = require('node:http')\n${code}\n${asking('server', path)}`
}

/** Links the older packages into a folder of the application; `place` puts the one that is asked for there. */
function installOlder(app: string, name: string, place: (here: string) => void): void {
  const here = join(app, 'old/node_modules')
  mkdirSync(here)
  for (const each of readdirSync(packages)) if (each !== name) symlinkSync(join(packages, each), join(here, each))
  place(join(here, name))
}

const redirects = `
import { createServer } from 'node:http'
import { H3, redirect, toNodeHandler } from 'h3'
const app = new H3({ silent: true })
app.get('/self', async () => {
  await null
  return redirect('/self')
})
const server = createServer(toNodeHandler(app)).listen(0, '127.0.0.1', async () => {
  const ask = (path) => {
    const headers = { accept: 'application/json', connection: 'close' }
    return fetch('http://127.0.0.1:' + server.address().port + path, { redirect: 'manual', headers })
  }
  let profile
  for (const _ of [1, 2]) {
    const token = (await ask('/self')).headers.get('x-debug-token')
    do profile = await (await ask('/_profiler/' + token)).json()
    while (JSON.stringify(profile).includes('has not ' + 'ended yet'))
  }
  console.log(JSON.stringify(profile.data.findings))
  process.exit()
})`

describe('fanlight/register with', () => {
  it('h3: the line that made a redirect', async () => {
    await using app = appFolder({ 'app.mjs': redirects.trimStart() })
    const { stdout, stderr } = await app.run(['--import', register, 'app.mjs'])
    assert.match(stdout, /"kind":"redirect_loop".*"place":"app\.mjs:6"/, stderr)
  })

  for (const [name, code, folder, alias] of [
    ['Express 5.0.1', express('express'), 'express', 'express5'],
    ['Koa 2.16.4', koa, 'koa', 'koa2'],
    ['an application with the members of Koa 2.16.4', copiedKoa, 'koa', 'koa2'],
  ] as const) {
    it(`${name}: route, and nothing to note`, async () => {
      await using app = appFolder({ 'old/app.cjs': applicationOf(code) })
      // The package is installed under another name, beside another version.
      installOlder(app.path, folder, (here) => symlinkSync(join(packages, alias), here))
      const printed = printedBy(await app.run([...keepsLinks, '--import', register, 'old/app.cjs']))
      assert.deepEqual([printed.profile?.route, printed.notes], ['/orders/:id', []])
    })
  }

  it('a version that was not tested: route, and a note with those that were', async () => {
    await using app = appFolder({ 'old/app.cjs': applicationOf(koa) })
    installOlder(app.path, 'koa', (here) => {
      cpSync(join(packages, 'koa'), here, { recursive: true })
      const file = join(here, 'package.json')
      writeFileSync(file, readFileSync(file, 'utf8').replace('"version": "3.0.0"', '"version": "3.99.1"'))
    })
    const printed = printedBy(await app.run([...keepsLinks, '--import', register, 'old/app.cjs']))
    assert.equal(printed.profile?.route, '/orders/:id')
    assert.deepEqual(printed.notes, [
      'Koa 3.99.1 was not tested, but 2.16.4 and 3.0.0 to 3.3.0; what is shown may be incomplete',
    ])
  })

  it('a bundle: the request is recorded, and the status page says what is missing', async () => {
    await using app = appFolder({
      'app.mjs': `
import { createServer } from 'node:http'
import Koa from 'koa'
const app = new Koa()
app.use((context) => { context.body = {} })
const server = createServer(app.callback())
${asking('server', path)}`,
    })
    const bundle = await rolldown({ input: join(app.path, 'app.mjs'), platform: 'node', logLevel: 'silent' })
    await bundle.write({ file: join(app.path, 'bundle.mjs') })
    await bundle.close()
    const printed = printedBy(await app.run(['--import', register, 'bundle.mjs']))
    assert.notEqual(printed.token, null)
    assert.equal(printed.profile?.route, null)
    assert.match(printed.notes.join('\n'), /^A bundler made Koa part of \S+bundle\.mjs:/m)
  })
})
