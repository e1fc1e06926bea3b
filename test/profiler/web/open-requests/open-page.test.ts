// The page of open requests over a real socket: handlers that never end, calls that nobody answers, clients that went away.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { OpenRequest, OpenRequestsData } from '../../../../src/capture/open-requests.ts'
import { pageText, startApp } from '../../../support/running-app.ts'
import { startStuckApp } from '../../../support/stuck-app.ts'
import { until } from '../../../support/until.ts'
import { forAll } from '../../../support/for-all.ts'

const stuck = await forAll(startStuckApp())

async function openData(): Promise<OpenRequestsData> {
  const { body } = await stuck.running.send({ target: '/_profiler/open-requests.json' })
  return JSON.parse(body) as OpenRequestsData
}

async function openRequest(path: string, isWanted: (request: OpenRequest) => boolean): Promise<OpenRequest> {
  let found: OpenRequest | undefined
  await until(async () => {
    found = (await openData()).requests.find((request) => request.url.includes(path) && isWanted(request))
    return found !== undefined
  })
  return found as OpenRequest
}

describe('openPage', () => {
  it('says so when every request was answered', async () => {
    const empty = await startApp()
    await empty.send({ target: '/products' })
    const page = await empty.send({ target: '/_profiler/open-requests' })
    assert.equal(page.status, 200)
    assert.match(pageText(page.body), /No open request: all recorded requests of this process have a response\./)
    await empty[Symbol.asyncDispose]()
  })

  it('names the handler that was entered and not left, its route and its age', async () => {
    stuck.begin('/never/7?password=hunter2')
    const request = await openRequest('/never/7', ({ stands }) => stands.place === 'handler')
    assert.equal(request.method, 'GET')
    assert.equal(request.url, `${stuck.running.url}/never/7?password=******`)
    assert.equal(request.route, 'never')
    assert.match(request.definedAt ?? '', /stuck-app\.ts:\d+$/)
    assert.equal(request.running, null)
    assert.equal(request.isClientGone, false)
    assert.ok(request.ageMs >= (request.stands.forMs ?? Number.POSITIVE_INFINITY))
    const { body } = await stuck.running.send({ target: '/_profiler/open-requests' })
    assert.match(pageText(body), /In handler "never" for/)
    assert.match(pageText(body), /No tracked I\/O: busy, or awaiting an unresolved promise\./)
    assert.ok(!body.includes('hunter2'))
  })

  it('names the call to another service that a handler waits for', async () => {
    stuck.begin('/silent')
    const request = await openRequest('/silent', ({ running }) => running !== null)
    const { host } = new URL(stuck.silentUrl)
    assert.equal(request.running?.name, `GET ${host}`)
    assert.equal(request.running.detail, stuck.silentUrl.replace('geheim-7', '******'))
    assert.equal(request.running.durationMs, null)
    assert.deepEqual(request.lastCall, request.running)
    const { body } = await stuck.running.send({ target: '/_profiler/open-requests.md' })
    assert.ok(body.includes(`Waiting for GET ${host} for `))
    assert.ok(!body.includes('geheim-7'))
  })

  it('names the listener and the moment that was entered and not left', async () => {
    stuck.begin('/slow-listener')
    const { stands } = await openRequest('/slow-listener', ({ stands: { place } }) => place === 'onMatch')
    assert.deepEqual({ place: stands.place, name: stands.name }, { place: 'onMatch', name: 'doorkeeper' })
    const { body } = await stuck.running.send({ target: '/_profiler/open-requests' })
    assert.match(pageText(body), /In onMatch of listener "doorkeeper" for/)
  })

  it('keeps a request whose client went away for as long as its handler runs, and says so', async () => {
    const client = stuck.begin('/held')
    const { token, lastLog } = await openRequest('/held', ({ stands }) => stands.place === 'handler')
    assert.equal(lastLog, 'Waiting for the release.')
    client.destroy()
    await openRequest('/held', ({ isClientGone }) => isClientGone === true)
    assert.match((await stuck.running.send({ target: '/_profiler/open-requests' })).body, /client gone/)
    stuck.release()
    await until(async () => !(await openData()).requests.some((request) => request.token === token))
    assert.equal((await stuck.running.profiles.read(token))?.status, 0)
  })

  it('leads to what was recorded so far', async () => {
    const { token } = await openRequest('/never/7', () => true)
    const { body, status } = await stuck.running.send({ target: `/_profiler/${token}` })
    assert.equal(status, 200)
    assert.match(pageText(body), /This request has not ended yet/)
  })

  it('is for this machine only, and named for one process', async () => {
    const refused = await stuck.running.send({
      target: '/_profiler/open-requests',
      headers: ['Sec-Fetch-Site: cross-site'],
    })
    assert.equal(refused.status, 403)
    assert.equal((await openData()).processId, process.pid)
    assert.ok(
      (await stuck.running.send({ target: '/_profiler/open-requests' })).body.includes(
        `This process only (${process.pid})`,
      ),
    )
  })
})
