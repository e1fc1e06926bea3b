// How routing names the type of a handler without knowing the kernel: an open interface that the kernel fills in, so that a
// path literal types the exchange of its handler.

/**
 * Filled by the layer that runs handlers: `interface RouteHandlerTypes<Params extends object> { handler: Handler<Params> }`.
 * Empty where routing is used alone.
 */
// eslint-disable-next-line typescript/no-empty-object-type, no-unused-vars -- open for declaration merging
export interface RouteHandlerTypes<Params extends object> {}

/** A handler of a route with these parameters: the kernel's, or any function of `{ params }` where routing is used alone. */
export type RouteHandler<Params extends object> =
  RouteHandlerTypes<Params> extends { readonly handler: infer Handler }
    ? Handler
    : (exchange: { readonly params: Params }) => unknown

/** Any handler, as kept by a route. Whoever runs it knows what it takes. */
export type AnyRouteHandler = (...args: never[]) => unknown
