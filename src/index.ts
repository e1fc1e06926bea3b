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
export type { AppOptions, AppServices } from './app/options.ts'
export { run, type FrontController } from './app/run.ts'
export { loadRuntimeContext, RuntimeContextError, type RuntimeContext } from './context/runtime-context.ts'
export { activeCurrency, type ActiveCurrency } from './currency/currency-read.ts'
export type { CurrencyStore } from './currency/currency-store.ts'
export type { Currency } from './currency/currency.ts'
export { html, jsonScript, SafeHtml, trusted } from './html/html.ts'
export { RequestBody } from './http/body.ts'
export { HttpError, isHttpError, MethodNotAllowedHttpError, NotFoundHttpError } from './http/http-error.ts'
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
} from './http/reply.ts'
export { RequestContext } from './http/request-context.ts'
export type { Awaitable } from './kernel/awaitable.ts'
export { currentExchange } from './kernel/current-exchange.ts'
export { Exchange, exchangeKey, type ExchangeKey } from './kernel/exchange.ts'
export type { Handler } from './kernel/handler.ts'
export type { Listener } from './kernel/listener.ts'
export { Logger, type LogLevel, type LogLine, type LogSink } from './log/logger.ts'
export { dump } from './profiler/dump.ts'
export { RouteCollection } from './routing/route-collection.ts'
export { UrlGenerator } from './routing/url-generator.ts'
