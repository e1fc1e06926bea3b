// Writes what a command makes to a file that the user names.

import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Cli } from './cli.ts'
import { CliError } from './exit-codes.ts'

interface NewFile {
  /** From the working directory. */
  readonly file: string
  readonly content: string | Uint8Array
  /** Whether an existing file may be replaced. */
  readonly mayReplace: boolean
  /** Default: what new files have; `0o600` for what others are not to read. */
  readonly mode?: number
}

/** Says that it was written. Throws a CliError. */
export function writeNew(cli: Cli, { file, content, mayReplace, mode }: NewFile): void {
  const flag = mayReplace ? 'w' : 'wx'
  try {
    writeFileSync(resolve(cli.cwd, file), content, { flag, ...(mode !== undefined && { mode }) })
  } catch (cause) {
    const { code = 'unknown' } = cause as NodeJS.ErrnoException
    const reason = code === 'EEXIST' ? 'already exists; --force overwrites it' : `cannot be written (${code})`
    throw new CliError(`${file} ${reason}`, undefined, { cause })
  }
  cli.terminal.lines([`${file} written.`])
}
