// Small applications of several frameworks in JavaScript and TypeScript, CommonJS and ESM. Each asks itself for the same path, which fails in
// a handler after a query and a line of the log.

import { asking } from '../../support/registered-app.ts'

export type Kind = 'CommonJS' | 'ESM'
export type FrameworkName = 'Express 4' | 'Express 5' | 'Fastify 5' | 'Koa 3' | 'Nest 11'

const path = '/shops/tea/orders/7'
const asked = asking('server', path, '', 'text/html')

const express = `
import express from 'express'
import { createServer } from 'node:http'
const app = express()
app.use(function timing(request, response, next) { next() })
app.get('/shops/:shop/orders/:id', function showOrder() { work() })
const server = createServer(app)
${asked}`

const applications: Readonly<Record<FrameworkName, string>> = {
  'Express 4': express,
  'Express 5': express,
  'Fastify 5': `
import fastify from 'fastify'
const app = fastify()
app.addHook('onRequest', async function timing() {})
app.get('/shops/:shop/orders/:id', async function showOrder() { work() })
app.ready(() => {
const { server } = app
${asked}
})`,
  'Koa 3': `
import Koa from 'koa'
import { Router } from '@koa/router'
import { createServer } from 'node:http'
const app = new Koa(), router = new Router({ prefix: '/shops' })
app.silent = true
app.use(async function timing(context, next) { await next() })
router.get('/:shop/orders/:id', async function showOrder() { work() })
app.use(router.routes())
const server = createServer(app.callback())
${asked}`,
  // Decorators are called: JavaScript has none, and not every compiler the same.
  'Nest 11': `
import 'reflect-metadata'
import { Controller, Get, Module } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
class Orders { showOrder() { work() } }
Get(':shop/orders/:id')(Orders.prototype, 'showOrder', Object.getOwnPropertyDescriptor(Orders.prototype, 'showOrder'))
Controller('shops')(Orders)
class AppModule {}
Module({ controllers: [Orders] })(AppModule)
NestFactory.create(AppModule, { logger: false }).then(async (app) => {
app.use(function timing(request, response, next) { next() })
await app.init()
const server = app.getHttpServer()
${asked}
})`,
}

const work = `
import Database from 'better-sqlite3'
import winston from 'winston'
const database = new Database(':memory:')
const logger = winston.createLogger({ transports: [new winston.transports.Console()] })
function work() {
  database.prepare('SELECT 1 AS here').all()
  logger.info('asked')
  throw new Error('Not in stock')
}`

/** TypeScript has an \`enum\`, which only a compiler understands. */
export function sourceOf(framework: FrameworkName, kind: Kind, isTypeScript: boolean): string {
  const text = applications[framework] + work
  if (isTypeScript) return `// @ts-nocheck\nenum Kind { Order = 'order' }\nconst kind: Kind = Kind.Order\n${text}`
  if (kind === 'ESM') return text
  return text
    .replaceAll(/^import (.+) from ('.+')$/gm, 'const $1 = require($2)')
    .replaceAll(/^import ('.+')$/gm, 'require($1)')
}
