// A receiver of traces on a loopback port: keeps what it was sent, and answers as it is told.

import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { decodeJson, type OtlpSpan, type TraceRequest, decodeProtobuf } from '../../src/otel/otlp/messages.ts'

/** One request that it got. */
export interface ReceivedTraces {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: TraceRequest
  readonly spans: readonly OtlpSpan[]
}

/** What it says. */
export interface ReceiverAnswer {
  /** Default 200. */
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Buffer
}

export interface OtlpReceiver extends AsyncDisposable {
  readonly url: string
  /** In the order they came. */
  readonly received: readonly ReceivedTraces[]
}

/** Starts it. `answer` is asked with the number of the request, from 0. */
export async function startOtlpReceiver(answer: (index: number) => ReceiverAnswer = () => ({})): Promise<OtlpReceiver> {
  const received: ReceivedTraces[] = []
  const server = createServer((request, response) => {
    void buffer(request).then((bytes) => {
      const isJson = request.headers['content-type'] === 'application/json'
      const body = (isJson ? decodeJson : decodeProtobuf)('TraceRequest', bytes, 100_000)
      const spans = (body.resourceSpans ?? []).flatMap(({ scopeSpans = [] }) =>
        scopeSpans.flatMap(({ spans: inner = [] }) => inner),
      )
      received.push({ path: request.url ?? '', headers: request.headers, body, spans })
      const { status = 200, headers = {}, body: said = '' } = answer(received.length - 1)
      response.writeHead(status, headers).end(said)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    received,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
