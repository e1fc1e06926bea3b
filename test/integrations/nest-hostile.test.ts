// What nobody should throw, thrown at each place of a Nest application: with us it responds as without us, once, and is recorded.

import assert from 'node:assert/strict'
import type { AddressInfo } from 'node:net'
import { after, before, describe, it } from 'node:test'
import * as common from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import { FastifyAdapter } from '@nestjs/platform-fastify'
import type { CallHandler, ExecutionContext, INestApplication } from '@nestjs/common'
import { ask, profileOf, tokenOf, type Got } from './served.ts'

process.env['NODE_ENV'] = 'development'
process.env['FANLIGHT_STORE'] = 'memory:'
const { fanlight } = await import('../../src/nest.ts')
await import('reflect-metadata')

const fail = (): never => {
  throw new Error('a getter')
}
const throwing = (...names: readonly string[]): Error =>
  names.reduce((error, name) => Object.defineProperty(error, name, { get: fail }), new Error('hidden'))
const revoked = (): object => {
  const { proxy, revoke } = Proxy.revocable(new Error('revoked'), {})
  revoke()
  return proxy
}

const values: Readonly<Record<string, () => unknown>> = {
  null: () => null,
  undefined: () => undefined,
  text: () => 'text',
  symbol: () => Symbol('symbol'),
  frozen: () => Object.freeze(new Error('frozen')),
  frozenHttp: () => Object.freeze(new common.ForbiddenException('frozen')),
  message: () => throwing('message'),
  stack: () => throwing('stack', 'name', 'cause'),
  members: () => throwing('status', 'response', 'constructor', 'toString', 'message', 'stack'),
  revoked,
  bare: () => Object.create(null) as object,
  huge: () => new Error('m'.repeat(1_000_000)),
  thenable: () => Object.defineProperty({}, 'then', { get: fail }),
  circle: () => {
    const error = new Error('circle')
    return Object.assign(error, { cause: error })
  },
}
const places = ['middleware', 'guard', 'interceptor', 'handler', 'rejection'] as const

const askedOf = (context: ExecutionContext): Record<string, string> =>
  context.switchToHttp().getRequest<{ query: Record<string, string> }>().query

function throwAt(place: (typeof places)[number], asked: Readonly<Record<string, string | null>>): void {
  if (asked['at'] === place) throw values[asked['what'] ?? '']?.()
}

async function application(platform: 'Express' | 'Fastify'): Promise<INestApplication> {
  class Guard {
    canActivate(context: ExecutionContext): boolean {
      throwAt('guard', askedOf(context))
      return true
    }
  }
  class Interceptor {
    intercept(context: ExecutionContext, next: CallHandler): unknown {
      throwAt('interceptor', askedOf(context))
      return next.handle()
    }
  }
  class Cats {
    show(asked: Record<string, string>): Promise<object> | object {
      throwAt('handler', asked)
      return new Promise((resolve) => {
        throwAt('rejection', asked)
        resolve({ ok: true })
      })
    }
  }
  common.Query()(Cats.prototype, 'show', 0)
  const method = Object.getOwnPropertyDescriptor(Cats.prototype, 'show') ?? assert.fail()
  common.Get('cats')(Cats.prototype, 'show', method)
  common.Controller()(Cats)
  class CatsModule {
    configure(consumer: common.MiddlewareConsumer): void {
      const step = (request: { originalUrl?: string; url?: string }, _: unknown, next: () => void): void => {
        const { searchParams } = new URL(request.originalUrl ?? request.url ?? '', 'http://a')
        throwAt('middleware', Object.fromEntries(searchParams))
        next()
      }
      consumer.apply(step).forRoutes('*path')
    }
  }
  common.Module({ controllers: [Cats] })(CatsModule)
  const options = { logger: false, abortOnError: false } as const
  const app =
    platform === 'Fastify'
      ? await NestFactory.create(CatsModule, new FastifyAdapter(), options)
      : await NestFactory.create(CatsModule, options)
  app.useGlobalGuards(new Guard())
  app.useGlobalInterceptors(new Interceptor() as common.NestInterceptor)
  return app
}

for (const platform of ['Express', 'Fastify'] as const) {
  describe(`Nest on ${platform}, where what is thrown is hostile`, () => {
    const apps: INestApplication[] = []
    before(async () => {
      apps.push(await application(platform), fanlight(await application(platform)))
      for (const app of apps) await app.listen(0, '127.0.0.1')
    })
    after(async () => {
      for (const app of apps) {
        const server = app.getHttpServer() as { closeAllConnections(): void }
        server.closeAllConnections()
        await app.close()
      }
    })
    const portOf = (app: INestApplication): number =>
      ((app.getHttpServer() as { address(): unknown }).address() as AddressInfo).port
    const seen = ({ status, headers, text }: Got): unknown => [status, headers['content-type'], text]

    for (const place of places) {
      it(`responds as without us, and records it: ${place}`, async () => {
        for (const what of Object.keys(values)) {
          const sent = { path: `/cats?at=${place}&what=${what}`, headers: { accept: 'application/json' } }
          const [without, within] = await Promise.all(apps.map(async (app) => ask(portOf(app), sent)))
          assert.ok(without !== undefined && within !== undefined)
          assert.deepEqual(seen(within), seen(without), what)
          const profile = await profileOf(portOf(apps[1] ?? assert.fail()), tokenOf(within))
          assert.equal(profile.status, within.status, what)
          if (within.status >= 500) assert.notEqual(profile.errorClass, null, what)
        }
      })
    }
  })
}
