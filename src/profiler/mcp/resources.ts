// Profiles as resources: one for each profile, and one for each of its panels.

import type { McpServer, ReadResourceResult, ServerContext, Variables } from '@modelcontextprotocol/server'
import { AgentError } from '../agents/agent-error.ts'
import { panelNames } from '../agents/profile-response.ts'
import { getRequest } from '../agents/request-tools.ts'
import { quote } from '../agents/quote.ts'
import type { ProfileSummary } from '../profile.ts'
import { requestLine, statusMark } from '../query/profile-facts.ts'
import type { AgentSources } from '../agents/tool.ts'
import type { Protocol } from './protocol.ts'

const scheme = 'fanlight://profiles'
/** The newest profiles, which clients list. */
const listed = 50
/** Tokens of a resource: its reader cannot ask for more. */
const resourceBudget = 10_000
const mimeType = 'text/markdown'

export function addResources(
  server: McpServer,
  { ResourceTemplate, ResourceNotFoundError }: Protocol,
  sources: AgentSources,
): void {
  const { profiles } = sources
  const newest = async (): Promise<readonly ProfileSummary[]> => (await profiles.find({}, { limit: listed })).items
  const completeToken = async (typed: string): Promise<string[]> =>
    (await newest()).map(({ token }) => token).filter((token) => token.startsWith(typed))
  const read = async (
    uri: URL,
    variables: Variables,
    { mcpReq: { signal } }: ServerContext,
  ): Promise<ReadResourceResult> => {
    const asked = Object.fromEntries(Object.entries(variables).map(([name, value]) => [name, String(value)]))
    try {
      const text = await getRequest.call({ ...asked, budget: resourceBudget }, { sources, signal })
      return { contents: [{ uri: uri.href, mimeType, text }] }
    } catch (error) {
      if (error instanceof AgentError) throw new ResourceNotFoundError(uri.href, error.message)
      throw error
    }
  }
  const list = async (): Promise<{ resources: { uri: string; name: string; title: string; mimeType: string }[] }> => ({
    resources: (await newest()).map((one) => ({
      uri: `${scheme}/${one.token}`,
      name: one.token,
      title: `${statusMark(one)} ${quote(requestLine(one), 40)}`,
      mimeType,
    })),
  })
  server.registerResource(
    'profile',
    new ResourceTemplate(`${scheme}/{token}`, { list, complete: { token: completeToken } }),
    { title: 'Recorded request', description: 'What one request did. `latest` is the newest one.', mimeType },
    read,
  )
  const completePanel = async (typed: string, context?: { arguments?: Record<string, string> }): Promise<string[]> => {
    const profile = await profiles.read(context?.arguments?.['token'] ?? '')
    return profile === undefined ? [] : panelNames(profile).filter((name) => name.startsWith(typed))
  }
  server.registerResource(
    'panel',
    new ResourceTemplate(`${scheme}/{token}/{panel}`, {
      list: undefined,
      complete: { token: completeToken, panel: completePanel },
    }),
    { title: 'Panel of a recorded request', description: 'Everything that one panel of a request has.', mimeType },
    read,
  )
}
