// A Nest application in the profiler without a line of it here: `npm run example:nest` compiles it and starts it with
// `fanlight dev`; in your project: `npx fanlight dev -- nest start`.

import 'reflect-metadata'
import { Controller, Get, Header, Inject, Module, Param } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import { DatabaseSync } from 'node:sqlite'
import { homePage, Orders, type Order } from '../orders.ts'

@Controller()
class OrdersController {
  readonly #orders: Orders

  constructor(@Inject(Orders) orders: Orders) {
    this.#orders = orders
  }

  @Get()
  @Header('content-type', 'text/html')
  home(): string {
    return homePage
  }

  @Get('orders')
  list(): readonly Order[] {
    return this.#orders.list()
  }

  @Get('orders/:id')
  show(@Param('id') id: string): Order {
    return this.#orders.find(id)
  }

  @Get('report')
  async report(): Promise<unknown> {
    return this.#orders.report()
  }
}

const orders = { provide: Orders, useFactory: (): Orders => new Orders(new DatabaseSync(':memory:')) }

@Module({ controllers: [OrdersController], providers: [orders] })
class AppModule {}

const app = await NestFactory.create(AppModule)
await app.listen(Number(process.env['PORT'] ?? 3000), '127.0.0.1')
console.log(await app.getUrl())
