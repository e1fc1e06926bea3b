// The runtime context of this process.

import { fillFromEnvFiles } from '../framework/config/env-files.ts'
import { loadRuntimeContext, type LoadedRuntimeContext } from '../framework/config/runtime-context.ts'

/**
 * Sets the names of the `.env` files of the working directory in `process.env` where it lacks them, and reads the context. Throws a
 * RuntimeContextError for what cannot be used.
 */
export function loadProcessContext(): LoadedRuntimeContext {
  const cwd = process.cwd()
  fillFromEnvFiles(cwd, process.env)
  return loadRuntimeContext({ cwd, env: process.env })
}
