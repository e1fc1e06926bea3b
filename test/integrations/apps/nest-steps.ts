// What runs around the handlers of the Nest application: middleware, guards, pipes, interceptors and filters. The decorators
// are applied as the compiler would write them, because Node runs no decorator syntax.

import {
  Catch,
  ForbiddenException,
  Injectable,
  type ArgumentsHost,
  type CallHandler,
  type CanActivate,
  type ExceptionFilter,
  type ExecutionContext,
  type NestInterceptor,
  type NestMiddleware,
} from '@nestjs/common'
import { IsInt, IsString, Min } from 'class-validator'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { map, type Observable } from 'rxjs'
import { page } from './application.ts'
import { ownContext } from './work.ts'

type Next = (error?: unknown) => void
/** Middleware gets the objects of Express, or those of Node on Fastify. */
type Request = IncomingMessage & { originalUrl?: string }

/** What both platforms have. */
export interface PlatformResponse {
  readonly raw?: ServerResponse
  header(name: string, value: string): PlatformResponse
  status(code: number): PlatformResponse
  send(body?: unknown): unknown
}

export function refuseStrangers(request: Request, response: ServerResponse, next: Next): void {
  if ((request.originalUrl ?? request.url ?? '').startsWith('/_profiler')) {
    response.writeHead(401, { 'content-type': 'text/plain' }).end('log in first')
  } else next()
}

export function keepContext(request: Request, _response: ServerResponse, next: Next): void {
  ownContext.run(request.originalUrl ?? request.url ?? '', next)
}

export class First implements NestMiddleware {
  use(_request: Request, _response: ServerResponse, next: Next): void {
    next()
  }
}

export class Second implements NestMiddleware {
  async use(_request: Request, _response: ServerResponse, next: Next): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, 5))
    next()
  }
}

export class Third implements NestMiddleware {
  use(_request: Request, _response: ServerResponse, next: Next): void {
    next()
  }
}

export function brokenMiddleware(): void {
  throw new Error('the middleware is broken')
}

export class StopHere implements CanActivate {
  canActivate(): boolean {
    throw new ForbiddenException({ stopped: true })
  }
}

export class Wrapping implements NestInterceptor {
  intercept(_context: ExecutionContext, next: CallHandler): Observable<unknown> {
    return next.handle().pipe(map((value: object) => ({ ...value, wrapped: true })))
  }
}

export class HandledErrors implements ExceptionFilter {
  catch(thrown: Error, host: ArgumentsHost): void {
    const response = host.switchToHttp().getResponse<PlatformResponse>()
    const { how } = host.switchToHttp().getRequest<{ params: { how: string } }>().params
    if (how === 'throws') throw new Error('the error handler is broken')
    if (how === 'json') response.status(500).send({ handled: thrown.message })
    else
      response
        .status(500)
        .header('content-type', 'text/html; charset=utf-8')
        .send(page.replace('Orders of today', thrown.message))
  }
}

export class NewOrder {
  declare title: string
  declare count: number
}

for (const middleware of [First, Second, Third]) Injectable()(middleware)
Injectable()(StopHere)
Injectable()(Wrapping)
Catch()(HandledErrors)
IsString()(NewOrder.prototype, 'title')
IsInt()(NewOrder.prototype, 'count')
Min(1)(NewOrder.prototype, 'count')
