// The tool that has the application send a recorded request again.

import { fieldOf, helpWith, parameterOf, type ReplayHelp } from '../replay/order-fields.ts'
import { missingText } from '../../profiles/repeatable-request.ts'
import type { ReplayRefusal } from '../replay/replay.ts'
import { toSections } from '../../observe/blocks/sections.ts'
import { wholeReplay } from '../replay/replay-markdown.ts'
import { requestLine } from '../../profiles/profile-facts.ts'
import type { AgentErrorCode, AgentTool } from './tool.ts'
import { AgentError, defineTool, quote, unusable } from './tool.ts'
import { readProfile } from './show.ts'

const texts = { type: 'array', items: { type: 'string' } } as const

export const replay: AgentTool = defineTool({
  name: 'replay',
  description:
    'Sends a recorded request again, and says what differs. What may change something needs confirm; masked values must be given anew.',
  changes: 'something',
  required: ['token'],
  parameters: {
    token: { type: 'string', description: 'Token, latest or last_error' },
    headers: { ...texts, description: 'Such as "Accept: text/html"; empty: left out' },
    query: { ...texts, description: 'Such as "page=2"' },
    body: { type: 'string', maxLength: 64 * 1024, description: 'Replaces the body' },
    without_masked: { type: 'boolean', description: 'Leave out what was masked' },
    values: { type: 'boolean', description: 'Show the lines that it ran' },
    confirm: { type: 'boolean', description: 'Only if a person said yes' },
  },
  run: async (values, { profiles, sources }) => {
    const { token, headers = [], query = [] } = values
    const profile = await readProfile(profiles, token)
    const response = await sources.replay({
      token: profile.token,
      headers: headers.map((line) => fieldOf(line) ?? refuse('headers', line, 'a name, a colon and a value')),
      query: query.map((pair) => parameterOf(pair) ?? refuse('query', pair, 'a name, an equals sign and a value')),
      ...(values.body === undefined ? {} : { body: values.body }),
      withoutMasked: values.without_masked ?? false,
      values: values.values ?? false,
      isConfirmed: values.confirm ?? false,
    })
    if (response.state === 'refused') throw refused(response)
    const { report } = response
    const parts = toSections(wholeReplay(report), quote)
    return { title: `Replay of ${profile.token}: ${quote(requestLine(profile), 160)}`, parts }
  },
})

const codes: Readonly<Record<ReplayRefusal['reason'], AgentErrorCode>> = {
  gone: 'not_found',
  invalid: 'invalid_arguments',
  incomplete: 'invalid_arguments',
  unconfirmed: 'invalid_arguments',
  impossible: 'refused',
  elsewhere: 'refused',
  unreachable: 'not_available',
}

const parameters: Readonly<Record<ReplayHelp, string>> = {
  headers: '`headers`',
  query: '`query`',
  body: '`body`',
  withoutMasked: '`without_masked`',
  confirm: '`confirm`, after a person has said yes',
}

/** Says which parameters help. */
function refused(refusal: ReplayRefusal): AgentError {
  const { reason, problem, missing } = refusal
  const help = helpWith(refusal).map((name) => parameters[name])
  const names = missing.slice(0, 10).map((value) => quote(missingText(value), 120))
  const said = names.length === 0 ? '' : ` Missing: ${names.join(', ')}.`
  return new AgentError(
    codes[reason],
    `${quote(problem, 480)}${said}${help.length === 0 ? '' : ` Use ${help.join(', ')}.`}`,
  )
}

function refuse(...mistake: Parameters<typeof unusable>): never {
  throw unusable(...mistake)
}
