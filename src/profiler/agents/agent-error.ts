// Why a tool could not do what it was asked, and what to do instead.

import { nameError } from '../../framework/http/name-error.ts'

/** What kind of failure it is, for programs. */
export type AgentErrorCode = 'invalid_arguments' | 'not_found' | 'not_available' | 'refused' | 'failed'

/** Its message is one or two sentences: what is wrong, and what to do. Recorded text in it is quoted. */
export class AgentError extends Error {
  readonly code: AgentErrorCode

  constructor(code: AgentErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}
nameError(AgentError)
