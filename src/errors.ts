// The public entry `fanlight/errors`: errors as plain data, and their renderers.

export { ErrorHandler, type ErrorHandlerOptions } from './errors/error-handler.ts'
export type { ErrorView } from './errors/error-view.ts'
export { flattenError, type FlattenOptions } from './errors/flatten-error.ts'
export type { ErrorChain, FlattenedError, Frame } from './errors/flattened-error.ts'
export { builtInHints } from './errors/hints/index.ts'
export type { Hint, HintRule } from './errors/hints/hint.ts'
export { renderErrorJson } from './errors/json-renderer.ts'
export { renderErrorMarkdown } from './errors/markdown-renderer.ts'
export { renderErrorText } from './errors/text-renderer.ts'
