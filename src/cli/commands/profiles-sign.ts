// `fanlight profiles sign`: the header with which a request asks to be recorded, ready to be sent.

import { tokenHeader, maxTokenMs, maxTokenPath, signToken } from '../../profiler/sampling/signed-token.ts'
import type { Cli } from '../cli.ts'
import { usageError } from '../command.ts'
import { durationOf } from '../duration.ts'
import { CliError } from '../exit-codes.ts'
import { ownOrigin } from '../running-app.ts'

export interface SignOptions {
  readonly for?: string
  readonly path?: string
  readonly json?: true
}

/** Prints the header, until when it counts, and a command that sends it. Throws a CliError without a secret. */
export function signRecording(cli: Cli, options: SignOptions): void {
  const { recording, settingPrefix } = cli.context()
  if (recording.signingKey === null) {
    throw new CliError(`${settingPrefix}RECORD_SECRET is not set; without it no application accepts a signed token`)
  }
  const path = options.path ?? '/'
  const expiresAt = cli.now() + duration(options.for ?? '10m')
  const value = signed(path, () => signToken({ expiresAt, path }, recording.signingKey!))
  const expires = new Date(Math.floor(expiresAt / 1000) * 1000).toISOString()
  if (options.json === true) return cli.terminal.json({ header: tokenHeader, value, expires, path })
  const { origin } = ownOrigin(cli.context())
  cli.terminal.lines([
    `${headerName}: ${value}`,
    cli.terminal.tone('quiet', `Valid until ${expires} for ${path === '/' ? 'every path' : `${path} and below`}.`),
    `curl -sS -D - -o /dev/null -H '${headerName}: ${value}' '${origin}${path.replaceAll("'", String.raw`'\''`)}'`,
  ])
}

const headerName = 'X-Debug-Record'

function signed(path: string, sign: () => string): string {
  try {
    return sign()
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    throw usageError('--path', path, `a path as it is sent, from "/", without query, ${maxTokenPath} bytes at most`)
  }
}

/** In milliseconds. */
function duration(value: string): number {
  const ms = (durationOf(value) ?? 0) * 1000
  if (ms > 0 && ms <= maxTokenMs) return ms
  throw usageError('--for', value, 'a time such as 90s, 10m or 2h, 24h at most')
}
