// The runtime context of this process.

import { fillFromEnvFiles, readEnvFiles, type Variables } from '../http/config/env-files.ts'
import { isMaintenance } from '../stores/lock/lock-bits.ts'
import { loadRuntimeContext, type LoadedRuntimeContext } from '../http/config/runtime-context.ts'

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
