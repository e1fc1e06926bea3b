// Express 5 and 4, newest and oldest: the versions differ in how patterns are written, and in what becomes of a rejection.

import compression from 'compression'
import cors from 'cors'
import express, { Router, type ErrorRequestHandler, type NextFunction, type Request, type Response } from 'express'
import session from 'express-session'
import helmet from 'helmet'
import morgan from 'morgan'
import multer from 'multer'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { Readable } from 'node:stream'
import passportModule from 'passport'
import { Strategy } from 'passport-local'
import { htmlRoutes, jsonRoutes, lastOf, whenReady } from './alike.ts'
import {
  errorWithStatus,
  events,
  largePage,
  orders,
  ownKeys,
  page,
  staticFolder,
  streamedPage,
  type Build,
} from './application.ts'
import { callOthers, ownContext } from './work.ts'

const isFour = process.env['CONFORMANCE_FRAMEWORK'] === 'express4'

const build: Build = (attach) => {
  const app = attach(express())
  const accesses: string[] = []
  app.use(function refuseStrangers(request: Request, response: Response, next: NextFunction) {
    if (request.path.startsWith('/_profiler')) response.status(401).send('log in first')
    else next()
  })
  app.use(morgan(':method :url :status', { stream: { write: (line) => void accesses.push(line.trim()) } }))
  app.use((request, _response, next) => ownContext.run(request.path, next))
  app.use('/static', express.static(staticFolder))

  for (const [path, handle] of Object.entries(jsonRoutes)) {
    app.get(path, (request, response) => whenReady(handle(lastOf(request.path)), (value) => void response.json(value)))
  }
  for (const [path, text] of Object.entries(htmlRoutes)) {
    app.get(path, (_request, response) => void response.type('html').send(text))
  }
  app.get('/streamed/:gate', (request, response) => {
    response.type('html')
    Readable.from(streamedPage(request.params.gate)).pipe(response)
  })
  app.get('/events/:gate', (request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' })
    Readable.from(events(request.params.gate)).pipe(response)
  })
  app.get('/nothing', (_request, response) => void response.status(204).end())
  app.get('/redirect', (_request, response) => response.redirect('/html'))
  app.get('/cookies', (_request, response) => {
    response.cookie('shop', 'lamps').cookie('theme', 'dark').set('server-timing', 'shelf;dur=1').json({ ok: true })
  })
  app.get('/status-message', (_request, response) => {
    response.statusMessage = 'Fine Indeed'
    response.end('ok')
  })

  app.get('/shops/:shop/orders/:id', function showOrder(request: Request, response: Response) {
    response.json(request.params)
  })
  const nested = Router({ mergeParams: true })
  nested.get('/items/:item', function showItem(request: Request, response: Response) {
    response.json(request.params)
  })
  app.use('/nested/:shop', nested)
  app.get(isFour ? '/files/*' : '/files/*path', (request, response) => void response.json({ path: request.path }))
  app.get(isFour ? '/docs/:lang?' : '/docs{/:lang}', (request, response) => void response.json(request.params))
  app.get('/echo/:id', (request, response) => void response.json({ id: request.params.id, own: ownContext.getStore() }))

  const second = async (_request: Request, _response: Response, next: NextFunction): Promise<void> => {
    await new Promise((resolve) => setTimeout(resolve, 5))
    next()
  }
  const third = (_request: Request, _response: Response, next: NextFunction): void => next()
  app.get('/steps', function first(_request: Request, _response: Response, next: NextFunction) {
    next()
  })
  app.get('/steps', second, third, function lastOfAll(_request: Request, response: Response) {
    response.json({ ok: true })
  })
  app.use('/stopped', function stopHere(_request: Request, response: Response) {
    response.status(403).json({ stopped: true })
  })

  app.get('/hands-on', (_request, _response, next) => next(new Error('handed on')))
  app.get('/teapot', () => {
    throw errorWithStatus(418, 'short and stout')
  })
  app.use('/throws-in-middleware', function brokenMiddleware() {
    throw new Error('the middleware is broken')
  })
  app.get('/gone', (_request, _response, next) => next(errorWithStatus(404, 'order 7 is gone')))
  app.get('/late-throw', (_request, response) => {
    response.json({ ok: true })
    throw new Error('thrown after the response')
  })
  app.get('/throws-after-head', (_request, response, next) => {
    response.type('text').write('the first part')
    setTimeout(() => next(new Error('thrown after the head')), 20)
  })

  app.post('/calls-after-data', (request, response, next) => {
    request.on('data', () => undefined)
    request.on('end', () => {
      callOthers().then((found) => response.json(found), next)
    })
  })
  app.post('/calls-after-upload', multer().single('file'), (_request, response, next) => {
    callOthers().then((found) => response.json(found), next)
  })
  app.post('/upload', multer().single('file'), (request: Request & { file?: { size: number } }, response) => {
    response.json({ title: request.body.title, size: request.file?.size })
  })
  app.post('/body', express.json({ limit: '2mb' }), (request, response) => {
    response.json({ keys: Object.keys(request.body), length: JSON.stringify(request.body).length })
  })

  app.use('/compressed', compression({ threshold: 0 }))
  app.get('/compressed/html', (_request, response) => void response.send(largePage))
  app.get('/compressed/json', (_request, response) => void response.json(orders))
  app.use('/guarded', helmet())
  app.get('/guarded/html', (_request, response) => void response.send(page))
  app.get('/guarded/throws', () => {
    throw new Error('guarded and broken')
  })
  app.get('/nonce', (_request, response) => {
    response
      .set('content-security-policy', "default-src 'self'; script-src 'nonce-abc'; style-src 'nonce-abc'")
      .send(page)
  })
  app.get('/tagged', (_request, response) => void response.set('etag', '"seven"').json({ ok: true }))
  app.use('/shared', cors({ origin: 'https://shop.example' }))
  app.get('/shared', (_request, response) => void response.json({ ok: true }))
  app.get('/own-keys', (request, response) => void response.json(ownKeys({ req: request, res: response })))
  app.get('/accesses', (_request, response) => void response.json(accesses))

  app.use('/handled', handledErrors())
  app.use('/account', accounts())
  return {
    application: app,
    listen: async () => {
      const server = createServer(app).listen(0, '127.0.0.1')
      await once(server, 'listening')
      return server
    },
  }
}

/** Errors that the application answers itself. */
function handledErrors(): Router {
  const router = Router()
  router.get('/:how', (request) => {
    throw new Error(`handled as ${request.params.how}`)
  })
  const respond: ErrorRequestHandler = (error: Error, request, response, _next) => {
    if (request.path === '/throws') throw new Error('the error handler is broken')
    if (request.path === '/html') response.status(500).send(page.replace('Orders of today', error.message))
    else response.status(500).json({ handled: error.message })
  }
  router.use(respond)
  return router
}

/** A login by passport, kept in a session. */
function accounts(): Router {
  const router = Router()
  const passport = new passportModule.Passport()
  passport.use(new Strategy((name, password, done) => done(null, password === 'hunter2' ? { name } : false)))
  passport.serializeUser((user, done) => done(null, user.name))
  passport.deserializeUser((name, done) => done(null, { name }))
  router.use(express.urlencoded({ extended: false }))
  router.use(session({ secret: 'a secret of the shop', resave: false, saveUninitialized: false }))
  router.use(passport.initialize(), passport.session())
  router.post('/login', passport.authenticate('local'), (_request, response) => response.redirect('/account'))
  router.get('/', (request: Request & { user?: { name: string } }, response) => {
    response.send(page.replace('Orders of today', `Orders of ${request.user?.name ?? 'nobody'}`))
  })
  return router
}

export default build
