// Runs the programs of a page of the documentation, as a reader would: file by file, in one folder.

import assert from 'node:assert/strict'
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import path from 'node:path'
import { compiledCode } from './compiled-code.ts'
import { blocksOf, entries, read, root, writeOwnFiles, type Block } from './documentation.ts'
import { freePort } from './free-port.ts'
import { isLike, replay, transcriptsOf } from './transcript.ts'
import { ownCertificate } from './own-certificate.ts'
import { until } from './until.ts'

/** Makes a folder in which `fanlight` and the command of that name are the sources. */
export function installSources(folder: string): void {
  const installed = path.join(folder, 'node_modules/fanlight')
  const commands = path.join(folder, 'node_modules/.bin')
  mkdirSync(installed, { recursive: true })
  mkdirSync(commands)
  const exports = Object.fromEntries(
    Object.entries(entries).map(([entry, file]) => [entry.replace('fanlight', '.'), `./${file}`]),
  )
  writeFileSync(path.join(installed, 'package.json'), JSON.stringify({ name: 'fanlight', type: 'module', exports }))
  // Node strips no types from files below `node_modules`; these are outside it.
  symlinkSync(path.join(root, 'src'), path.join(installed, 'src'), 'dir')
  const command = path.join(root, 'src/cli/main.ts')
  writeFileSync(path.join(commands, 'fanlight'), `#!/bin/sh\nexec "${process.execPath}" "${command}" "$@"\n`, {
    mode: 0o755,
  })
}

/** Runs the programs of a page in its own folder and compares what they do with what the page shows. `variables` are set for them, beside `PORT`. */
export async function runPage(
  page: string,
  folder: string,
  variables: Readonly<Record<string, string>> = {},
): Promise<void> {
  mkdirSync(folder, { recursive: true })
  writeFileSync(path.join(folder, 'package.json'), '{ "private": true, "type": "module" }\n')
  writeFileSync(path.join(folder, '.env'), 'APP_ENV=dev\nAPP_STORE=memory:\n')
  const blocks = blocksOf(page)
  let program: Program | undefined
  let commands: Program | undefined
  try {
    for (const [index, block] of blocks.entries()) {
      const file = block.file ?? (isProgram(block) ? `program-${index}.ts` : undefined)
      if (file !== undefined) {
        mkdirSync(path.dirname(path.join(folder, file)), { recursive: true })
        writeFileSync(path.join(folder, file), block.code)
      }
      if (isProgram(block)) {
        await program?.end()
        commands = undefined
        program = new Program(process.execPath, [file ?? ''], folder, block, {
          ...variables,
          PORT: String(await freePort()),
        })
        await (isAsked(blocks.slice(index + 1)) ? program.listening() : program.ended())
      } else if (isCommands(block)) {
        // Profiles are written a moment after their request; commands of pages only read, so they may run again.
        for (let triesLeft = 20; triesLeft > 0; triesLeft -= 1) {
          commands = new Program('/bin/sh', ['-e', '-c', block.code], folder, block, {
            ...variables,
            PORT: String(program?.port ?? 0),
          })
          await commands.ended()
          if (commands.hasShown(blocks[index + 1])) break
        }
      } else if (block.language === 'http') {
        await program?.replay(block)
      } else if (block.marks.has('output')) {
        await (commands ?? program)?.show(block)
      }
    }
    await program?.end()
  } finally {
    program?.kill()
    commands?.kill()
  }
}

/**
 * Loads the files of pages that no program uses, one after the other, as a program would that imports them: what they start, starts.
 * Servers listen on any free port, whichever they name; what is not there to connect to is no failure. Each page has its own folder below
 * this one.
 */
export async function loadFiles(pages: readonly string[], folder: string): Promise<void> {
  const files = pages.flatMap((page) => {
    const own = path.join(folder, page.replaceAll(/\W/g, '-'))
    mkdirSync(path.join(own, 'tls'), { recursive: true })
    writeFileSync(path.join(own, 'package.json'), '{ "private": true, "type": "module" }\n')
    const { key, cert } = ownCertificate
    writeFileSync(path.join(own, 'tls/key.pem'), key)
    writeFileSync(path.join(own, 'tls/cert.pem'), cert)
    return writeOwnFiles(page, own).map((place, index) => [place, own, `file-${index}.ts`] as const)
  })
  const loading = path.join(folder, 'load.mjs')
  writeFileSync(loading, loader(files))
  const env = { PATH: process.env['PATH'], APP_ENV: 'test', APP_STORE: 'memory:', PORT: '0', ...compiledCode }
  const child = spawn(process.execPath, [loading], { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] })
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (said += text))
  await once(child, 'close')
  assert.equal(child.exitCode, 0, said)
  const places = files.map(([place]) => place)
  assert.deepEqual(
    places.filter((place) => !said.includes(`${place} is loaded\n`)),
    [],
  )
}

const loader = (files: readonly (readonly string[])[]): string => `import net from 'node:net'
const { listen } = net.Server.prototype
net.Server.prototype.listen = function (first, ...rest) {
  const isPort = typeof first === 'number' || typeof first === 'string'
  return Reflect.apply(listen, this, [isPort ? 0 : typeof first === 'object' ? { ...first, port: 0 } : first, ...rest])
}
process.on('uncaughtException', (error) => {
  if (['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN'].includes(error.code ?? error.cause?.code)) return
  console.error(error)
  process.exit(1)
})
for (const [place, folder, file] of ${JSON.stringify(files)}) {
  console.log(place)
  process.chdir(folder)
  await import(folder + '/' + file)
  console.log(place + ' is loaded')
}
process.exit(0)
`

/** Whether a page has programs to run. */
export const hasPrograms = (page: string): boolean => blocksOf(page).some(isProgram)

/** Whether its programs need a database server, whose address is in `DATABASE_URL`. */
export const needsDatabase = (page: string): boolean => read(page).includes("['DATABASE_URL']")

const isProgram = ({ language, marks }: Block): boolean => language === 'ts' && marks.has('run')
const isCommands = ({ language, marks }: Block): boolean => language === 'sh' && marks.has('run')

/** Whether requests or commands come before the next program: then this one is a server. */
function isAsked(following: readonly Block[]): boolean {
  const next = following.findIndex(isProgram)
  const own = next === -1 ? following : following.slice(0, next)
  return own.some((block) => block.language === 'http' || isCommands(block))
}

class Program {
  readonly port: number
  readonly #block: Block
  readonly #child: ChildProcess
  readonly #closed: Promise<unknown>
  readonly #cookies = new Map<string, string>()
  #output = ''
  #errors = ''

  constructor(
    command: string,
    args: readonly string[],
    folder: string,
    block: Block,
    variables: { readonly PORT: string },
  ) {
    const bin = path.join(folder, '../node_modules/.bin')
    const PATH = [bin, path.dirname(process.execPath), process.env['PATH']].join(path.delimiter)
    const env = { PATH, ...variables, ...compiledCode }
    this.port = Number(variables.PORT)
    this.#block = block
    this.#child = spawn(command, [...args], { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] })
    this.#closed = once(this.#child, 'close')
    this.#child.stdout?.setEncoding('utf8').on('data', (text: string) => (this.#output += text))
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => (this.#errors += text))
  }

  get #hasEnded(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null
  }

  #said(what: string): string {
    return `${this.#block.place}: the program ${what}\n${this.#output}${this.#errors}`
  }

  /** Waits until its port is open. */
  async listening(): Promise<void> {
    await until(async () => this.#hasEnded || (await isListening(this.port)))
    assert.ok(!this.#hasEnded, this.#said('ended before it listened'))
  }

  /** Waits for the end, which must be a good one. */
  async ended(): Promise<void> {
    // A server that nobody asks would run for ever.
    await until(() => this.#hasEnded).catch(() =>
      assert.fail(this.#said('does not end, and no request or command follows')),
    )
    await this.#closed
    assert.equal(this.#child.exitCode, 0, this.#said(`ended with ${this.#child.exitCode ?? this.#child.signalCode}`))
  }

  /** Ends a server by a signal. */
  async end(): Promise<void> {
    if (this.#hasEnded) return
    this.#child.kill()
    await this.#closed
    const { exitCode, signalCode } = this.#child
    assert.ok(exitCode === 0 || signalCode === 'SIGTERM', this.#said(`ended with ${exitCode ?? signalCode}`))
  }

  kill(): void {
    this.#child.kill('SIGKILL')
  }

  async replay(block: Block): Promise<void> {
    for (const transcript of transcriptsOf(block.code, block.place)) {
      try {
        await replay(transcript, this.port, this.#cookies)
      } catch (error) {
        const difference = error instanceof Error ? error.message : String(error)
        throw new Error(`${this.#said(`sent another response than ${block.place}`)}\n${difference}`, { cause: error })
      }
    }
  }

  /** Whether a block is about something else, or shows what was printed. */
  hasShown(block: Block | undefined): boolean {
    return block === undefined || !block.marks.has('output') || isLike(this.#output, block.code)
  }

  /** Compares what it has printed; of a server, as soon as that is there. */
  async show(block: Block): Promise<void> {
    const isShown = (): boolean => isLike(this.#output, block.code)
    await until(() => this.#hasEnded || isShown()).catch(() => undefined)
    assert.ok(isShown(), this.#said(`printed something else than ${block.place}`))
  }
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.on('connect', () => socket.destroy()).on('connect', () => resolve(true))
    socket.on('error', () => resolve(false))
  })
}
