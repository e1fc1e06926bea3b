import 'reflect-metadata'
import { Controller, Get, Header, Module, Param } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import { answer, attach, page, tell } from './shared.mjs'

class Orders {
  json(id) {
    return answer(id)
  }

  page() {
    return page
  }
}

/** What `@Get('json/:id')` above the method does. */
const decorate = (method, ...decorators) => {
  const descriptor = Object.getOwnPropertyDescriptor(Orders.prototype, method)
  for (const decorator of decorators) decorator(Orders.prototype, method, descriptor)
}
decorate('json', Get('json/:id'))
Param('id')(Orders.prototype, 'json', 0)
decorate('page', Get('page'), Header('content-type', 'text/html'))
Controller()(Orders)

class Shop {}
Module({ controllers: [Orders] })(Shop)

const app = attach(await NestFactory.create(Shop, { logger: false }))
await app.listen(0, '127.0.0.1')
tell(app.getHttpServer())
