// What a command of `fanlight` wants of the application whose code it loads.

import { AsyncLocalStorage } from 'node:async_hooks'
import type { RuntimeContext } from '../http/config/runtime-context.ts'

export interface Wanted {
  /** The command of the application that is to run: `null` for none, `undefined` where it is to serve requests. */
  readonly command: string | null | undefined
  /** Takes the front controller of a module that starts its application when it is imported. */
  readonly take: (frontController: (context: RuntimeContext) => unknown) => void
}

// Of the process: the application may use its own copy of the library.
const key = Symbol.for('fanlight.wanted')
const holder = globalThis as { [key]?: AsyncLocalStorage<Wanted> }

/** `undefined` where no command has loaded the code that asks. */
export function readWanted(): Wanted | undefined {
  return holder[key]?.getStore()
}

/** Does what loads or makes an application. */
export function withWanted<T>(wanted: Wanted, work: () => T): T {
  holder[key] ??= new AsyncLocalStorage()
  return holder[key].run(wanted, work)
}
