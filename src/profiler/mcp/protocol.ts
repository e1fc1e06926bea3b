// The packages of the Model Context Protocol. They are optional: loaded when a client asks for the first time.

import type * as Server from '@modelcontextprotocol/server'
import type * as Stdio from '@modelcontextprotocol/server/stdio'
import { AgentError } from '../agents/agent-error.ts'

export type Protocol = Pick<
  typeof Server,
  'McpServer' | 'ResourceTemplate' | 'ResourceNotFoundError' | 'createMcpHandler'
>
type StdioProtocol = Pick<typeof Stdio, 'serveStdio'>

/** Throws an AgentError that says how to install it. */
export async function loadProtocol(): Promise<Protocol> {
  return orInstall(async () => import('@modelcontextprotocol/server'))
}

/** The same for standard input and output. */
export async function loadStdioProtocol(): Promise<StdioProtocol> {
  return orInstall(async () => import('@modelcontextprotocol/server/stdio'))
}

async function orInstall<Loaded>(load: () => Promise<Loaded>): Promise<Loaded> {
  try {
    return await load()
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND'
    if (!isMissing) throw error
    const message = 'The Model Context Protocol needs a package: npm i -D @modelcontextprotocol/server'
    throw new AgentError('not_available', message, { cause: error })
  }
}
