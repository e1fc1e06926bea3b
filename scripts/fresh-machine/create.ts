// Tries `npm create fanlight` with the packed packages: each kind of application is made, installed, checked, tested and started.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Kind } from '../../create-fanlight/src/kinds.ts'
import { freePort } from '../../test/support/free-port.ts'
import { end, kill, openPlace, outputOf, patienceMs, until, type Place } from './commands.ts'
import { runOn, type Machine } from './machine.ts'

/** The packed packages. */
export interface Tarballs {
  readonly fanlight: string
  readonly create: string
}

type Command = readonly [string, ...string[]]

/** Makes one kind of application and uses it. Rejects with what was said where something fails. */
export async function tryCreate(machine: Machine, kind: Kind, { fanlight, create }: Tarballs): Promise<string> {
  const place = openPlace(machine, 'an empty folder')
  const args = ['shop', '--kind', kind, '--fanlight', fanlight]
  await run(machine, ['npm', 'exec', '--yes', `--package=${create}`, '--', 'create-fanlight', ...args], place)
  const shop = { ...place, cwd: join(place.cwd, 'shop') }
  await run(machine, ['npm', 'run', 'check'], shop)
  const tests = await run(machine, ['npm', 'test'], shop)
  const passed = /^\S+ pass (\d+)$/m.exec(tests)?.[1]
  if (passed === undefined || passed === '0') throw new Error(`No test was run:\n${tests}`)
  const path = kind === 'pages' ? '/' : '/notes'
  const production = await firstHeaders(machine, ['npm', 'start'], shop, path)
  if (production.has('x-debug-token')) throw new Error('"npm start" records profiles.')
  const development = await firstHeaders(machine, ['npm', 'run', 'dev'], shop, path)
  if (!development.has('x-debug-token')) throw new Error('"npm run dev" records no profiles.')
  // What the Dockerfile runs: it cannot be built here.
  const image = readFileSync(join(shop.cwd, 'Dockerfile'), 'utf8')
  for (const [, line = ''] of image.matchAll(/^RUN (npm .*)$/gm)) {
    const [program = '', ...rest] = line.split(' ')
    await run(machine, [program, ...rest], shop)
  }
  const start: unknown = JSON.parse(/^CMD (.*)$/m.exec(image)?.[1] ?? '[]')
  if (!isCommand(start)) throw new Error('The Dockerfile has no CMD.')
  // An older machine has the Node of the image in a package of development, which the image leaves out.
  if (machine.node >= 24) await firstHeaders(machine, start, shop, path)
  return `${passed} tests passed, started in production and development`
}

function isCommand(value: unknown): value is Command {
  return Array.isArray(value) && value.length > 0 && value.every((part) => typeof part === 'string')
}

async function run(machine: Machine, command: Command, place: Place): Promise<string> {
  const { status, output } = await end(runOn(machine, command, place), patienceMs)
  if (status !== 0) throw new Error(`"${command.join(' ')}" ended with ${status}:\n${output}`)
  return output
}

/** In production applications do not say where they listen. */
async function firstHeaders(machine: Machine, command: Command, place: Place, path: string): Promise<Headers> {
  const port = await freePort()
  const child = runOn(machine, command, { ...place, env: { PORT: String(port) } })
  const output = outputOf(child)
  let response: Response | undefined
  try {
    const ask = async (): Promise<boolean> => {
      response = await fetch(`http://127.0.0.1:${port}${path}`).catch(() => undefined)
      return response !== undefined
    }
    await until(ask, child)
    if (response?.status !== 200) throw new Error(`The first response has status ${response?.status}.`)
    return response.headers
  } catch (error) {
    const said = error instanceof Error ? error.message : String(error)
    throw new Error(`"${command.join(' ')}": ${said}\n${output.text}`, { cause: error })
  } finally {
    await kill(child, 'SIGTERM')
  }
}
