// Errors of the engines: setup mistakes and failures of the place where things are kept.

import { brandError } from '../base/http/http-error.ts'

/** What went wrong, for programs. */
export type EngineErrorCode =
  | 'ERR_STORE_URL' // The address of the store cannot be used.
  | 'ERR_STORE_OPEN' // The place cannot be opened: missing rights, a directory, a read-only disk.
  | 'ERR_STORE_VERSION' // The place was written by a newer version.
  | 'ERR_STORE_FOREIGN' // The place belongs to another application.
  | 'ERR_STORE_BUSY' // Another process held the place for longer than the patience.
  | 'ERR_STORE_FAILED' // A call failed: full disk, input/output error.
  | 'ERR_STORE_RECORD' // A record is not of the form that the port demands.
  | 'ERR_STORE_UNAVAILABLE' // The worker ended and is not back yet.
  | 'ERR_STORE_CLOSED' // The engine was closed.

/** A failure of an engine; `code` says which kind. The message is one line that names the place. */
export class EngineError extends Error {
  readonly code: EngineErrorCode

  constructor(code: EngineErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}
export const isEngineError: (value: unknown) => value is EngineError = brandError(EngineError, 'EngineError')
