// Programs that a watcher starts again and again: the line that says where the profiler is comes once for each watcher.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { it } from 'node:test'
import { freePort } from '../support/free-port.ts'
import { appFolder, register } from '../support/registered-app.ts'
import { compiledCode } from '../support/compiled-code.ts'
import { until } from '../support/until.ts'

const program = `import { createServer } from 'node:http'
import './changed.mjs'
createServer().listen(process.env.PORT, '127.0.0.1', () => setTimeout(() => console.log('started'), 500))
`

/** Starts a program of Node that starts another one at each change of a file. */
const watcher = `import { spawn } from 'node:child_process'
import { watchFile } from 'node:fs'
let child
const start = () => {
  child?.kill()
  child = spawn(process.argv[2], { shell: true, stdio: 'inherit' })
}
watchFile('changed.mjs', { interval: 50 }, start)
start()
process.on('SIGTERM', () => (child.kill(), process.exit()))
`

const isLinux = process.platform === 'linux'

for (const { name, args, skip } of [
  { name: 'node --watch', args: ['--watch', '--import', register, 'app.mjs'], skip: false },
  { name: 'another watcher', args: ['watcher.mjs', `exec node --import ${register} app.mjs`], skip: !isLinux },
]) {
  it(`${name}: the first line comes once for each watcher`, { skip }, async () => {
    await using folder = appFolder({ 'app.mjs': program, 'changed.mjs': '', 'watcher.mjs': watcher })
    const { PATH } = process.env
    const env = { PATH, FANLIGHT: 'on', PORT: String(await freePort()), ...compiledCode }
    for (let run = 1; run <= 2; run += 1) {
      const watched = spawn(process.execPath, args, { cwd: folder.path, env, detached: true })
      let output = ''
      for (const stream of [watched.stdout, watched.stderr]) stream.on('data', (chunk) => (output += String(chunk)))
      for (let starts = 1; starts <= 3; starts += 1) {
        await until(() => output.split('started').length > starts)
        folder.write('changed.mjs', `// ${run}.${starts}`)
      }
      // With what it has started.
      process.kill(-Number(watched.pid), 'SIGKILL')
      await once(watched, 'close')
      assert.equal(output.match(/^Fanlight: http/gm)?.length, 1, output)
    }
  })
}
