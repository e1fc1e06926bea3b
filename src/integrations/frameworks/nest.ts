// Nest runs on Express or Fastify, which tell of routes and errors outside of Nest. Nest itself tells the names of what it
// registers with them, what runs around a method of a controller, and what its exception filters do.

import type { Integration } from '../integration.ts'
import { replaceOnce, type Replacement } from '../replace-method.ts'
import { express } from './express.ts'
import { fastify } from './fastify.ts'
import type { Enhancing, ExternalContexts } from './nest-enhancers.ts'
import { observeEnhancers } from './nest-enhancers.ts'
import type { FilterContext } from './nest-exceptions.ts'
import { keepOriginals, observeExceptions } from './nest-exceptions.ts'
import type { Adapter } from './nest-names.ts'
import { nameHandlers } from './nest-names.ts'
import { wrongApplication } from './wrong-application.ts'

interface Application {
  getHttpAdapter(): Adapter
  readonly container: {
    getInternalCoreModuleRef(): {
      readonly providers: ReadonlyMap<{ readonly name?: string }, { readonly instance: unknown }>
    }
  }
  readonly middlewareModule: object
  readonly routesResolver: Enhancing & {
    readonly routerExceptionsFilter: FilterContext
    readonly routerExplorer: { readonly routerMethodFactory: object }
  }
}

export const nest: Integration = {
  framework: 'Nest',
  package: '@nestjs/core',
  tested: ['11.2.10 to 12.5.1'],
  builtOn: [express, fastify],

  attach(application, observer) {
    if (!isNest(application)) throw wrongApplication('fanlight/nest', 'a Nest application', application)
    const adapter = application.getHttpAdapter()
    const platform = [express, fastify].find(({ package: name }) => name === adapter.getType())
    if (platform === undefined) observer.note(`Nest: routes of the platform ${adapter.getType()} cannot be read`)
    else observer.guard(`nest: ${platform.framework}`, () => platform.attach(adapter.getInstance(), observer))
    const { middlewareModule, routesResolver } = application
    const external = observer.guard('nest: resolvers', () => externalContexts(application))
    const parts: Readonly<Record<string, () => void>> = {
      exceptions: () => observeExceptions(routesResolver.routerExceptionsFilter, observer),
      'exceptions of resolvers': () => {
        if (external !== undefined) observeExceptions(external.filtersContextCreator, observer)
      },
      'errors of the platform': () => {
        keepOriginals(adapter, 'mapException', observer)
        keepOriginals(routesResolver, 'mapExternalException', observer)
      },
      handlers: () => nameHandlers({ explorer: routesResolver.routerExplorer, middlewareModule, adapter }, observer),
      enhancers: () => observeEnhancers(routesResolver, external, observer),
    }
    for (const [part, observe] of Object.entries(parts)) observer.guard(`nest: ${part}`, observe)
  },

  loadHooks: [
    {
      package: '@nestjs/core',
      file: 'nest-application.js',
      value: 'NestApplication',
      take(value, observer) {
        const attached: Replacement = (application, _, init) => {
          observer.guard('nest: application', () => nest.attach(application, observer))
          return init()
        }
        replaceOnce((value as { prototype: object }).prototype, 'init', attached, observer)
      },
    },
  ],
}

function externalContexts({ container }: Application): ExternalContexts | undefined {
  const providers = [...container.getInternalCoreModuleRef().providers]
  const found = providers.find(([token]) => token.name === 'ExternalContextCreator')
  return found?.[1].instance as ExternalContexts | undefined
}

function isNest(value: unknown): value is Application {
  if (typeof value !== 'object' || value === null) return false
  return typeof Reflect.get(value, 'getHttpAdapter') === 'function' && 'useGlobalPipes' in value
}
