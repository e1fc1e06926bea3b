// Errors of the engines: setup mistakes and failures of the place where things are kept.

/**
 * What went wrong, for programs:
 *
 * - `ERR_STORE_URL` — the address of the store cannot be used
 * - `ERR_STORE_OPEN` — the place cannot be opened (missing rights, a directory, a read-only disk)
 * - `ERR_STORE_VERSION` — the place was written by a newer version
 * - `ERR_STORE_FOREIGN` — the place belongs to another application
 * - `ERR_STORE_BUSY` — another process held the place for longer than the patience
 * - `ERR_STORE_FAILED` — a call failed (full disk, input/output error)
 * - `ERR_STORE_RECORD` — a record is not of the form that the port demands
 * - `ERR_STORE_UNAVAILABLE` — the worker ended and is not back yet
 * - `ERR_STORE_CLOSED` — the engine was closed
 */
export type EngineErrorCode =
  | 'ERR_STORE_URL'
  | 'ERR_STORE_OPEN'
  | 'ERR_STORE_VERSION'
  | 'ERR_STORE_FOREIGN'
  | 'ERR_STORE_BUSY'
  | 'ERR_STORE_FAILED'
  | 'ERR_STORE_RECORD'
  | 'ERR_STORE_UNAVAILABLE'
  | 'ERR_STORE_CLOSED'

const brand = Symbol.for('fanlight.EngineError')

/** A failure of an engine; `code` says which kind. The message is one line that names the place. */
export class EngineError extends Error {
  readonly code: EngineErrorCode

  constructor(code: EngineErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }

  static {
    Object.defineProperty(this.prototype, brand, { value: true })
    Object.defineProperty(this.prototype, 'name', { value: 'EngineError', configurable: true, writable: true })
  }
}

/** Tells by brand, so that two copies of the library in one process agree. Never throws, whatever it is given. */
export function isEngineError(value: unknown): value is EngineError {
  try {
    return typeof value === 'object' && value !== null && Reflect.get(value, brand) === true
  } catch {
    return false
  }
}
