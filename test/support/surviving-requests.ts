// A separate process that serves recorded requests and prints how many bytes of each are still held afterwards:
// `node test/support/surviving-requests.ts <directory>`. The test runner itself holds what its tests do asynchronously.

import { join } from 'node:path'
import { startApp } from './running-app.ts'
import { survivingBytes } from './surviving-bytes.ts'

const requestsInARow = 100
const rounds = 30
const env = { APP_STORE: `sqlite:${join(process.argv[2] ?? '.', 'profiles.db')}` }

// Not `using`: this program runs as it stands on Node 22, too.
const running = await startApp({ env, recording: { maxPerSecond: Infinity } })
for (let round = 0; round < 20; round += 1) await serve()
// One waits while everything that is held becomes old.
await running.app.inject({ url: '/api' })
const bytes = (await survivingBytes(serve, rounds)) / (rounds * requestsInARow)
await running[Symbol.asyncDispose]()
console.log(bytes.toFixed(0))

async function serve(): Promise<void> {
  for (let index = 0; index < requestsInARow; index += 1) await running.app.inject({ url: '/api' })
  // Reading a list first writes what is waiting.
  await running.profiles.find({})
  running.log.lines.length = 0
}
