// The official client, as agents have it.

import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { join } from 'node:path'

/** What a tool has said. */
export interface ToolResult {
  readonly text: string
  readonly isError: boolean
  readonly error: unknown
}

export interface AgentClient extends AsyncDisposable {
  readonly client: Client
  ask(tool: string, args?: Record<string, unknown>): Promise<ToolResult>
}

/** Speaks to `fanlight mcp` in a folder. */
export async function stdioClient(
  folder: { readonly path: string; readonly env: Readonly<Record<string, string>> },
  args: readonly string[] = [],
): Promise<AgentClient> {
  const main = join(import.meta.dirname, '../../src/cli/main.ts')
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [main, 'mcp', ...args],
    cwd: folder.path,
    env: { ...folder.env },
    stderr: 'inherit',
  })
  return connected(transport)
}

/** Speaks to `/_profiler/mcp` of an application. `headers` go with every request. */
export async function httpClient(url: string, headers: Readonly<Record<string, string>> = {}): Promise<AgentClient> {
  return connected(new StreamableHTTPClientTransport(new URL(`${url}/_profiler/mcp`), { requestInit: { headers } }))
}

async function connected(transport: Parameters<Client['connect']>[0]): Promise<AgentClient> {
  const client = new Client({ name: 'test', version: '1.0.0' })
  await client.connect(transport)
  return {
    client,
    ask: async (name, args = {}) => {
      const result = await client.callTool({ name, arguments: args })
      const [first] = result.content
      return {
        text: first?.type === 'text' ? first.text : '',
        isError: result.isError === true,
        error: result.structuredContent,
      }
    },
    [Symbol.asyncDispose]: async () => client.close(),
  }
}
