// `fanlight profiles export --otlp`: a profile as a trace of OpenTelemetry, to a file or to a receiver.

import { countOf } from '../../errors/page/page-budget.ts'
import { otlpAddress, otlpHeaders, otlpProtocols, type OtlpProtocol } from '../../framework/config/otlp-variables.ts'
import { sendTraces } from '../../profiler/otlp/send-traces.ts'
import { encodeTraces, traceRequest } from '../../profiler/otlp/trace-request.ts'
import type { Profile } from '../../profiler/profile.ts'
import type { Cli } from '../cli.ts'
import { oneOf, usageError } from '../command.ts'
import { CliError, exitCodes } from '../exit-codes.ts'
import { visibleText } from '../terminal.ts'

export interface OtlpExportOptions {
  /** A file or an address; `true` for standard output. */
  readonly otlp?: string | true
  readonly otlpProtocol?: string
}

/** What takes the content of a file. */
type WriteFile = (file: string, content: string | Buffer) => void

/** Expects masked profiles. Throws a CliError. */
export async function exportTrace(
  cli: Cli,
  profiles: readonly Profile[],
  { otlp: target = true, otlpProtocol }: OtlpExportOptions,
  write: WriteFile,
): Promise<void> {
  const protocol = otlpProtocol === undefined ? undefined : oneOf('--otlp-protocol', otlpProtocol, otlpProtocols)
  if (target !== true && /^https?:/i.test(target)) return sendTo(cli, profiles, target, protocol)
  // A file is for people and for tools that read JSON, unless somebody wants it otherwise.
  const body = encodeTraces(profiles, protocol ?? 'http/json')
  if (target !== true) return write(target, body)
  if (protocol === 'http/protobuf') {
    throw new CliError('protobuf is not text: name a file or an address, --otlp trace.pb', exitCodes.usage)
  }
  cli.terminal.json(traceRequest(profiles))
}

async function sendTo(
  cli: Cli,
  profiles: readonly Profile[],
  target: string,
  chosen: OtlpProtocol | undefined,
): Promise<void> {
  const address = otlpAddress(target)
  if (address === null) {
    throw usageError(
      '--otlp',
      target,
      'a file, or an address without user and password: http://127.0.0.1:4318/v1/traces',
    )
  }
  const { protocol, headers: key } = cli.context().otlp
  const headers = otlpHeaders(key)
  if (headers === null) {
    throw new CliError('OTEL_EXPORTER_OTLP_HEADERS cannot be read. Use name=value pairs, separated by commas.')
  }
  const sent = { address, protocol: chosen ?? protocol, headers }
  const result = await sendTraces(sent, encodeTraces(profiles, sent.protocol))
  if (result.state !== 'taken') throw new CliError(`${address} did not take the trace: ${result.message}`)
  if (result.rejected > 0) {
    throw new CliError(`${address} did not take ${countOf(result.rejected, 'span')}: ${result.message}`)
  }
  const said = result.message === '' ? '' : ` The receiver says: ${result.message}`
  cli.terminal.lines([visibleText(`${countOf(profiles.length, 'profile')} sent to ${address}.${said}`)])
}
