// The tool that has the application send a recorded request again.

import { linesOf } from '../replay/order-fields.ts'
import { missingText } from '../replay/repeatable-request.ts'
import { maxReplays } from '../replay/replay.ts'
import { replayMarkdown } from '../replay/replay-markdown.ts'
import type { ReplayRefusal } from '../replay/replay-report.ts'
import { requestLine } from '../query/profile-facts.ts'
import { AgentError, type AgentErrorCode } from './agent-error.ts'
import { body, count, flag, requiredText, shown, texts } from './parameters.ts'
import { quote } from './quote.ts'
import { readProfile } from './request-tools.ts'
import { defineTool, type AgentTool } from './tool.ts'
import { markdownResponse } from './tool-response.ts'

export const replayRequest: AgentTool = defineTool({
  name: 'replay_request',
  title: 'Send a request again',
  description:
    'Has the running application handle a recorded request again, with the code as it is now, and says what differs from the recorded one. Use it after a change. POST and other methods that may change something need confirm. Masked headers and values must be given anew.',
  changes: 'something',
  parameters: {
    token: requiredText('Token of the request, or latest'),
    headers: texts('Headers to replace, such as "Accept: text/html"; without a value the header is left out'),
    query: texts('Parameters of the query to replace, such as "page=2"'),
    body: body('Replaces the body'),
    without_masked: flag('Leave out what was masked when it was recorded'),
    times: count('How often, one after the other: gives medians and spread', {
      least: 1,
      most: maxReplays,
      byDefault: 1,
    }),
    confirm: flag('Send a method that may change something. Set it only after a person has said yes'),
  },
  run: async (values, { profiles, sources }) => {
    const { token, headers = [], query = [], times = 1 } = values
    const profile = await readProfile(profiles, token)
    const response = await sources.replay({
      token: profile.token,
      headers: headers.flatMap(headerOf),
      query: query.map(parameterOf),
      ...(values.body === undefined ? {} : { body: values.body }),
      withoutMasked: values.without_masked ?? false,
      times,
      isConfirmed: values.confirm ?? false,
    })
    if (response.state === 'refused') throw refused(response)
    const { report } = response
    const { parts } = markdownResponse(replayMarkdown(report, { isCompared: true }))
    return { title: `Replay of ${profile.token}: ${quote(requestLine(profile), 40)}`, parts }
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

/** Says which parameters help. */
function refused({ reason, problem, missing }: ReplayRefusal): AgentError {
  const places = new Set(missing.map(({ place }) => place))
  const help = [
    ...(places.has('header') || places.has('cookie') ? ['`headers`'] : []),
    ...(places.has('query') ? ['`query`'] : []),
    ...(places.has('body') ? ['`body`'] : []),
    ...(missing.some(({ isCut }) => !isCut) ? ['`without_masked`'] : []),
    ...(reason === 'unconfirmed' ? ['`confirm`, after a person has said yes'] : []),
  ]
  const names = missing.slice(0, 10).map((value) => quote(missingText(value), 30))
  const said = names.length === 0 ? '' : ` Missing: ${names.join(', ')}.`
  return new AgentError(
    codes[reason],
    `${quote(problem, 120)}${said}${help.length === 0 ? '' : ` Use ${help.join(', ')}.`}`,
  )
}

function headerOf(line: string): ReturnType<typeof linesOf> {
  try {
    return linesOf(line)
  } catch {
    throw new AgentError(
      'invalid_arguments',
      `\`headers\`: ${shown(line)} cannot be used. Use a name, a colon and a value.`,
    )
  }
}

function parameterOf(pair: string): readonly [string, string] {
  const equals = pair.indexOf('=')
  if (equals > 0) return [pair.slice(0, equals), pair.slice(equals + 1)]
  throw new AgentError(
    'invalid_arguments',
    `\`query\`: ${shown(pair)} cannot be used. Use a name, an equals sign and a value.`,
  )
}
