// `fanlight serve`: starts the application of a project in this process.

import type { Command } from 'commander'
import { isClosedAtBoot } from '../../app/process-context.ts'
import type { FrontController } from '../../app/command-line.ts'
import { run } from '../../app/run.ts'
import { defaultModule, type Cli } from '../cli.ts'
import { loadFrontController, startOrReport } from '../front-controller.ts'

export function registerServe(program: Command, cli: Cli): void {
  program
    .command('serve')
    .description('start the application of a project and keep it running')
    .argument('[module]', 'file that exports its front controller, (context) => App', defaultModule)
    .action(async (module: string) => {
      const load = (): Promise<FrontController> => startOrReport(cli, module, () => loadFrontController(cli, module))
      // A closed application is closed whatever its module does.
      const isClosed = isClosedAtBoot(cli.cwd, cli.env)
      await run(isClosed ? async (context) => (await load())(context) : await load())
    })
}
