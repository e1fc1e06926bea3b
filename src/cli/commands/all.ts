// The list of commands, in the order of the help text. Each is loaded when it is asked for.

import type { RegisterCommand } from '../cli.ts'

interface Loaded {
  readonly register: RegisterCommand
  /** Of applications of this library: its settings are `APP_*`, also where another framework is used as well. */
  readonly isOfLibrary?: boolean
}

const isOfLibrary = true

/** By the first word. A new command is one file beside this one and one line here. */
const commands: Readonly<Record<string, () => Promise<Loaded>>> = {
  serve: async () => ({ register: (await import('./dev.ts')).registerServe, isOfLibrary }),
  dev: async () => ({ register: (await import('./dev.ts')).registerDev }),
  run: async () => ({ register: (await import('./run.ts')).registerRun }),
  routes: async () => ({ register: (await import('./routes.ts')).registerRoutes, isOfLibrary }),
  match: async () => ({ register: (await import('./routes.ts')).registerMatch, isOfLibrary }),
  lock: async () => ({ register: (await import('./lock.ts')).registerLock, isOfLibrary }),
  profiles: async () => ({ register: (await import('./profiles.ts')).registerProfiles }),
  // Their words are those of the questions.
  '': async () => {
    const { registerQuestions } = await import('./questions.ts')
    const { registerErrorState } = await import('./error-state.ts')
    const register: RegisterCommand = (program, cli) => {
      registerQuestions(program, cli)
      registerErrorState(program, cli)
    }
    return { register }
  },
  mcp: async () => ({ register: (await import('./mcp.ts')).registerMcp }),
}

/** Those that a first word may mean: the command of that name, else all. */
export async function commandsFor(word = ''): Promise<readonly Loaded[]> {
  const named = word !== '' && Object.hasOwn(commands, word) ? commands[word] : undefined
  return Promise.all(named === undefined ? Object.values(commands).map((load) => load()) : [named()])
}
