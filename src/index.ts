// The public entry `fanlight`: an application, its routes, requests, replies and errors.

export { App } from './app/app.ts'
export type { CommandHandler } from './http/kernel/commands.ts'
export { createApp } from './app/create-app.ts'
export type { AppOptions } from './app/options.ts'
export type { Plugin, Services } from './app/options.ts'
export { run, type FrontController, type RunningApp } from './app/run.ts'
export type { HintRule } from './errors/hints/hint.ts'
export { loadRuntimeContext, RuntimeContextError, type RuntimeContext } from './http/config/runtime-context.ts'
export { html, jsonScript, SafeHtml, trusted } from './base/html/html.ts'
export type { CookieOptions } from './base/http/cookies.ts'
export {
  HttpError,
  isHttpError,
  NotFoundHttpError,
  type HttpErrorOptions,
  type ProblemMembers,
} from './base/http/http-error.ts'
export { empty, json, redirect, reply, Reply, stream, text, upgrade } from './base/http/reply.ts'
export type { AcceptUpgrade, UpgradeParts } from './base/http/reply.ts'
export { ValidationError, type ValidationIssue } from './base/http/http-error.ts'
export { HttpRequest } from './base/http/request.ts'
export type { Cookies } from './http/kernel/exchange.ts'
export { currentExchange } from './http/kernel/current-exchange.ts'
export type { ErrorFormat, ErrorFormatter, ErrorSummary, ProblemDocument } from './http/kernel/handler-options.ts'
export { Exchange, exchangeKey, type ExchangeKey } from './http/kernel/exchange.ts'
export type { Handler } from './http/kernel/handler.ts'
export type { Guard } from './http/kernel/handler-options.ts'
export { HandlerTimeoutError } from './http/kernel/time-limit.ts'
export type { StandardIssue, StandardResult, StandardSchema } from './http/kernel/handler-options.ts'
export type { Listener, Next } from './http/kernel/listener.ts'
export type { TlsOptions } from './http/node/server.ts'
export type { ListenAddress } from './http/node/server.ts'
export { Logger, type LogLine, type LogSink } from './base/log/logger.ts'
export { RouteDefinitionError } from './routing/errors.ts'
export { RouteCollection } from './routing/route-collection.ts'
export type { Prefixed } from './routing/route-definition.ts'
export type { GroupOptions, RouteOptions, ValidValues } from './routing/route-definition.ts'
export { checkRoutes } from './routing/route-health.ts'
export { UrlGenerator } from './routing/url-generator.ts'
export type { Closure, LockLink, LockState, LockStore, LockWindow, LockWriteOptions } from './profiles/lock.ts'
export type { JournalContent, LockJournal, LockPeriod, LockReport, StoredReport } from './profiles/lock.ts'
export {
  AccessDeniedError,
  accessRules,
  type AccessDecision,
  type AccessRule,
  type AccessRules,
  type ReasonedVote,
  type RuleVote,
  type Vote,
} from './libraries/access/access-rules.ts'
export { compress, type CompressOptions } from './app/plugins/compress.ts'
export { cors, type CorsOptions, type OriginCheck } from './app/plugins/cors.ts'
export { maintenance, type MaintenanceOptions } from './app/plugins/maintenance.ts'
export { cspNonce, securityHeaders, type SecurityHeadersOptions } from './app/plugins/security-headers.ts'
export { dump } from './observe/dump.ts'
export { tag } from './observe/dump.ts'
export { checkLockState } from './stores/lock/lock-members.ts'
export type { Collection, CollectionContent } from './stores/collections.ts'
