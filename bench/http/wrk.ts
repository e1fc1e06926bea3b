// Runs wrk on the other core and reads what it says.

import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { BenchRequest } from './table.ts'

/** What one run gave. */
export interface WrkResult {
  readonly requests: number
  readonly perSecond: number
  readonly p99Ms: number
  /** Answers that never came. */
  readonly errors: number
}

/** How wrk is run. */
export interface WrkOptions {
  readonly core: number
  readonly connections: number
  readonly seconds: number
}

const run = promisify(execFile)
const scripts = mkdtempSync(join(tmpdir(), 'fanlight-bench-wrk-'))
process.once('exit', () => rmSync(scripts, { recursive: true, force: true }))

/** Sends one request again and again. Rejects when wrk is missing (`apt-get install wrk`). */
export async function wrk(url: string, request: BenchRequest, options: WrkOptions): Promise<WrkResult> {
  const { core, connections, seconds } = options
  const script = join(scripts, `${request.name.replaceAll(/\W+/g, '-')}.lua`)
  writeFileSync(script, scriptOf(request))
  const { stdout } = await run('taskset', [
    '-c',
    String(core),
    'wrk',
    '-t1',
    `-c${connections}`,
    `-d${seconds}s`,
    '--latency',
    '-s',
    script,
    `${url}${request.path}`,
  ])
  return {
    requests: Number(/(\d+) requests in/.exec(stdout)?.[1] ?? 0),
    perSecond: Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)?.[1] ?? 0),
    p99Ms: milliseconds(/99%\s+([\d.]+)(us|ms|s)/.exec(stdout)),
    errors: (stdout.match(/Socket errors: .*/)?.[0].match(/\d+/g) ?? []).reduce((sum, count) => sum + Number(count), 0),
  }
}

function scriptOf({ method, path, body, accept, freshPath }: BenchRequest): string {
  const lines = [`wrk.method = "${method}"`]
  if (body !== undefined) lines.push(`wrk.body = [[${body}]]`, 'wrk.headers["Content-Type"] = "application/json"')
  if (accept !== undefined) lines.push(`wrk.headers["Accept"] = "${accept}"`)
  if (freshPath === true) {
    lines.push('local n = 0', `request = function() n = n + 1; return wrk.format(nil, "${path}/" .. n) end`)
  }
  return `${lines.join('\n')}\n`
}

function milliseconds(match: RegExpExecArray | null): number {
  if (match === null) return 0
  const factor = match[2] === 'us' ? 0.001 : match[2] === 's' ? 1000 : 1
  return Number(match[1]) * factor
}
