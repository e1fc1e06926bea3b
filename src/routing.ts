// The public entry `fanlight/routing`: the router alone, without the kernel.

export { RouteDefinitionError } from './routing/definition-error.ts'
export { MethodNotAllowedError, ResourceNotFoundError } from './routing/errors.ts'
export type { MatchResult } from './routing/match-result.ts'
export { explainMatch, rankMisses, type TraceStep } from './routing/match-trace.ts'
export type { Params } from './routing/path-params.ts'
export { RouteCollection } from './routing/route-collection.ts'
export { Route } from './routing/route.ts'
export { suggestRoutes } from './routing/suggest-routes.ts'
export type { Suggestion } from './routing/suggestion.ts'
export { UrlGenerator } from './routing/url-generator.ts'
export { UrlMatcher, type UrlMatcherOptions } from './routing/url-matcher.ts'
