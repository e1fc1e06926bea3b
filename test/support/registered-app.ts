// Programs that are started with `fanlight/register`, in a folder that goes away with the test.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { compiledCode } from './compiled-code.ts'
import { removeDirectory } from './temporary-directory.ts'

const root = join(import.meta.dirname, '../..')

/** What `--import` takes. */
export const register: string = pathToFileURL(join(root, 'src/register.ts')).href

export interface Ended {
  readonly exitCode: number | null
  readonly signal: string | null
  readonly stdout: string
  readonly stderr: string
}

export interface AppFolder extends AsyncDisposable {
  readonly path: string
  write(file: string, text: string): void
  /** Runs Node in the folder to its end, in development unless `env` says otherwise. `node` is the path of another version. */
  run(args: readonly string[], env?: Readonly<Record<string, string | undefined>>, node?: string): Promise<Ended>
}

/** A folder with these files and, unless said otherwise, the packages of the repository. */
export function appFolder(files: Readonly<Record<string, string>> = {}, name = 'app', hasPackages = true): AppFolder {
  const outer = realpathSync(mkdtempSync(join(tmpdir(), 'fanlight-registered-')))
  const path = join(outer, name)
  mkdirSync(path)
  if (hasPackages) symlinkSync(join(root, 'node_modules'), join(path, 'node_modules'))
  const write = (file: string, text: string): void => {
    mkdirSync(dirname(join(path, file)), { recursive: true })
    writeFileSync(join(path, file), text)
  }
  for (const [file, text] of Object.entries(files)) write(file, text)
  return {
    path,
    write,
    run: async (args, env = {}, node = process.execPath) => {
      const child = spawn(node, [...args], {
        cwd: path,
        env: { PATH: process.env['PATH'], FANLIGHT: 'on', FANLIGHT_STORE: 'memory:', ...compiledCode, ...env },
        stdio: ['ignore', 'pipe', 'pipe'],
        // A program that does not end fails its test, and not the whole run.
        timeout: 300_000,
        killSignal: 'SIGKILL',
      })
      const said = { stdout: '', stderr: '' }
      child.stdout.on('data', (chunk: Buffer) => (said.stdout += chunk.toString()))
      child.stderr.on('data', (chunk: Buffer) => (said.stderr += chunk.toString()))
      const [exitCode, signal] = (await once(child, 'close')) as [number | null, string | null]
      return { exitCode, signal, ...said }
    },
    [Symbol.asyncDispose]: () => removeDirectory(outer),
  }
}

/**
 * Code that serves `handler` (with `request` and `response`), sends one request, and prints its profile and the notes of the status page as
 * one line of JSON.
 */
export function serving(handler: string): string {
  return `
const { createServer } = process.getBuiltinModule('node:http')
const server = createServer((request, response) => { ${handler}; response.end('{}') })
${asking('server')}`
}

/** Listens with a server that is there, asks it once and prints what the profiler says; `name` tells several servers apart. */
export function asking(server: string, path = '/one', name = '', accept = '*/*'): string {
  return `
${server}.listen(0, '127.0.0.1', async function () {
  const url = 'http://127.0.0.1:' + this.address().port
  const read = async (path) => (await fetch(url + path, { headers: { accept: 'application/json', connection: 'close' } })).json()
  const answer = await fetch(url + '${path}', { headers: { accept: '${accept}', connection: 'close' } })
  const token = answer.headers.get('x-debug-token')
  let profile = null
  if (token !== null) profile = await read('/_profiler/' + token)
  // In two parts: a profile may show this line as source.
  while (JSON.stringify(profile).includes('has not ' + 'ended yet')) {
    await new Promise((resolve) => setTimeout(resolve, 5))
    profile = await read('/_profiler/' + token)
  }
  const notes = token === null ? [] : (await read('/_profiler/status.json')).notes
  console.log(JSON.stringify({ name: '${name}', token, profile, notes, text: await answer.text() }))
  // The connection to the first process of a cluster would keep this one alive.
  this.close(() => process.disconnect?.())
})`
}

export interface Printed {
  readonly token: string | null
  readonly profile: { readonly route: string | null; readonly data: Readonly<Record<string, unknown>> } | null
  readonly notes: readonly string[]
  readonly text: string
}

/** The line that `asking` printed for the server of this name. */
export function printedBy({ stdout, stderr }: Ended, name = ''): Printed {
  const line = stdout.split('\n').findLast((text) => text.startsWith(`{"name":"${name}"`))
  if (line === undefined) throw new Error(`nothing was printed for "${name}": ${stdout}${stderr}`)
  return JSON.parse(line) as Printed
}

/** Texts of the queries of a profile. */
export function queriesOf({ profile }: Printed): readonly string[] {
  const database = profile?.data['database'] as { readonly groups: readonly { readonly text: string }[] } | undefined
  return database?.groups.map(({ text }) => text) ?? []
}

/** Messages of the log of a profile. */
export function linesOf({ profile }: Printed): readonly string[] {
  const log = profile?.data['logger'] as { readonly records: readonly { readonly message: string }[] } | undefined
  return log?.records.map(({ message }) => message) ?? []
}
