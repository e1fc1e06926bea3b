// `fanlight mcp --install` writes into files that people own.

import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, it } from 'node:test'
import { cliFolder, type CliFolder } from '../support/cli-run.ts'

const skill = '.claude/skills/fanlight/SKILL.md'
const entry = { command: 'npx', args: ['fanlight', 'mcp'] }
const table = '[mcp_servers.fanlight]\ncommand = "npx"\nargs = ["fanlight", "mcp"]\n'

const write = ({ path }: CliFolder, file: string, text: string): void => {
  mkdirSync(dirname(join(path, file)), { recursive: true })
  writeFileSync(join(path, file), text)
}
const read = ({ path }: CliFolder, file: string): string => readFileSync(join(path, file), 'utf8')
const json = (folder: CliFolder, file: string): unknown => JSON.parse(read(folder, file))

describe('fanlight mcp --install', () => {
  it('writes the entry of each agent, and a page for all, once', async () => {
    await using folder = await cliFolder()
    const args = ['mcp', '--install', 'claude', 'cursor', 'vscode', 'codex', 'gemini']
    const { exitCode, stdout } = await folder.run(args)
    assert.equal(exitCode, 0)
    assert.equal(stdout.match(/: written$/gm)?.length, 6)
    for (const file of ['.mcp.json', '.cursor/mcp.json', '.gemini/settings.json'])
      assert.deepEqual(json(folder, file), { mcpServers: { fanlight: entry } })
    assert.deepEqual(json(folder, '.vscode/mcp.json'), { servers: { fanlight: { type: 'stdio', ...entry } } })
    assert.equal(read(folder, '.codex/config.toml'), table)
    assert.match(read(folder, skill), /^---\nname: fanlight\ndescription: .+\n---\n/)
    assert.equal((await folder.run(args)).stdout.match(/: has it$/gm)?.length, 6)
  })

  it('takes the agents that the project has files of, else Claude Code', async () => {
    await using folder = await cliFolder()
    await folder.run(['mcp', '--install'])
    assert.ok(existsSync(join(folder.path, '.mcp.json')))
    await using other = await cliFolder()
    mkdirSync(join(other.path, '.cursor'))
    for (let time = 0; time < 2; time += 1) await other.run(['mcp', '--install'])
    assert.deepEqual(
      ['.mcp.json', '.cursor/mcp.json', '.vscode'].map((file) => existsSync(join(other.path, file))),
      [false, true, false],
    )
  })

  it('keeps what a file holds, and how it is indented', async () => {
    await using folder = await cliFolder()
    const others = { inputs: [1], servers: { other: { url: 'http://h' } } }
    write(folder, '.vscode/mcp.json', JSON.stringify(others, null, '\t'))
    write(folder, '.codex/config.toml', 'model = "own"')
    assert.equal((await folder.run(['mcp', '--install'])).exitCode, 0)
    const { servers, ...rest } = json(folder, '.vscode/mcp.json') as typeof others
    assert.deepEqual([Object.keys(servers), rest], [['other', 'fanlight'], { inputs: [1] }])
    assert.match(read(folder, '.vscode/mcp.json'), /^\t\t"other"/m)
    assert.equal(read(folder, '.codex/config.toml'), `model = "own"\n\n${table}`)
  })

  it('writes nothing at all if one file is not plain JSON, and names it with the entry', async () => {
    for (const text of ['{ // comment\n}', '[]', '{"mcpServers": []}', 'null']) {
      await using folder = await cliFolder()
      write(folder, '.gemini/settings.json', text)
      const { exitCode, stderr } = await folder.run(['mcp', '--install', 'claude', 'gemini'])
      assert.equal(exitCode, 1)
      assert.match(
        stderr,
        /\.gemini\/settings\.json is not plain JSON .*nothing was written.*"fanlight":\{"command":"npx"/,
      )
      assert.deepEqual(
        [existsSync(join(folder.path, '.mcp.json')), read(folder, '.gemini/settings.json')],
        [false, text],
      )
    }
  })

  it('prints in place of writing, and refuses what it does not know', async () => {
    await using folder = await cliFolder()
    const { stdout } = await folder.run(['mcp', '--install', 'codex', '--dry-run'])
    assert.ok(stdout.includes(`.codex/config.toml\n${table}`) && stdout.includes('# Fanlight'))
    assert.deepEqual(
      readdirSync(folder.path).filter((name) => !name.startsWith('fanlight.db')),
      [],
    )
    const wrong = await folder.run(['mcp', '--install', 'emacs'])
    assert.deepEqual([wrong.exitCode, /claude, cursor, vscode, codex, gemini/.test(wrong.stderr)], [2, true])
    const alone = await folder.run(['mcp', '--dry-run'])
    assert.deepEqual([alone.exitCode, alone.stderr], [2, 'fanlight: --dry-run needs --install\n'])
  })
})
