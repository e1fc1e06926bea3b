// The public entry `fanlight`: an application, its routes, requests, replies and errors.

export { App } from './app/app.ts'
export type { CommandHandler } from './app/commands.ts'
export { createApp } from './app/create-app.ts'
export type { AppOptions } from './app/options.ts'
export type { Plugin, Services } from './app/plugin.ts'
export { run, type FrontController, type RunningApp } from './app/run.ts'
export type { HintRule } from './errors/hints/hint.ts'
export { loadRuntimeContext, RuntimeContextError, type RuntimeContext } from './framework/config/runtime-context.ts'
export { html, jsonScript, SafeHtml, trusted } from './framework/html/html.ts'
export type { CookieOptions } from './framework/http/cookies.ts'
export {
  HttpError,
  isHttpError,
  NotFoundHttpError,
  type HttpErrorOptions,
  type ProblemMembers,
} from './framework/http/http-error.ts'
export { empty, json, redirect, reply, Reply, stream, text, upgrade } from './framework/http/reply.ts'
export type { AcceptUpgrade, UpgradeParts } from './framework/http/upgrade.ts'
export { ValidationError, type ValidationIssue } from './framework/http/validation-error.ts'
export { HttpRequest } from './framework/http/request.ts'
export type { Cookies } from './framework/kernel/cookies.ts'
export { currentExchange } from './framework/kernel/current-exchange.ts'
export type { ErrorFormat, ErrorFormatter, ErrorSummary, ProblemDocument } from './framework/kernel/error-format.ts'
export { Exchange, exchangeKey, type ExchangeKey } from './framework/kernel/exchange.ts'
export type { Handler } from './framework/kernel/handler.ts'
export type { Guard } from './framework/kernel/handler-options.ts'
export { HandlerTimeoutError } from './framework/kernel/time-limit.ts'
export type { StandardIssue, StandardResult, StandardSchema } from './framework/kernel/handler-options.ts'
export type { Listener, Next } from './framework/kernel/listener.ts'
export type { TlsOptions } from './framework/node/make-server.ts'
export type { ListenAddress } from './framework/node/server.ts'
export { Logger, type LogLine, type LogSink } from './framework/log/logger.ts'
export { RouteDefinitionError } from './framework/routing/definition-error.ts'
export { RouteCollection } from './framework/routing/route-collection.ts'
export type { Prefixed } from './framework/routing/route-definition.ts'
export type { GroupOptions, RouteOptions, ValidValues } from './framework/routing/route-options.ts'
export { checkRoutes } from './framework/routing/route-health.ts'
export { UrlGenerator } from './framework/routing/url-generator.ts'
export type {
  Closure,
  LockLink,
  LockState,
  LockStore,
  LockWindow,
  LockWriteOptions,
} from './plugins/maintenance/lock-store.ts'
export type {
  JournalContent,
  LockJournal,
  LockPeriod,
  LockReport,
  StoredReport,
} from './plugins/maintenance/lock-journal.ts'
export {
  AccessDeniedError,
  accessRules,
  type AccessDecision,
  type AccessRule,
  type AccessRules,
  type ReasonedVote,
  type RuleVote,
  type Vote,
} from './plugins/access/access-rules.ts'
export { compress, type CompressOptions } from './plugins/compress/plugin.ts'
export { cors, type CorsOptions, type OriginCheck } from './plugins/cors/plugin.ts'
export { maintenance, type MaintenanceOptions } from './plugins/maintenance/plugin.ts'
export { cspNonce, securityHeaders, type SecurityHeadersOptions } from './plugins/security-headers/plugin.ts'
export { dump } from './profiler/dump.ts'
export { tag } from './profiler/tag.ts'
export { checkLockState } from './stores/check-records.ts'
export type { Collection, CollectionContent } from './stores/collections.ts'
