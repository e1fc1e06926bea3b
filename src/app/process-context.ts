// The runtime context of this process, and what a command of `fanlight` wants of the application whose code it loads.

import { fillFromEnvFiles, readEnvFiles, type Variables } from '../http/config/folder-files.ts'
import { isMaintenance } from '../stores/lock/closure.ts'
import { loadRuntimeContext, type LoadedRuntimeContext, type RuntimeContext } from '../http/config/runtime-context.ts'
import { AsyncLocalStorage } from 'node:async_hooks'

/**
 * Sets the names of the `.env` files of the working directory in `process.env` where it lacks them, and reads the context. Throws a
 * RuntimeContextError for what cannot be used.
 */
export function loadProcessContext(): LoadedRuntimeContext {
  const cwd = process.cwd()
  fillFromEnvFiles(cwd, process.env)
  return loadRuntimeContext({ cwd, env: process.env })
}

/** Whether `APP_LOCK` closes what is started in a folder, also where another setting cannot be used. */
export function isClosedAtBoot(cwd: string, env: Variables): boolean {
  const value = Number(readableSettings(cwd, env)['APP_LOCK'] ?? 0)
  return Number.isSafeInteger(value) && isMaintenance(value)
}

/** What environment and files say, unchecked; without the files if one cannot be read. */
export function readableSettings(cwd: string, env: Variables): Variables {
  try {
    return { ...readEnvFiles(cwd, env).values, ...env }
  } catch {
    return env
  }
}

interface Wanted {
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
