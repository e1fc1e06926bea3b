// The error that stops a start: one line for the person who started it.

/** The runtime context cannot be read. Its message is one line that names the variable, the value and what is allowed. */
export class RuntimeContextError extends Error {
  static {
    Object.defineProperty(this.prototype, 'name', { value: 'RuntimeContextError', configurable: true, writable: true })
  }
  /** Stable code to tell errors apart by. */
  get code(): 'ERR_RUNTIME_CONTEXT' {
    return 'ERR_RUNTIME_CONTEXT'
  }
}
