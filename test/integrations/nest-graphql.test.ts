// Resolvers of Nest's GraphQL with the real packages: what runs around them, and what they throw. Decorators are applied by hand, since
// Node only strips types.

import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { after, before, describe, it } from 'node:test'
import type * as Common from '@nestjs/common'
import type * as Core from '@nestjs/core'
import type { CallHandler, ExecutionContext, INestApplication } from '@nestjs/common'
import type { AccessData } from '../../src/capture/activities/access.ts'
import { ask, profileOf, type SeenProfile, tokenOf } from './served.ts'
import { pick } from '../support/pick.ts'

process.env['NODE_ENV'] = 'test'
process.env['FANLIGHT_STORE'] = 'memory:'
await import('../../src/register.ts')
const older = createRequire(new URL('older/', import.meta.url))
older('reflect-metadata')
const common = older('@nestjs/common') as typeof Common
const { NestFactory } = older('@nestjs/core') as typeof Core
const { ApolloDriver } = older('@nestjs/apollo') as { readonly ApolloDriver: unknown }
const { GraphQLModule, Resolver, Query, Args } = older('@nestjs/graphql') as {
  readonly GraphQLModule: { forRoot(options: object): Common.DynamicModule }
  Resolver(): ClassDecorator
  Query(type: () => unknown): MethodDecorator
  Args(name: string, options: object): ParameterDecorator
}

class Visitors {
  canActivate(context: ExecutionContext): boolean {
    const [, { id }] = context.getArgs<[unknown, { readonly id: string }]>()
    return id !== 'secret'
  }
}

class Timing {
  intercept(_: ExecutionContext, next: CallHandler): unknown {
    return next.handle()
  }
}

class Trim {
  transform(value: string): string {
    return value.trim()
  }
}

class RangeFilter {
  catch(thrown: RangeError): Error {
    return new Error(`filtered: ${thrown.message}`)
  }
}

class Products {
  product(id: string): string {
    if (id === 'broken') throw new TypeError('the product is broken')
    if (id === 'far') throw new RangeError('the product is far away')
    return id
  }
}

class AppModule {
  readonly name = 'shop'
}

async function start(): Promise<INestApplication> {
  const { prototype } = Products
  const descriptor = Object.getOwnPropertyDescriptor(prototype, 'product')
  assert.ok(descriptor !== undefined)
  common.Catch(RangeError)(RangeFilter)
  Reflect.apply(Reflect.get(Reflect, 'defineMetadata') as () => void, Reflect, [
    'design:paramtypes',
    [String],
    prototype,
    'product',
  ])
  Args('id', { type: () => String })(prototype, 'product', 0)
  for (const decorator of [
    Query(() => String),
    common.UseGuards(Visitors),
    common.UseInterceptors(Timing),
    common.UsePipes(Trim),
    common.UseFilters(RangeFilter),
  ]) {
    decorator(prototype, 'product', descriptor)
  }
  Resolver()(Products)
  const imports = [GraphQLModule.forRoot({ driver: ApolloDriver, autoSchemaFile: true, path: '/shop-api' })]
  common.Module({ imports, providers: [Products] })(AppModule)
  const app = await NestFactory.create(AppModule, { logger: false })
  await app.listen(0, '127.0.0.1')
  return app
}

describe("Nest's GraphQL", () => {
  let app: INestApplication
  before(async () => (app = await start()))
  after(async () => app.close())
  const asked = async (id: string): Promise<SeenProfile> => {
    const { port } = app.getHttpServer().address() as AddressInfo
    const got = await ask(port, {
      path: '/shop-api',
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query: `query One { product(id: "${id}") }` }),
    })
    assert.equal(got.status, 200)
    return profileOf(port, tokenOf(got))
  }
  const stepsOf = ({ data }: SeenProfile): readonly string[] => {
    const { spans } = data['time'] as { readonly spans: readonly { readonly name: string }[] }
    return spans.map(({ name }) => name).filter((name) => /^(?:guard|interceptor|pipes|filter) /.test(name))
  }

  it('has guards, interceptors and pipes as steps, and decisions of guards', async () => {
    const profile = await asked('one')
    assert.deepEqual([profile.route, profile.errorClass], ['/shop-api query One', null])
    assert.deepEqual(stepsOf(profile), ['guard Visitors', 'interceptor Timing', 'pipes Trim'])
    const { entries } = profile.data['access'] as AccessData
    assert.deepEqual(pick(entries, 'subject', 'by', 'outcome'), [['Products.product', 'Visitors', 'granted']])
  })

  it('keeps what a resolver throws, and what a guard refuses', async () => {
    const broken = await asked('broken')
    assert.deepEqual([broken.errorClass, broken.errorMessage], ['TypeError', 'the product is broken'])
    const refused = await asked('secret')
    assert.deepEqual([refused.errorClass, stepsOf(refused)], ['ForbiddenException', ['guard Visitors']])
  })

  it('has filters as steps, and keeps an error that they change', async () => {
    const far = await asked('far')
    assert.ok(far.errorClass !== null)
    assert.match(JSON.stringify(far.data), /the product is far away/)
    assert.equal(stepsOf(far).at(-1), 'filter RangeFilter')
  })
})
