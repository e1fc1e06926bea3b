// The handlers of the Nest application: plain methods, their decorators are in nest-module.ts.

import { BadRequestException, HttpException, Logger, NotFoundException } from '@nestjs/common'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import {
  aggregateError,
  brokenBody,
  chainedError,
  events,
  largePage,
  notAnError,
  orders,
  ownKeys,
  page,
  passGate,
  streamedPage,
} from './application.ts'
import type { NewOrder, PlatformResponse } from './nest-steps.ts'
import { callOthers, ownContext, rejectUnawaited, throwLater, writeLogLines } from './work.ts'

/** Lines of the access log. */
export const accesses: string[] = []

const isOnFastify = process.env['CONFORMANCE_FRAMEWORK'] === 'nest-fastify'

type Raw = { readonly raw?: IncomingMessage }
type Params = Record<string, string>

export class Orders {
  readonly #log = new Logger('Orders')

  json(): object {
    return { ok: true, id: 7 }
  }
  shared(): object {
    return { ok: true }
  }
  html(): string {
    return page
  }
  nonce(): string {
    return page
  }
  fragment(): string {
    return '<h1>A fragment</h1>'
  }
  large(): string {
    return largePage
  }
  streamed(gate: string, response: PlatformResponse): void {
    sendStream(response, streamedPage(gate), 'text/html; charset=utf-8')
  }
  events(gate: string, response: PlatformResponse): void {
    sendStream(response, events(gate), 'text/event-stream')
  }
  nothing(): void {}
  redirect(): void {}
  cookies(response: PlatformResponse): object {
    nodeOf(response).setHeader('set-cookie', ['shop=lamps', 'theme=dark'])
    response.header('server-timing', 'shelf;dur=1')
    return { ok: true }
  }
  statusMessage(response: PlatformResponse): object {
    nodeOf(response).statusMessage = 'Fine Indeed'
    return { ok: true }
  }
  showOrder(params: Params): Params {
    return params
  }
  files(request: { url: string }): object {
    return { path: request.url }
  }
  docs(lang?: string): object {
    return { lang }
  }
  echo(id: string): object {
    return { id, own: ownContext.getStore() }
  }
  lastOfAll(): object {
    return { ok: true }
  }
  stopped(): object {
    return { ok: true }
  }
  wrapped(): object {
    return { ok: true }
  }
  throwsAtOnce(): void {
    throw new Error('the stock is empty')
  }
  async rejectsLater(): Promise<void> {
    await Promise.resolve()
    throw new Error('the stock was empty')
  }
  handsOn(): void {
    throw new HttpException('handed on', 500)
  }
  teapot(): void {
    throw new HttpException('short and stout', 418)
  }
  thrown(what: string): void {
    throw notAnError(what)
  }
  causes(): void {
    throw chainedError()
  }
  aggregate(): void {
    throw aggregateError()
  }
  gone(): void {
    throw new NotFoundException('order 7 is gone')
  }
  lateThrow(response: PlatformResponse): void {
    nodeOf(response).setHeader('content-type', 'application/json')
    nodeOf(response).end('{"ok":true}')
    throw new Error('thrown after the response')
  }
  throwsAfterHead(response: PlatformResponse): void {
    sendStream(response, brokenBody(), 'text/plain')
  }
  async waits(gate: string): Promise<object> {
    await passGate(gate)
    return { ok: true }
  }
  async neverAnswers(): Promise<void> {
    return new Promise(() => undefined)
  }
  async throwsFromTimer(): Promise<void> {
    throwLater()
    return new Promise(() => undefined)
  }
  unawaited(): object {
    rejectUnawaited()
    return { ok: true }
  }
  logs(): object {
    writeLogLines()
    this.#log.warn('the framework counts lamps with password=nest-hunter2')
    return { ok: true }
  }
  async calls(): Promise<object> {
    return callOthers()
  }
  async callsAfterUpload(): Promise<object> {
    return callOthers()
  }
  async callsAfterData(request: IncomingMessage & Raw): Promise<object> {
    const raw = request.raw ?? request
    if (raw.complete) return callOthers()
    return new Promise((resolve, reject) => {
      raw.on('data', () => undefined)
      raw.on('end', () => void callOthers().then(resolve, reject))
    })
  }
  upload(request: { body: { title: string | { value: string } }; file?: { size: number } }): object {
    const { title } = request.body
    const file = Reflect.get(request.body, 'file') as { _buf: Buffer } | undefined
    return { title: typeof title === 'string' ? title : title.value, size: request.file?.size ?? file?._buf.length }
  }
  body(body: object): object {
    return { keys: Object.keys(body), length: JSON.stringify(body).length }
  }
  validated(order: NewOrder): NewOrder {
    return order
  }
  secrets(token: string): void {
    console.error('login failed for password=log-hunter2')
    throw new Error(`no user with password=error-hunter2 and token ${token}`)
  }
  many(): object {
    return orders
  }
  guardedThrows(): void {
    throw new Error('guarded and broken')
  }
  tagged(request: { headers: IncomingMessage['headers'] }, response: PlatformResponse): unknown {
    response.header('etag', '"seven"')
    return request.headers['if-none-match'] === '"seven"' ? response.status(304).send() : response.send({ ok: true })
  }
  ownKeys(request: IncomingMessage & Raw, response: PlatformResponse): object {
    return ownKeys({ req: request.raw ?? request, res: nodeOf(response) })
  }
  accesses(): readonly string[] {
    return accesses
  }
  handled(how: string): void {
    throw new Error(`handled as ${how}`)
  }
  login(body: { username?: string; password?: string }, response: PlatformResponse): void {
    if (body.password !== 'hunter2') throw new BadRequestException('wrong password')
    response.header('set-cookie', `user=${body.username ?? ''}; HttpOnly; Path=/`)
  }
  account(request: { headers: IncomingMessage['headers'] }): string {
    const user = /user=(\w+)/.exec(request.headers.cookie ?? '')?.[1] ?? 'nobody'
    return page.replace('Orders of today', `Orders of ${user}`)
  }
}

function nodeOf(response: PlatformResponse): ServerResponse {
  return response.raw ?? (response as unknown as ServerResponse)
}

function sendStream(response: PlatformResponse, texts: AsyncIterable<string>, type: string): void {
  response.header('content-type', type)
  const node = nodeOf(response)
  if (isOnFastify) response.send(Readable.from(texts))
  else
    Readable.from(texts)
      .on('error', () => node.destroy())
      .pipe(node)
}
