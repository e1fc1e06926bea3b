// A server that speaks the protocols of OpenAI (chat completions, responses and embeddings) and of Anthropic (messages), whole,
// compressed or as events.

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
  if (url.endsWith('/v1/messages')) return answerMessage(model, asked, response)
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

function answerMessage(model: string, { stream }: Asked, response: ServerResponse): void {
  const message = { id: 'msg_1', type: 'message', role: 'assistant', model }
  const asked = { input_tokens: 100, cache_creation_input_tokens: 20, cache_read_input_tokens: 80 }
  const tool = { type: 'tool_use', id: 'toolu_1', name: 'weather', input: {} }
  response.writeHead(200, { 'content-type': stream === true ? 'text/event-stream' : 'application/json' })
  if (stream !== true) {
    const content = [{ type: 'text', text: 'Hello' }, tool]
    const whole = { ...message, content, stop_reason: 'tool_use', usage: { ...asked, output_tokens: 9 } }
    return void response.end(JSON.stringify(whole))
  }
  const events = [
    { type: 'message_start', message: { ...message, content: [], usage: { ...asked, output_tokens: 1 } } },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'ping' },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hel' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'lo' } },
    { type: 'content_block_stop', index: 0 },
    { type: 'content_block_start', index: 1, content_block: tool },
    { type: 'content_block_delta', index: 1, delta: { type: 'input_json_delta', partial_json: '{}' } },
    { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 9 } },
    { type: 'message_stop' },
  ]
  response.end(events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(''))
}
