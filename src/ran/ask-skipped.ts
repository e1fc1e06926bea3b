// Has the command `fanlight routes --skipped` start this application once more, in a process of its own.

import { execFile } from 'node:child_process'
import { extname, join } from 'node:path'
import { promisify } from 'node:util'
import { frameFile, normalizeRoot } from '../errors/frame-file.ts'
import { libraryRoot } from '../base/own-package.ts'
import { ownVariables } from '../http/config/own-variables.ts'
import type { Redactor } from '../base/redact/redactor.ts'
import { note, type Blocks } from '../observe/blocks/blocks.ts'
import { skippedBlocks, type SkippedRoute } from './skipped-routes.ts'
import { membersOf } from '../base/members.ts'

/** How long it may take, in milliseconds. */
const maxMs = 30_000

/** With the file that this process was started with, and its flags but those of a debugger or a watcher. Never rejects. */
export async function askSkipped(projectRoot: string, redactor: Redactor): Promise<Blocks> {
  const [, module = ''] = process.argv
  if (frameFile(module, normalizeRoot(projectRoot)).origin !== 'own') {
    return [note('Not known: this process was not started with a file of the project.')]
  }
  const command = join(libraryRoot(), 'cli', `main${extname(import.meta.filename)}`)
  const flags = process.execArgv.filter((flag) => !/^--(?:inspect|watch|test|cpu-prof|heap-prof)/.test(flag))
  const ofOthers = new Set<string>(['NODE_V8_COVERAGE', ...Object.values(ownVariables)])
  const kept = Object.entries(process.env).filter(([name]) => !ofOthers.has(name))
  const env = { ...Object.fromEntries(kept), NODE_DISABLE_COMPILE_CACHE: '1' }
  const args = [...flags, command, 'routes', '--skipped', '--json', '--module', module]
  try {
    const { stdout } = await promisify(execFile)(process.execPath, args, { env, timeout: maxMs })
    return skippedBlocks((JSON.parse(stdout) as { readonly skipped: SkippedRoute[] }).skipped, redactor, process.env)
  } catch (error) {
    const { stderr = '', message } = membersOf(error)
    const said = String(stderr).trim() || String(message)
    return [note(['It was not started:', { recorded: redactor.text(said, 2000) }])]
  }
}
