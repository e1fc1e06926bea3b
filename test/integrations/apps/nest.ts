// Nest 12 and 11, on Express and on Fastify: one module, and what each platform brings.

import 'reflect-metadata'
import { ConsoleLogger, type INestApplication, ValidationPipe } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import type { NestExpressApplication } from '@nestjs/platform-express'
import type { NestFastifyApplication } from '@nestjs/platform-fastify'
import type { Server } from 'node:http'
import { staticFolder, type Build } from './application.ts'
import { AppModule } from './nest-module.ts'
import { accesses } from './nest-orders.ts'
import { keepContext, refuseStrangers } from './nest-steps.ts'

const isOnFastify = process.env['CONFORMANCE_FRAMEWORK'] === 'nest-fastify'
const options = { logger: new ConsoleLogger({ logLevels: ['error', 'warn'] }), abortOnError: false }

const build: Build = async (attach) => {
  // `fanlight` is given the application as `NestFactory.create` made it, before anything else is added.
  const app = isOnFastify ? await createOnFastify(attach) : await createOnExpress(attach)
  app.useGlobalPipes(new ValidationPipe())
  return {
    application: app,
    listen: async () => {
      await app.listen(0, '127.0.0.1')
      return app.getHttpServer() as Server
    },
  }
}

async function createOnExpress(attach: Parameters<Build>[0]): Promise<INestApplication> {
  const { default: compression } = await import('compression')
  const { default: cors } = await import('cors')
  const { default: helmet } = await import('helmet')
  const { default: morgan } = await import('morgan')
  const { default: multer } = await import('multer')
  const app = attach(await NestFactory.create<NestExpressApplication>(AppModule, options))
  app.use(refuseStrangers)
  app.use(keepContext)
  app.use(morgan(':method :url :status', { stream: { write: (line: string) => void accesses.push(line.trim()) } }))
  app.use('/compressed', compression({ threshold: 0 }))
  app.use('/guarded', helmet())
  app.use('/shared', cors({ origin: 'https://shop.example' }))
  app.use(['/upload', '/calls-after-upload'], multer().single('file'))
  app.useBodyParser('json', { limit: '2mb' })
  app.useStaticAssets(staticFolder, { prefix: '/static' })
  return app
}

async function createOnFastify(attach: Parameters<Build>[0]): Promise<INestApplication> {
  const { FastifyAdapter } = await import('@nestjs/platform-fastify')
  const { default: compression } = await import('compression')
  const { default: helmet } = await import('helmet')
  const adapter = new FastifyAdapter({ bodyLimit: 2_000_000, forceCloseConnections: true })
  const app = attach(await NestFactory.create<NestFastifyApplication>(AppModule, adapter, options))
  app.use(refuseStrangers)
  app.use(keepContext)
  app.use('/compressed', compression({ threshold: 0 }))
  app.use('/guarded', helmet())
  // Nest takes plugins of Fastify as they are; its types name another copy of Fastify.
  const plugins: [name: string, options: object][] = [
    ['@fastify/multipart', { attachFieldsToBody: true }],
    ['@fastify/static', { root: staticFolder, prefix: '/static/' }],
  ]
  for (const [name, settings] of plugins) {
    const { default: plugin } = (await import(name)) as { default: Parameters<typeof app.register>[0] }
    await app.register(plugin, settings)
  }
  return app
}

export default build
