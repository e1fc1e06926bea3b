// Draws what was run from the command line.

import { constants } from 'node:os'
import { badge, emptyState, formatBytes, formatDuration, keyValueTable } from '../../../framework/html/components.ts'
import { html, type SafeHtml } from '../../../framework/html/html.ts'
import { cutText } from '../../../framework/redact/cut-text.ts'
import type { CommandData, KeptOutput, ProgramData } from '../../collectors/command.ts'
import { quotePosix } from '../../query/shell-commands.ts'
import type { Panel } from '../panel.ts'

/** What was run, how it ended; of a program what is known from outside. */
export const commandPanel: Panel<CommandData> = {
  name: 'command',
  title: 'Command',
  of: 'commands',
  badge: ({ exitCode }) =>
    exitCode === null || exitCode === 0 ? undefined : { count: exitCode, tone: 'error', hint: `exit code ${exitCode}` },
  render: (data) => {
    if (data === undefined) return emptyState('This is the profile of a request, not of a command.')
    return html`${keyValueTable([
      ['Command', html`<code>${data.name}</code>`],
      ['Arguments', data.args.length === 0 ? 'none' : html`<code>${argumentsText(data)}</code>`],
      data.program === undefined
        ? ['Exit code', data.exitCode ?? 'still running']
        : ['Ended', ending(data.program, data.exitCode)],
      ...usageRows(data.program),
    ])}
    ${data.program === undefined ? null : programParts(data.program)}`
  },
}

function argumentsText({ args, program }: CommandData): string {
  // Arguments of a program are shown as a shell would take them: where each begins and ends.
  return cutText((program === undefined ? args : args.map(shellWord)).join(' '), 10_000)
}

/** Quoted where a shell would otherwise take it for more than one word, or for more than text. */
function shellWord(arg: string): string {
  return /^[\w@%+=:,./*-]+$/.test(arg) ? arg : quotePosix(arg)
}

function ending({ signal, startFailure }: ProgramData, exitCode: number | null): SafeHtml | string {
  if (startFailure !== null) return badge(`could not be started: ${startFailure}`, 'error')
  if (signal !== null) return badge(`by the signal ${signal}${signalExit(signal)}`, 'error')
  return exitCode === null ? 'not known' : badge(`with exit code ${exitCode}`, exitCode === 0 ? 'success' : 'error')
}

/** The exit code that a shell gives for it. */
function signalExit(signal: string): string {
  const number = new Map<string, number>(Object.entries(constants.signals)).get(signal)
  return number === undefined ? '' : `: exit code ${128 + number}`
}

function usageRows(program: ProgramData | undefined): readonly (readonly [string, string])[] {
  if (program?.usage === null || program?.usage === undefined) return []
  const { cpuMs, peakMemoryBytes } = program.usage
  return [
    ['CPU time', formatDuration(cpuMs)],
    ['Peak memory', formatBytes(peakMemoryBytes)],
  ]
}

function programParts({ isRecordedInside, unrecordedMs = 0, output }: ProgramData): SafeHtml {
  return html`<p class="note">
      ${isRecordedInside ? 'It ran on Node and was recorded from inside: the other panels show its outgoing requests, queries, warnings and exceptions.' : 'It was not recorded from inside; that needs a program that runs on Node 22.18 or later.'}
    </p>
    ${unrecordedMs === 0 ? null : html`<p class="note tone-warning">It was killed or crashed, so its last ${formatDuration(unrecordedMs)} is not recorded.</p>`}
    ${
      output === null
        ? html`<h3>Output</h3>
            ${emptyState('Not recorded. "fanlight run --output -- …" records it.')}`
        : html`${outputPart('Standard output', output.stdout)} ${outputPart('Standard error', output.stderr)}`
    }`
}

function outputPart(title: string, { head, leftOutBytes, tail }: KeptOutput): SafeHtml {
  if (head === '') {
    return html`<h3>${title}</h3>
      ${emptyState('Nothing was written.')}`
  }
  return html`<h3>${title}</h3>
    <pre class="block output" tabindex="0">${head}</pre>
    ${
      leftOutBytes === 0
        ? null
        : html`<p class="note tone-warning">${formatBytes(leftOutBytes)} in between were not recorded.</p>
            <pre class="block output" tabindex="0">${tail}</pre>`
    }`
}
