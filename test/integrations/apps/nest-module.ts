// Controllers and module of the Nest application, the same on both platforms. The decorators are applied as the compiler would
// write them, because Node runs no decorator syntax.

import {
  Body,
  Controller,
  Get,
  Header,
  HttpCode,
  type MiddlewareConsumer,
  Module,
  Param,
  Post,
  Redirect,
  Req,
  Res,
  UseFilters,
  UseGuards,
  UseInterceptors,
} from '@nestjs/common'
import { Orders } from './nest-orders.ts'
import { brokenMiddleware, First, HandledErrors, NewOrder, Second, StopHere, Third, Wrapping } from './nest-steps.ts'

const isOnFastify = process.env['CONFORMANCE_FRAMEWORK'] === 'nest-fastify'

class Nested {
  showItem(params: object): object {
    return params
  }
}

const argument =
  (index: number, decorator: ParameterDecorator): MethodDecorator =>
  (target, key) =>
    decorator(target, key, index)
const policy = "default-src 'self'; script-src 'nonce-abc'; style-src 'nonce-abc'"
const html = Header('content-type', 'text/html; charset=utf-8')

/** The decorators of each method, as they would stand before it. */
const methods: Readonly<Record<Exclude<keyof Orders, symbol>, readonly MethodDecorator[]>> = {
  json: [Get('json')],
  shared: [Get('shared'), Header('access-control-allow-origin', 'https://shop.example')],
  html: [Get(['html', 'guarded/html']), html],
  nonce: [Get('nonce'), html, Header('content-security-policy', policy)],
  fragment: [Get('fragment'), html],
  large: [Get(['large', 'compressed/html']), html],
  streamed: [Get('streamed/:gate'), argument(0, Param('gate')), argument(1, Res())],
  events: [Get('events/:gate'), argument(0, Param('gate')), argument(1, Res())],
  nothing: [Get('nothing'), HttpCode(204)],
  redirect: [Get('redirect'), Redirect('/html')],
  cookies: [Get('cookies'), argument(0, Res({ passthrough: true }))],
  statusMessage: [Get('status-message'), argument(0, Res({ passthrough: true }))],
  showOrder: [Get('shops/:shop/orders/:id'), argument(0, Param())],
  files: [Get(isOnFastify ? 'files/*' : 'files/*path'), argument(0, Req())],
  docs: [Get(isOnFastify ? 'docs/:lang?' : 'docs{/:lang}'), argument(0, Param('lang'))],
  echo: [Get('echo/:id'), argument(0, Param('id'))],
  lastOfAll: [Get('steps')],
  stopped: [Get('stopped'), UseGuards(StopHere)],
  wrapped: [Get('wrapped'), UseInterceptors(Wrapping)],
  throwsAtOnce: [Get('throws')],
  rejectsLater: [Get('rejects')],
  handsOn: [Get('hands-on')],
  teapot: [Get('teapot')],
  thrown: [Get('thrown/:what'), argument(0, Param('what'))],
  causes: [Get('causes')],
  aggregate: [Get('aggregate')],
  gone: [Get('gone')],
  lateThrow: [Get('late-throw'), argument(0, Res())],
  throwsAfterHead: [Get('throws-after-head'), argument(0, Res())],
  waits: [Get('waits/:gate'), argument(0, Param('gate'))],
  neverAnswers: [Get('never')],
  throwsFromTimer: [Get('timer-throw')],
  unawaited: [Get('unawaited')],
  logs: [Get('logs')],
  calls: [Get('calls')],
  callsAfterData: [Post('calls-after-data'), HttpCode(200), argument(0, Req())],
  callsAfterUpload: [Post('calls-after-upload'), HttpCode(200)],
  upload: [Post('upload'), HttpCode(200), argument(0, Req())],
  body: [Post('body'), HttpCode(200), argument(0, Body())],
  validated: [Post('validated'), HttpCode(200), argument(0, Body())],
  secrets: [Get('secrets/:token'), argument(0, Param('token'))],
  many: [Get('compressed/json')],
  guardedThrows: [Get('guarded/throws')],
  tagged: [Get('tagged'), argument(0, Req()), argument(1, Res())],
  ownKeys: [Get('own-keys'), argument(0, Req()), argument(1, Res({ passthrough: true }))],
  accesses: [Get('accesses')],
  handled: [Get('handled/:how'), argument(0, Param('how')), UseFilters(HandledErrors)],
  login: [Post('account/login'), Redirect('/account'), argument(0, Body()), argument(1, Res({ passthrough: true }))],
  account: [Get('account'), html, argument(0, Req())],
}

for (const [key, decorators] of Object.entries(methods)) {
  const descriptor = Object.getOwnPropertyDescriptor(Orders.prototype, key)
  if (descriptor === undefined) throw new Error(`there is no method ${key}`)
  for (const decorate of decorators.toReversed()) decorate(Orders.prototype, key, descriptor)
  writeTypes(Orders.prototype, key, key === 'validated' ? [NewOrder] : [Object, Object])
}
Controller()(Orders)

Get('items/:item')(Nested.prototype, 'showItem', Object.getOwnPropertyDescriptor(Nested.prototype, 'showItem') ?? {})
Param()(Nested.prototype, 'showItem', 0)
writeTypes(Nested.prototype, 'showItem', [Object])
Controller('nested/:shop')(Nested)

/** What the compiler writes down of the types of parameters, for pipes. */
function writeTypes(prototype: object, key: string, types: readonly unknown[]): void {
  Reflect.defineMetadata('design:paramtypes', types, prototype, key)
}

export class AppModule {
  configure(consumer: MiddlewareConsumer): void {
    consumer.apply(First, Second, Third).forRoutes('steps')
    consumer.apply(brokenMiddleware).forRoutes('throws-in-middleware')
  }
}
Module({ controllers: [Orders, Nested] })(AppModule)
