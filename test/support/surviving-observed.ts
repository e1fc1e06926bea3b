// A separate process whose requests a framework serves and Fanlight records: prints how many bytes of each are still held afterwards:
// `node test/support/surviving-observed.ts Koa`. They come over kept connections, several at a time, from a thread, whose objects are
// not counted.

import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Worker } from 'node:worker_threads'
import { survivingBytes } from './surviving-bytes.ts'

const requestsInARow = 100
const rounds = 15
/** As long as requests that have ended wait to be recorded, and then to be written, and more. */
const settleMs = 250

const options = { recording: { maxPerSecond: Infinity } }
const frameworks: Readonly<Record<string, () => Promise<RequestListener>>> = {
  async Express() {
    const { fanlight } = await import('../../src/express.ts')
    const { default: express } = await import('express')
    const app = fanlight(express(), options)
    app.use((_request, _response, next) => next())
    return app.get('/items/:id', (request, response) => void response.json({ id: request.params.id }))
  },
  async Koa() {
    const { fanlight } = await import('../../src/koa.ts')
    const { default: Koa } = await import('koa')
    const { default: Router } = await import('@koa/router')
    const router = new Router().get('/items/:id', (context) => (context.body = { id: context.params['id'] }))
    return fanlight(new Koa(), options).use(router.routes()).callback()
  },
}
const listener = await frameworks[process.argv[2] ?? '']?.()
const server = createServer(listener).listen(0, '127.0.0.1')
await new Promise((resolve) => server.once('listening', resolve))
const { port } = server.address() as AddressInfo
const client = new Worker(
  `
const { parentPort, workerData: { port, requestsInARow } } = require('node:worker_threads')
const { Agent, request } = require('node:http')
const agent = new Agent({ keepAlive: true })
const ask = () => new Promise((resolve) =>
  request({ port, agent, path: '/items/7' }, (response) => response.resume().on('end', resolve)).end())
parentPort.on('message', async () => {
  for (let sent = 0; sent < requestsInARow; sent += 4) await Promise.all([ask(), ask(), ask(), ask()])
  parentPort.postMessage(null)
})`,
  { eval: true, workerData: { port, requestsInARow } },
)

for (let round = 0; round < 12; round += 1) await serve()
const bytes = (await survivingBytes(serve, rounds)) / (rounds * requestsInARow)
console.log(bytes.toFixed(0))
process.exit()

async function serve(): Promise<void> {
  client.postMessage(null, [])
  await new Promise((resolve) => client.once('message', resolve))
  await new Promise((resolve) => setTimeout(resolve, settleMs))
}
