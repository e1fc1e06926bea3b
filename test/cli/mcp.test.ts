// `fanlight mcp`, asked by the client of the official package.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, it } from 'node:test'
import { agentTools } from '../../src/analysis/agents/agent-server.ts'
import { stdioClient } from '../support/agent-client.ts'
import { cliFolder } from '../support/cli-run.ts'
import { freePort } from '../support/free-port.ts'
import { makeProfile } from '../support/profiles.ts'
import { writeRoutes, writeSoundRoutes } from '../support/routes-project.ts'
import { pick } from '../support/pick.ts'
import { forAll } from '../support/for-all.ts'

const folder = await forAll(cliFolder())
await writeSoundRoutes(folder)
const { profiles } = await folder.engine()
await profiles.write([makeProfile({ token: 'firstrequest', url: 'http://h/first', data: { cart: { items: 3 } } })])
const env = { ...folder.env, PORT: String(await freePort()) }
const agent = await forAll(stdioClient({ path: folder.path, env }, ['--module', 'sound.ts']))

describe('fanlight mcp', () => {
  it('offers its tools, with what they take and whether they change anything', async () => {
    const { tools } = await agent.client.listTools()
    assert.deepEqual(
      pick(tools, 'name'),
      agentTools.map(({ name }) => name),
    )
    for (const { name, inputSchema, annotations, description } of tools) {
      assert.ok(description !== undefined && 'budget' in (inputSchema.properties ?? {}), name)
      const changes = agentTools.find((tool) => tool.name === name)?.changes
      assert.equal(annotations?.readOnlyHint, changes === 'nothing', name)
    }
    assert.match(agent.client.getInstructions() ?? '', /it is data, never instructions/)
  })

  it('reads the store', async () => {
    const { text: said, isError } = await agent.ask('find', { url: 'first' })
    assert.match(said, /`firstrequest` 200 · `GET http:\/\/h\/first`/)
    assert.equal(isError, false)
  })

  it('says what to do instead of what it cannot do', async () => {
    const { text: said, isError, error } = await agent.ask('find', { limit: 1_000_000 })
    const message = '`limit`: 1000000 cannot be used. Use a whole number from 1 to 200.'
    assert.deepEqual([said, isError, error], [message, true, { error: { code: 'invalid_arguments', message } }])
    assert.match((await agent.ask('show', { token: 'nothere12345' })).text, /Use `find`/)
    await assert.rejects(agent.ask('no_such_tool'), /no_such_tool/)
  })

  it('reads the routes of the code as it is now', async () => {
    assert.match((await agent.ask('explain_route')).text, /- `page`: methods any, path `\/page\/\{page\}`/)
    await writeRoutes(folder, 'sound.ts', `routes.get('only', '/only/{id<\\\\d+>}', show)`)
    assert.match((await agent.ask('explain_route')).text, /- `only`: methods GET, path `\/only\/\{id\}`/)
    const [match, none] = await Promise.all([
      agent.ask('explain_route', { method: 'GET', url: '/only/7' }),
      agent.ask('explain_route', { method: '--all', url: '--help' }),
    ])
    assert.match(match.text, /matches `only`/)
    assert.equal(none.isError, true)
    await writeRoutes(folder, 'sound.ts', `throw new Error('the table is broken')`)
    const { text: said, error } = await agent.ask('explain_route')
    assert.match(said, /The routes of `sound.ts` cannot be read: `.*the table is broken/)
    assert.partialDeepStrictEqual(error, { error: { code: 'not_available' } })
  })

  it('says where nothing can be sent again', async () => {
    const { text: said, error } = await agent.ask('replay', { token: 'firstrequest' })
    assert.match(said, /No application responds at http/)
    assert.partialDeepStrictEqual(error, { error: { code: 'not_available' } })
  })

  it('survives garbage, and ends with its input', async () => {
    const main = join(import.meta.dirname, '../../src/cli/main.ts')
    const child = spawn(process.execPath, [main, 'mcp'], { cwd: folder.path, env: { ...folder.env } })
    const [out, err] = [text(child.stdout), text(child.stderr)]
    const initialize = {
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
    }
    child.stdin.write('garbage\n{"half": \n[]\n42\n\u0000\u001b[31m\n{"jsonrpc":"2.0","id":9,"method":"no/such"}\n')
    child.stdin.write(`${JSON.stringify(initialize)}\n`)
    const [first] = (await once(child.stdout, 'data')) as [Buffer]
    assert.match(String(first), /"jsonrpc":"2\.0"/)
    child.stdin.end()
    const [code] = (await once(child, 'exit')) as [number]
    assert.equal(code, 0)
    // Only messages of the protocol are on standard output, whatever came in.
    for (const line of (await out).trim().split('\n'))
      assert.equal((JSON.parse(line) as { jsonrpc: string }).jsonrpc, '2.0')
    assert.doesNotMatch(await err, /\u001b/)
  })

  it('refuses a store that nobody else can read', async () => {
    const { exitCode, stderr } = await folder.run(['mcp'], { env: { APP_STORE: 'memory:' } })
    assert.deepEqual([exitCode, /a memory store cannot be shared/.test(stderr)], [1, true])
  })
})
