// The list of commands, in the order of the help text.

import type { RegisterCommand } from '../cli.ts'
import { registerDev, registerServe } from './dev.ts'
import { registerErrorState } from './error-state.ts'
import { registerLock } from './lock.ts'
import { registerMatch } from './match.ts'
import { registerMcp } from './mcp.ts'
import { registerProfiles } from './profiles.ts'
import { registerQuestions } from './questions.ts'
import { registerRoutes } from './routes.ts'
import { registerRun } from './run.ts'

/** Those of applications of this library: their settings are `APP_*`, also where another framework is used as well. */
export const ofLibrary: ReadonlySet<RegisterCommand> = new Set([
  registerServe,
  registerRoutes,
  registerMatch,
  registerLock,
])

/** A new command is one file beside this one and one line here. */
export const commands: readonly RegisterCommand[] = [
  registerServe,
  registerDev,
  registerRun,
  registerRoutes,
  registerMatch,
  registerLock,
  registerProfiles,
  (program, cli) => {
    registerQuestions(program, cli)
    registerErrorState(program, cli)
  },
  registerMcp,
]
