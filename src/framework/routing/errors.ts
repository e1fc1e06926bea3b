// The two errors of routing. They say what was looked for; what the client gets is said by the HTTP error around them.

/** No route has this path (SPEC 2.3). */
export class ResourceNotFoundError extends Error {
  /** The message names the path as sent with one `/` appended. */
  constructor(path: string) {
    super(`No routes found for "${path}/"`)
  }
  static {
    Object.defineProperty(this.prototype, 'name', {
      value: 'ResourceNotFoundError',
      configurable: true,
      writable: true,
    })
  }
  /** Stable code to tell errors apart by. */
  get code(): 'ERR_ROUTE_NOT_FOUND' {
    return 'ERR_ROUTE_NOT_FOUND'
  }
}

/** Routes have this path, none of them this method. */
export class MethodNotAllowedError extends Error {
  readonly allow: readonly string[]

  constructor(method: string, path: string, allow: readonly string[]) {
    super(`Method "${method}" is not allowed for "${path}" (allowed: ${allow.join(', ')})`)
    this.allow = allow
  }
  static {
    Object.defineProperty(this.prototype, 'name', {
      value: 'MethodNotAllowedError',
      configurable: true,
      writable: true,
    })
  }
  /** Stable code to tell errors apart by. */
  get code(): 'ERR_METHOD_NOT_ALLOWED' {
    return 'ERR_METHOD_NOT_ALLOWED'
  }
}
