// The public entry `fanlight/routing`: the router alone, without the kernel.

export { RouteDefinitionError } from './framework/routing/definition-error.ts'
export { MethodNotAllowedError, ResourceNotFoundError } from './framework/routing/errors.ts'
export type { MatchResult } from './framework/routing/url-matcher.ts'
export { explainMatch, rankMisses, type TraceStep } from './framework/routing/match-trace.ts'
export type { Params } from './framework/routing/path-params.ts'
export { RouteCollection } from './framework/routing/route-collection.ts'
export { Route } from './framework/routing/route.ts'
export { suggestRoutes } from './framework/routing/suggest-routes.ts'
export type { Suggestion } from './framework/routing/suggest-routes.ts'
export { UrlGenerator } from './framework/routing/url-generator.ts'
export { UrlMatcher, type UrlMatcherOptions } from './framework/routing/url-matcher.ts'
