import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { pathToFileURL } from 'node:url'
import { cliFolder, type CliFolder } from '../support/cli-run.ts'

const library = pathToFileURL(join(import.meta.dirname, '../../src/index.ts')).href

async function projectFolder(): Promise<CliFolder> {
  const folder = await cliFolder()
  writeFileSync(
    join(folder.path, 'main.mjs'),
    `import { createApp, RouteCollection } from ${JSON.stringify(library)}
const commands = {
  greet: ({ args }) => console.log('Hello, ' + args.join(' and ') + '!'),
  fall: () => { throw new Error('no prices') },
  two: () => 2,
}
export const frontController = (context) => createApp({ context, routes: new RouteCollection(), commands })
`,
  )
  return folder
}

const run = (folder: CliFolder, args: readonly string[]) => folder.spawn(['run', '--module', 'main.mjs', ...args])

describe('fanlight run', () => {
  it('runs a command of the application with its arguments and keeps its profile', async () => {
    await using folder = await projectFolder()
    const { exitCode, stdout, stderr } = await run(folder, ['greet', '--', 'Ada', '--loud'])
    assert.equal(exitCode, 0, stderr)
    assert.match(stdout, /^Hello, Ada and --loud!$/m)
    const token = /profile ([0-9a-z]{12}): fanlight profiles show/.exec(stderr)?.[1] ?? ''
    const shown = await folder.run(['profiles', 'show', token, '--panel', 'command'])
    assert.deepEqual(JSON.parse(shown.stdout), { name: 'greet', args: ['Ada', '--loud'], exitCode: 0 })
  })

  it('ends with 1 where a command fails, and with 3 for one that is not there', async () => {
    await using folder = await projectFolder()
    const fallen = await run(folder, ['fall'])
    assert.equal(fallen.exitCode, 1)
    assert.match(fallen.stderr, /fanlight: fall failed: Error: no prices/)
    const two = await run(folder, ['two'])
    assert.equal(two.exitCode, 1)
    assert.match(two.stderr, /two exited with 2/)
    const missing = await run(folder, ['gret'])
    assert.equal(missing.exitCode, 3)
    assert.match(missing.stderr, /there is no command "gret"; there are: greet, fall, two/)
  })
})
