// `fanlight/nest` with the real packages over real sockets: Nest 12 and Nest 11, on Express and on Fastify. Decorators are applied
// by hand, since Node only strips types.

import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { describe, it } from 'node:test'
import type * as Common from '@nestjs/common'
import type * as Core from '@nestjs/core'
import type * as NestOnFastify from '@nestjs/platform-fastify'
import type { ArgumentsHost, CallHandler, ExecutionContext, INestApplication, MiddlewareConsumer } from '@nestjs/common'
import type { AccessData } from '../../src/capture/activities/access.ts'
import { ask, browser, profileOf, type Got, type SeenProfile, tokenOf } from './served.ts'

process.env['NODE_ENV'] = 'development'
process.env['FANLIGHT_STORE'] = 'memory:'
const { fanlight } = await import('../../src/nest.ts')
await import('reflect-metadata')

interface Packages {
  readonly common: typeof Common
  readonly core: typeof Core
  readonly fastify: typeof NestOnFastify
}

const older = createRequire(new URL('older/', import.meta.url))
older('reflect-metadata')
const newest: Packages = {
  common: await import('@nestjs/common'),
  core: await import('@nestjs/core'),
  fastify: await import('@nestjs/platform-fastify'),
}
const before: Packages = {
  common: older('@nestjs/common') as Packages['common'],
  core: older('@nestjs/core') as Packages['core'],
  fastify: older('@nestjs/platform-fastify') as Packages['fastify'],
}

const versions = [
  { name: 'Nest 12 on Express', packages: newest, platform: 'express' },
  { name: 'Nest 12 on Fastify', packages: newest, platform: 'fastify' },
  { name: 'Nest 11 on Express', packages: before, platform: 'express' },
  { name: 'Nest 11 on Fastify', packages: before, platform: 'fastify' },
] as const
type Version = (typeof versions)[number]

const json = { accept: 'application/json' }

class Special extends Error {}

/** Applies decorators to a method of a class. */
function decorate(on: { readonly prototype: object }, name: string, ...decorators: readonly MethodDecorator[]): void {
  const descriptor = Object.getOwnPropertyDescriptor(on.prototype, name)
  assert.ok(descriptor !== undefined)
  for (const decorator of decorators) decorator(on.prototype, name, descriptor)
}

/** The application of these tests, not initialized. `filter`: a filter for every exception. */
async function cattery(
  { packages, platform }: Version,
  filter?: 'own' | 'broken' | 'extended',
): Promise<INestApplication> {
  const { common, core, fastify } = packages
  class Members {
    canActivate(context: ExecutionContext): boolean {
      return !context.switchToHttp().getRequest<{ url: string }>().url.includes('closed')
    }
  }
  class Slow {
    async canActivate(): Promise<boolean> {
      await Promise.resolve()
      return true
    }
  }
  class Timing {
    intercept(_: ExecutionContext, next: CallHandler): unknown {
      return next.handle()
    }
  }
  class Counter {
    use(request: { originalUrl?: string; url?: string }, _: unknown, next: () => void): void {
      if ((request.originalUrl ?? request.url)?.includes('uncountable') === true) throw new Error('cannot count')
      next()
    }
  }
  const respond = (host: ArgumentsHost, status: number, body: object): void => {
    const response = host.switchToHttp().getResponse<{ status(code: number): { send(body: object): void } }>()
    response.status(status).send(body)
  }
  class SpecialFilter {
    catch(exception: Error, host: ArgumentsHost): void {
      respond(host, 418, { own: exception.message })
    }
  }
  common.Catch(Special)(SpecialFilter)
  class OwnFilter {
    catch(exception: unknown, host: ArgumentsHost): void {
      respond(host, 409, { caught: String(exception) })
    }
  }
  common.Catch()(OwnFilter)
  class BrokenFilter {
    catch(exception: { readonly response?: { readonly code: number } }, host: ArgumentsHost): void {
      respond(host, exception.response!.code, {})
    }
  }
  common.Catch()(BrokenFilter)
  class ExtendedFilter extends core.BaseExceptionFilter {
    override catch(exception: unknown, host: ArgumentsHost): void {
      Reflect.apply(super.catch, this, [exception, host])
    }
  }
  common.Catch()(ExtendedFilter)
  class Cats {
    getCat(id: number): object {
      return { id }
    }
    broken(): never {
      throw new Error('The cat is broken')
    }
    async missing(): Promise<never> {
      await Promise.resolve()
      throw new common.NotFoundException('There is no such cat')
    }
    special(): never {
      throw new Special('a special cat')
    }
    async nothing(): Promise<never> {
      await Promise.resolve()
      throw undefined
    }
    closed(): string {
      return 'never'
    }
    add(cat: object): object {
      return cat
    }
  }
  common.Param('id', common.ParseIntPipe)(Cats.prototype, 'getCat', 0)
  common.Body()(Cats.prototype, 'add', 0)
  decorate(Cats, 'getCat', common.Get(':id'), common.UseGuards(Slow), common.UseInterceptors(Timing))
  decorate(Cats, 'broken', common.Get('now/broken'))
  decorate(Cats, 'missing', common.Get('now/missing'))
  decorate(Cats, 'special', common.Get('now/special'), common.UseFilters(SpecialFilter))
  decorate(Cats, 'nothing', common.Get('now/nothing'))
  decorate(Cats, 'closed', common.Get('now/closed'))
  decorate(Cats, 'add', common.Post())
  common.UseGuards(Members)(Cats)
  common.Controller({ path: 'cats', version: '1' })(Cats)
  class Dogs {
    first(): string {
      return 'first'
    }
    second(): string {
      return 'second'
    }
  }
  decorate(Dogs, 'first', common.Get('dogs'), common.Version('1'))
  decorate(Dogs, 'second', common.Get('dogs'), common.Version('2'))
  common.Controller()(Dogs)
  class AppModule {
    configure(consumer: MiddlewareConsumer): void {
      consumer.apply(Counter).forRoutes('*path')
    }
  }
  common.Module({ controllers: [Cats, Dogs] })(AppModule)
  const options = { logger: false, abortOnError: false } as const
  const app =
    platform === 'fastify'
      ? await core.NestFactory.create(AppModule, new fastify.FastifyAdapter(), options)
      : await core.NestFactory.create(AppModule, options)
  app.setGlobalPrefix('api')
  app.enableVersioning({ type: common.VersioningType.URI })
  if (filter === 'own') app.useGlobalFilters(new OwnFilter())
  if (filter === 'broken') app.useGlobalFilters(new BrokenFilter())
  if (filter === 'extended') app.useGlobalFilters(new ExtendedFilter(app.getHttpAdapter()))
  return app
}

async function listen(test: { after(work: () => Promise<void>): void }, app: INestApplication): Promise<number> {
  await app.listen(0, '127.0.0.1')
  test.after(async () => {
    const server = app.getHttpServer() as { closeAllConnections(): void }
    server.closeAllConnections()
    await app.close()
  })
  return ((app.getHttpServer() as { address(): unknown }).address() as AddressInfo).port
}

async function profiled(port: number, got: Got): Promise<SeenProfile & { readonly steps: readonly string[] }> {
  const profile = await profileOf(port, tokenOf(got))
  const { calls } = profile.data['events'] as { calls: readonly { listener: string }[] }
  return { ...profile, steps: calls.map(({ listener }) => listener) }
}

for (const version of versions) {
  describe(`fanlight/nest: ${version.name}`, () => {
    it('shows route, parameters, method of the controller, and what ran around it in which order', async (test) => {
      const app = await cattery(version)
      assert.equal(fanlight(app), app)
      const port = await listen(test, app)
      const got = await ask(port, { path: '/api/v1/cats/5', headers: browser })
      assert.equal(got.text, '{"id":5}')
      const profile = await profiled(port, got)
      assert.deepEqual([profile.route, profile.handler], ['/api/v1/cats/:id', 'Cats.getCat'])
      assert.deepEqual((profile.data['router'] as { parameters: unknown }).parameters, [['id', '5']])
      const wanted = ['Counter', 'guard Members', 'guard Slow', 'interceptor Timing', 'pipes ParseIntPipe']
      assert.deepEqual(
        profile.steps.filter((step) => wanted.includes(step)),
        wanted,
      )
    })

    it('shows guards as decisions about access', async (test) => {
      const port = await listen(test, fanlight(await cattery(version)))
      const decisionsOf = async (path: string): Promise<unknown> => {
        const { data } = await profiled(port, await ask(port, { path, headers: json }))
        const { entries } = data['access'] as AccessData
        return entries.map(({ by, subject, outcome, error }) => [by, subject, outcome, error])
      }
      assert.deepEqual(await decisionsOf('/api/v1/cats/5'), [
        ['Members', 'Cats.getCat', 'granted', null],
        ['Slow', 'Cats.getCat', 'granted', null],
      ])
      assert.deepEqual(await decisionsOf('/api/v1/cats/closed'), [['Members', 'Cats.getCat', 'denied', null]])
    })

    it('tells the versions of a route apart', async (test) => {
      const port = await listen(test, fanlight(await cattery(version)))
      const profile = await profiled(port, await ask(port, { path: '/api/v2/dogs' }))
      assert.deepEqual([profile.route, profile.handler], ['/api/v2/dogs', 'Dogs.second'])
    })

    for (const [path, status, message] of [
      ['/api/v1/cats/now/broken', 500, 'The cat is broken'],
      ['/api/v1/cats/now/missing', 404, 'There is no such cat'],
      ['/api/v1/cats/now/closed', 403, 'Forbidden resource'],
      ['/api/v1/cats/seven', 400, 'Validation failed (numeric string is expected)'],
      ['/api/v1/cats/uncountable', 500, 'cannot count'],
    ] as const) {
      it(`draws the page for the exception of ${path}, and leaves other clients what Nest sends`, async (test) => {
        const port = await listen(test, fanlight(await cattery(version)))
        const page = await ask(port, { path, headers: browser })
        assert.equal(page.status, status)
        assert.ok(page.text.includes(message), page.text.slice(0, 300))
        assert.ok(page.text.includes('/_profiler/'))
        const profile = await profiled(port, page)
        assert.deepEqual([profile.status, profile.errorMessage], [status, message])
        const plain = await ask(port, { path, headers: json })
        assert.equal(plain.status, status)
        const body = JSON.parse(plain.text) as { statusCode: number; message: string }
        assert.deepEqual([body.statusCode, body.message], [status, status === 500 ? 'Internal server error' : message])
      })
    }

    it('shows what a body parser does not take', async (test) => {
      const port = await listen(test, fanlight(await cattery(version)))
      const headers = { ...browser, 'content-type': 'application/json' }
      const got = await ask(port, { path: '/api/v1/cats', method: 'POST', body: '{"a', headers })
      assert.equal(got.status, 400)
      assert.match(got.text, /<!doctype html>/)
      const profile = await profiled(port, got)
      assert.match(String(profile.errorMessage), /JSON/)
      assert.doesNotMatch(JSON.stringify(profile.data), /Then another error/)
    })

    it('leaves the response of a filter alone, and records the exception', async (test) => {
      const port = await listen(test, fanlight(await cattery(version)))
      const got = await ask(port, { path: '/api/v1/cats/now/special', headers: browser })
      assert.deepEqual([got.status, got.text], [418, '{"own":"a special cat"}'])
      const profile = await profiled(port, got)
      assert.equal(profile.errorMessage, 'a special cat')
      assert.ok(profile.steps.includes('filter SpecialFilter'))
    })

    it('leaves every response of a filter for all exceptions alone', async (test) => {
      const port = await listen(test, fanlight(await cattery(version, 'own')))
      const broken = await ask(port, { path: '/api/v1/cats/now/broken', headers: browser })
      assert.deepEqual([broken.status, broken.text], [409, '{"caught":"Error: The cat is broken"}'])
      assert.equal((await profiled(port, broken)).errorMessage, 'The cat is broken')
      const unknown = await ask(port, { path: '/api/v1/birds', headers: browser })
      assert.deepEqual(
        [unknown.status, unknown.text],
        [409, '{"caught":"NotFoundException: Cannot GET /api/v1/birds"}'],
      )
    })

    it('shows the error of a filter that fails itself, and names the one that it was to respond to', async (test) => {
      const port = await listen(test, fanlight(await cattery(version, 'broken')))
      const got = await ask(port, { path: '/api/v1/cats/now/broken', headers: browser })
      assert.equal(got.status, 500)
      assert.match(got.text, /reading &#39;code&#39;|reading 'code'/)
      const profile = await profiled(port, got)
      assert.match(String(profile.errorMessage), /reading 'code'/)
      assert.match(JSON.stringify(profile.data), /The response to another error failed: Error: The cat is broken/)
    })

    it("draws the page where a filter leaves the response to Nest's own", async (test) => {
      const port = await listen(test, fanlight(await cattery(version, 'extended')))
      const got = await ask(port, { path: '/api/v1/cats/now/broken', headers: browser })
      assert.equal(got.status, 500)
      assert.match(got.text, /The cat is broken/)
      assert.ok((await profiled(port, got)).steps.includes('filter ExtendedFilter'))
    })

    it('lists the methods of controllers once, and none of its own routes', async (test) => {
      const app = fanlight(fanlight(await cattery(version)))
      const port = await listen(test, app)
      await ask(port, { path: '/api/v1/cats/5' })
      const { text } = await ask(port, { path: '/_profiler/routes', headers: browser })
      assert.match(text, /Cats\.getCat/)
      assert.match(text, /Dogs\.second/)
      assert.doesNotMatch(text, /\*path|unknown path/)
    })
  })
}

describe('fanlight/nest after listen()', () => {
  for (const version of versions.filter(({ platform }) => platform === 'express')) {
    it(`shows routes and exceptions: ${version.name}`, async (test) => {
      const app = await cattery(version)
      const port = await listen(test, app)
      fanlight(app)
      const got = await ask(port, { path: '/api/v1/cats/now/broken', headers: browser })
      assert.match(got.text, /The cat is broken/)
      assert.equal((await profiled(port, got)).route, '/api/v1/cats/now/broken')
    })
  }
})

it('fanlight/nest: what it does not take: names an application without HTTP', async () => {
  class Nothing {
    configure(): void {}
  }
  newest.common.Module({})(Nothing)
  const context = await newest.core.NestFactory.createApplicationContext(Nothing, { logger: false })
  assert.throws(() => Reflect.apply(fanlight, undefined, [context]), /not a Nest application without HTTP/)
  await context.close()
})
