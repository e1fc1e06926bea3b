// What errors of other frameworks are shown with. Half a megabyte: required with the first error.

import * as tools from '../app/debug-error-tools.ts'
import { makeErrorHandler, type LoadedErrorHandler } from '../app/load-error-handler.ts'

/** At once: the head of a response waits for it. */
export const createErrorTools = (input: tools.ErrorHandlerInput): LoadedErrorHandler => makeErrorHandler(input, tools)
