// A project with an application that fails, to write tests for: in a folder in which `fanlight` is the sources.

import { spawn } from 'node:child_process'
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text as readText } from 'node:stream/consumers'
import { pathToFileURL } from 'node:url'
import { loadRuntimeContext } from '../../src/index.ts'
import type { InjectRequest } from '../../src/http/node/inject.ts'
import type { FrontController } from '../../src/app/run.ts'
import type { TestRunner } from '../../src/analysis/test-file/test-file.ts'
import { cliFolder, type CliFolder } from './cli-run.ts'
import { compiledCode } from './compiled-code.ts'
import { root } from './documentation.ts'
import { installSources } from './page-programs.ts'

/** The library and the programs that tests are run with, and a file `app/main.ts`. */
export async function testProject(application: string): Promise<CliFolder> {
  const folder = await cliFolder()
  installSources(folder.path)
  for (const name of ['undici', 'vitest']) {
    symlinkSync(join(root, 'node_modules', name), join(folder.path, 'node_modules', name), 'dir')
  }
  writeFileSync(join(folder.path, 'package.json'), '{ "private": true, "type": "module" }\n')
  mkdirSync(join(folder.path, 'app'))
  mkdirSync(join(folder.path, 'test'))
  writeFileSync(join(folder.path, 'app/main.ts'), application)
  return folder
}

/** Sends requests to the application of a project, whose store keeps the profiles. */
export async function recordIn(folder: CliFolder, ...requests: readonly InjectRequest[]): Promise<void> {
  const main = pathToFileURL(join(folder.path, 'app/main.ts')).href
  const { frontController } = (await import(main)) as { readonly frontController: FrontController }
  const { context } = loadRuntimeContext({ cwd: folder.path, env: folder.env })
  const app = await frontController(context)
  for (const request of requests) await app.inject(request)
  await app.close()
}

/** Replaces text of a file that has it. */
export function change(folder: CliFolder, file: string, before: string, after: string): void {
  const path = join(folder.path, file)
  const content = readFileSync(path, 'utf8')
  if (!content.includes(before)) throw new Error(`${file} has no ${before}`)
  writeFileSync(path, content.replace(before, after))
}

/** What came of a run of tests. */
export interface TestRun {
  readonly passed: boolean
  readonly output: string
}

function argumentsOf(runner: TestRunner, file: string): readonly string[] {
  if (runner === 'node') return ['--test', '--test-reporter=spec', file]
  const vitest = join(root, 'node_modules/vitest/vitest.mjs')
  return [vitest, 'run', file, '--configLoader=native', '--pool=threads', '--testTimeout=120000']
}

/** Runs one file of tests in the project; one for a listener `registered`. */
export async function runTest(
  folder: CliFolder,
  runner: TestRunner,
  file: string,
  registered: Readonly<Record<string, string>> = {},
): Promise<TestRun> {
  const { NODE_TEST_CONTEXT: _, ...env } = process.env
  const child = spawn(process.execPath, argumentsOf(runner, file), {
    cwd: folder.path,
    env: { ...env, ...compiledCode, NO_COLOR: '1', CI: '1', ...registered },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  const [out, errors] = await Promise.all([readText(child.stdout), readText(child.stderr)])
  return { passed: (await ended) === 0, output: out + errors }
}
