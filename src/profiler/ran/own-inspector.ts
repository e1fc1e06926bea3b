// The inspector of this thread, asked and answered at once.

import inspector from 'node:inspector'

export interface FunctionCoverage {
  readonly ranges: readonly { readonly startOffset: number; readonly endOffset: number; readonly count: number }[]
}

export interface ScriptCoverage {
  readonly scriptId: string
  readonly url: string
  readonly functions: readonly FunctionCoverage[]
}

export interface ParsedScript {
  readonly scriptId: string
  readonly url: string
}

/** From 0. */
export interface ScriptLocation {
  readonly scriptId: string
  readonly lineNumber: number
  readonly columnNumber: number
  readonly type?: string
}

export class OwnInspector {
  readonly #session = new inspector.Session()

  constructor() {
    this.#session.connect()
  }

  post(method: string, params: object = {}): object {
    let failure: Error | null = null
    let answered: object = {}
    this.#session.post(method, params, (error, result?: object) => {
      failure = error
      answered = result ?? {}
    })
    if (failure !== null) throw failure as Error
    return answered
  }

  onScript(heard: (script: ParsedScript) => void): void {
    this.#session.on('Debugger.scriptParsed', ({ params }) => heard(params as ParsedScript))
  }

  close(): void {
    this.#session.disconnect()
  }
}
