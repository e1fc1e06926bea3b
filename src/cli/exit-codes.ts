// How a command ends, for scripts: four numbers, and the error that carries one of them.

import { nameError } from '../framework/http/name-error.ts'

export const exitCodes = {
  ok: 0,
  /** The command was understood and could not be done. */
  failed: 1,
  usage: 2,
  notFound: 3,
} as const

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]

/** Ends a command with an exit code, and with one line on standard error or a report of several. */
export class CliError extends Error {
  readonly exitCode: ExitCode
  /** Lines that are written in place of the message, safe for a terminal. */
  readonly report: string | undefined

  constructor(message: string, exitCode: ExitCode = exitCodes.failed, options?: ErrorOptions & { report?: string }) {
    super(message, options)
    this.exitCode = exitCode
    this.report = options?.report
  }

  get code(): string {
    return 'ERR_CLI'
  }
}
nameError(CliError)

/** Ends a command with the exit code of a program that it ran, and prints nothing: the program has said why. */
export class ProgramEnd extends Error {
  readonly exitCode: number

  constructor(exitCode: number) {
    super(`the program ended with ${exitCode}`)
    this.exitCode = exitCode
  }
}
