// Express and Nest without a line in the application, with `fanlight/register`.

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { before, describe, it } from 'node:test'
import { appFolder, asking, printedBy, register, type Ended } from '../support/registered-app.ts'
import { noBodiesOfFetch } from '../support/node-features.ts'

const older = join(import.meta.dirname, 'older/node_modules')
const packages = join(import.meta.dirname, '../../node_modules')

const shop = (name: string, express: string): string => `
const express = require(${JSON.stringify(express)})
const app = express()
app.use(function logger(request, response, next) { next() })
const shops = express.Router({ mergeParams: true })
shops.get('/orders/:order', function showOrder(request, response) { response.json(request.params) })
app.use('/shops/:shop', shops)
const server = require('node:http').createServer(app)
${asking('server', '/shops/7/orders/3', name)}`

const cats = (name: string, from: string, platform: string): string => `
require(${JSON.stringify(join(from, 'reflect-metadata'))})
const { Controller, Get, Module, Param, UseGuards } = require(${JSON.stringify(join(from, '@nestjs/common'))})
const { NestFactory } = require(${JSON.stringify(join(from, '@nestjs/core'))})
class Members { canActivate() { return true } }
class Cats { getCat(id) { return { id } } }
Param('id')(Cats.prototype, 'getCat', 0)
Get(':id')(Cats.prototype, 'getCat', Object.getOwnPropertyDescriptor(Cats.prototype, 'getCat'))
UseGuards(Members)(Cats)
Controller('cats')(Cats)
class AppModule {}
Module({ controllers: [Cats] })(AppModule)
const made = ${platform === 'fastify'}
  ? NestFactory.create(AppModule, new (require(${JSON.stringify(join(from, '@nestjs/platform-fastify'))}).FastifyAdapter)(), { logger: false })
  : NestFactory.create(AppModule, { logger: false })
made.then(async (app) => {
  await app.init()
  await app.getHttpAdapter().getInstance().ready?.()
  const server = app.getHttpServer()
  ${asking('server', '/cats/5', name)}
})`

/** Sends with both builds of the package, which have their own class each. */
const mails = `
const express = require('express')
const common = require('nodemailer').createTransport({ streamTransport: true, buffer: true })
const loaded = import('nodemailer').then(({ createTransport }) => createTransport({ streamTransport: true, buffer: true }))
const app = express()
app.get('/order', async (request, response) => {
  const sent = []
  for (const mailer of [common, await loaded]) {
    sent.push((await mailer.sendMail({ to: 'ada@example.org', subject: 'Your order' })).response ?? 'sent')
  }
  response.json(sent)
})
const server = require('node:http').createServer(app)
${asking('server', '/order', 'mails')}`

interface Mails {
  readonly entries: readonly { readonly to: readonly string[]; readonly subject: string; readonly isHeld: boolean }[]
}

interface Steps {
  readonly calls: readonly { readonly listener: string }[]
}

const calls = `
const app = require('express')()
app.post('/v1/chat/completions', (request, response) => {
  response.json({ model: 'small-2026', choices: [], usage: { prompt_tokens: 3, completion_tokens: 4 } })
})
app.get('/ask', async (request, response) => {
  const init = { method: 'POST', body: JSON.stringify({ model: 'small', messages: [] }) }
  response.json((await (await fetch('http://' + request.headers.host + '/v1/chat/completions', init)).json()).model)
})
const server = require('node:http').createServer(app)
${asking('server', '/ask', 'calls')}`

/** Runs applications in one process. */
async function run(applications: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Ended> {
  await using app = appFolder({ 'app.cjs': applications.map((code) => `{\n${code}\n}`).join('\n') })
  return await app.run(['--import', register, 'app.cjs'], env)
}

/** Versions of Express and of Nest in one process, and where their packages are. */
const generations = [
  { express: 'Express 5', nest: 'Nest 12', from: packages },
  { express: 'Express 4', nest: 'Nest 11', from: older },
]

for (const { express, nest, from } of generations) {
  describe(`fanlight/register with ${express} and ${nest}`, () => {
    const platforms = ['express', 'fastify']
    let ended: Ended
    before(async () => {
      ended = await run([
        shop(express, join(from, 'express')),
        ...platforms.map((platform) => cats(`${nest} on ${platform}`, from, platform)),
      ])
    })

    it(`shows route and steps of ${express}, and notes nothing`, () => {
      const { profile, notes, text } = printedBy(ended, express)
      assert.equal(text, '{"shop":"7","order":"3"}')
      assert.equal(profile?.route, '/shops/:shop/orders/:order')
      const steps = (profile.data['events'] as Steps).calls.map(({ listener }) => listener)
      assert.deepEqual(steps.slice(-2), ['logger', 'router /shops/:shop'])
      assert.deepEqual(notes, [])
    })

    for (const platform of platforms) {
      it(`shows route, method and guards of ${nest} on ${platform}, and notes nothing`, () => {
        const { profile, notes, text } = printedBy(ended, `${nest} on ${platform}`)
        assert.equal(text, '{"id":"5"}')
        assert.equal(profile?.route, '/cats/:id')
        assert.equal((profile.data['request'] as { handler: string }).handler, 'Cats.getCat')
        const steps = (profile.data['events'] as Steps).calls.map(({ listener }) => listener)
        assert.equal(steps.at(-1), 'guard Members')
        assert.deepEqual(notes, [])
      })
    }
  })
}

describe('mails and language models with fanlight/register', () => {
  let sending: Ended
  before(async () => {
    sending = await run([mails, calls], { FANLIGHT_MAIL: 'send' })
  })

  for (const [held, response] of [
    [false, 'sent'],
    [true, '250 Held back by Fanlight'],
  ] as const) {
    it(`shows mails ${held ? 'that are held back' : 'that are sent'}, and notes nothing`, async () => {
      const ended = held ? await run([mails], { FANLIGHT_MAIL: 'hold' }) : sending
      const { profile, notes, text } = printedBy(ended, 'mails')
      assert.deepEqual(JSON.parse(text), [response, response])
      assert.ok(profile)
      const { entries } = profile.data['mail'] as Mails
      const mail = ['ada@example.org', 'Your order', held]
      assert.deepEqual(
        entries.map(({ to, subject, isHeld }) => [to[0], subject, isHeld]),
        [mail, mail],
      )
      assert.deepEqual(notes, [])
    })
  }

  it('shows a call of a language model, and notes nothing', { skip: noBodiesOfFetch }, () => {
    const { profile, notes, text } = printedBy(sending, 'calls')
    assert.equal(text, '"small-2026"')
    assert.ok(profile)
    const { entries } = profile.data['ai'] as { readonly entries: readonly Readonly<Record<string, unknown>>[] }
    assert.deepEqual(
      entries.map(({ model, responseModel, inputTokens, outputTokens }) => [
        model,
        responseModel,
        inputTokens,
        outputTokens,
      ]),
      [['small', 'small-2026', 3, 4]],
    )
    assert.deepEqual(notes, [])
  })
})
