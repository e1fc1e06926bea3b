// The public entry `fanlight`: an application, its routes, its replies and its errors.

export { App } from './app/app.ts'
export { createApp } from './app/create-app.ts'
export {
  UnknownCommandError,
  type CommandHandler,
  type CommandInput,
  type CommandRun,
  type Commands,
  type CommandStart,
} from './app/commands.ts'
export type { AppOptions } from './app/options.ts'
export type { Plugin, Services } from './app/plugin.ts'
export { run, type FrontController } from './app/run.ts'
export { loadRuntimeContext, RuntimeContextError, type RuntimeContext } from './framework/config/runtime-context.ts'
export { maintenance, type MaintenanceOptions, MaintenancePlugin } from './plugins/maintenance/plugin.ts'
export { html, jsonScript, SafeHtml, trusted } from './framework/html/html.ts'
export { RequestBody } from './framework/http/body.ts'
export { HttpError, isHttpError, MethodNotAllowedHttpError, NotFoundHttpError } from './framework/http/http-error.ts'
export {
  html as page,
  empty,
  json,
  redirect,
  Reply,
  stream,
  text,
  type ReplyBody,
  type ReplyInit,
} from './framework/http/reply.ts'
export { HttpRequest } from './framework/http/request.ts'
export type { Awaitable } from './framework/kernel/awaitable.ts'
export { currentExchange } from './framework/kernel/current-exchange.ts'
export { Exchange, exchangeKey, type ExchangeKey } from './framework/kernel/exchange.ts'
export type { Handler } from './framework/kernel/handler.ts'
export type { Listener } from './framework/kernel/listener.ts'
export { Logger, type LogEntry, type LogLevel, type LogLine, type LogSink } from './framework/log/logger.ts'
export { dump } from './profiler/dump.ts'
export { RouteCollection } from './framework/routing/route-collection.ts'
export { UrlGenerator } from './framework/routing/url-generator.ts'
