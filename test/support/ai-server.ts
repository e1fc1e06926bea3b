// A server that speaks the protocol of OpenAI: chat completions, responses and embeddings, whole, compressed or as events.

import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'

export interface AiServer {
  /** `http://127.0.0.1:<port>/v1` */
  readonly url: string
  [Symbol.asyncDispose](): Promise<void>
}

interface Asked {
  readonly model?: string
  readonly stream?: boolean
  readonly tools?: readonly unknown[]
  readonly messages?: readonly { readonly role: string }[]
}

const usage = {
  prompt_tokens: 1000,
  completion_tokens: 200,
  total_tokens: 1200,
  prompt_tokens_details: { cached_tokens: 400 },
}

export async function startAiServer(): Promise<AiServer> {
  const server = createServer((request, response) => {
    text(request).then(
      (body) => answer((request.url ?? '').split('?')[0] ?? '', JSON.parse(body || '{}') as Asked, response),
      () => response.destroy(),
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    [Symbol.asyncDispose]: async () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** Models with their own behaviour: `busy` refuses, `breaks` ends in the middle of a stream, `packed` compresses. */
function answer(url: string, asked: Asked, response: ServerResponse): void {
  const model = `${asked.model}-2026`
  const send = (value: unknown, status = 200): void => {
    const bytes = Buffer.from(JSON.stringify(value))
    const isPacked = asked.model === 'packed'
    response.writeHead(status, {
      'content-type': 'application/json',
      ...(isPacked ? { 'content-encoding': 'gzip' } : {}),
    })
    response.end(isPacked ? gzipSync(bytes) : bytes)
  }
  if (asked.model === 'busy') return send({ error: { message: 'Rate limit of sk-proj-abcdefghijklmnopqrstuvwx' } }, 429)
  if (url.endsWith('/embeddings')) {
    const data = [{ object: 'embedding', index: 0, embedding: Array.from({ length: 20_000 }, () => 0.123456789012345) }]
    return send({ object: 'list', data, model, usage: { prompt_tokens: 7, total_tokens: 7 } })
  }
  if (url.endsWith('/responses')) {
    const output = [
      { type: 'message', content: [{ type: 'output_text', text: 'Hello' }] },
      { type: 'function_call', name: 'weather', arguments: '{}' },
    ]
    const whole = { model, status: 'completed', output, usage: { input_tokens: 3, output_tokens: 4 } }
    if (asked.stream !== true) return send(whole)
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(`event: response.output_text.delta\ndata: {"type":"response.output_text.delta","delta":"Hel"}\n\n`)
    return void response.end(`event: response.completed\ndata: ${JSON.stringify({ response: whole })}\n\n`)
  }
  const wantsTool = asked.tools !== undefined && asked.messages?.every(({ role }) => role !== 'tool') === true
  if (asked.stream === true) {
    const event = (value: unknown): unknown =>
      response.write(`data: ${JSON.stringify({ id: '1', created: 1, model, ...Object(value) })}\n\n`)
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    event({ choices: [{ index: 0, delta: { role: 'assistant', content: 'Hel' } }] })
    if (asked.model === 'breaks') return void setTimeout(() => response.destroy(), 20)
    if (asked.model === 'long')
      for (let turn = 0; turn < 8000; turn += 1) event({ choices: [{ index: 0, delta: { content: 'x' } }] })
    event({ choices: [{ index: 0, delta: { content: 'lo' } }] })
    event({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], usage })
    return void response.end('data: [DONE]\n\n')
  }
  const message = wantsTool
    ? {
        content: null,
        tool_calls: [{ id: 'c1', type: 'function', function: { name: 'weather', arguments: '{"city":"Oslo"}' } }],
      }
    : { content: 'Hello, your key is sk-proj-abcdefghijklmnopqrstuvwx' }
  const choices = [
    { index: 0, message: { role: 'assistant', ...message }, finish_reason: wantsTool ? 'tool_calls' : 'stop' },
  ]
  return send({ id: '1', created: 1, model, choices, usage })
}
