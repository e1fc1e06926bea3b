// Calls to language models in the profile: the package ai and plain fetch, against a server that speaks the protocol.

import assert from 'node:assert/strict'
import { request } from 'node:http'
import { text } from 'node:stream/consumers'
import { describe, it } from 'node:test'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { embed, generateText, isStepCount, streamText, tool } from 'ai'
import { z } from 'zod'
import { createApp, RouteCollection } from '../../../src/index.ts'
import { profiler } from '../../../src/profiler.ts'
import type { Activities, Happening } from '../../../src/observe/activities/activity.ts'
import type { AiFacts } from '../../../src/capture/activities/ai.ts'
import type { AiOptions } from '../../../src/observe/ai-options.ts'
import { readAiRequest, readAiResponse } from '../../../src/libraries/sources/ai-requests.ts'
import { checkIntegrationOptions } from '../../../src/integrations/options.ts'
import type { Profile } from '../../../src/observe/profile.ts'
import { ai as kind } from '../../../src/capture/activities/ai.ts'
import { activityTools } from '../../support/activities.ts'
import { startAiServer } from '../../support/ai-server.ts'
import { noBodiesOfFetch } from '../../support/node-features.ts'
import { forAll } from '../../support/for-all.ts'

const tools = activityTools(kind)
const server = await forAll(startAiServer())
const local = createOpenAICompatible({ name: 'local', baseURL: server.url, apiKey: 'sk-x', includeUsage: true })

describe('calls of the package ai', () => {
  it('keeps model, tokens, tools that were asked for and run, and no texts', async () => {
    const { calls, profile } = await captured(async () => {
      const weather = tool({ inputSchema: z.object({ city: z.string() }), execute: async () => ({ degrees: 7 }) })
      await generateText({
        model: local('small'),
        prompt: 'How cold is it?',
        tools: { weather },
        stopWhen: isStepCount(3),
      })
    }, {})
    const [asked, ran, told, ...others] = calls.map(comparable)
    const chat = {
      library: 'ai',
      operation: 'chat',
      provider: 'local.chat',
      model: 'small',
      responseModel: 'small-2026',
      isStreamed: false,
      inputTokens: 1000,
      cachedTokens: 400,
      outputTokens: 200,
      finishReason: 'tool_calls',
      toolCalls: ['weather'],
      prompt: null,
      answer: null,
      error: null,
    }
    assert.deepEqual(asked, chat)
    assert.deepEqual([ran?.operation, ran?.model, ran?.inputTokens, ran?.error], ['tool', 'weather', null, null])
    assert.deepEqual(told, { ...chat, finishReason: 'stop', toolCalls: [] })
    assert.deepEqual(others, [])
    assert.match(calls[0]?.callSite ?? '', /capture\/ai\.test\.ts:\d+/)
    assert.doesNotMatch(JSON.stringify(profile.data['ai']), /How cold|Oslo|your key/)
    const text = drawn(calls)
    assert.match(text, /2Model calls 1Tools run 2,000Input tokens 400Output tokens/)
    assert.match(text, /1,000 tokens in, 400 cached, 200 out · ended with tool_calls/)
  })

  it('keeps the end of a stream, and texts where they are asked for, masked', { skip: noBodiesOfFetch }, async () => {
    const { calls } = await captured(
      async () => {
        await streamText({ model: local('small'), prompt: 'Hello' }).consumeStream()
        await generateText({ model: local('small'), prompt: 'My key is sk-proj-abcdefghijklmnopqrstuvwx' })
        const telemetry = { recordInputs: false, recordOutputs: false }
        await streamText({ model: local('small'), prompt: 'Private', telemetry }).consumeStream()
      },
      { captureTexts: true },
    )
    const [streamed, whole, kept, ...others] = calls
    assert.deepEqual(others, [])
    assert.equal(streamed?.isStreamed, true)
    assert.equal(streamed.answer, 'Hello')
    assert.equal(streamed.finishReason, 'stop')
    assert.ok(streamed.durationMs !== null && streamed.firstOutputMs !== null)
    assert.match(whole?.prompt ?? '', /My key is \*{6}/)
    assert.equal(whole?.answer, 'Hello, your key is ******')
    assert.deepEqual([kept?.prompt, kept?.answer, kept?.inputTokens], [null, null, 1000])
    assert.match(drawn(calls), /Prompt.*Response Hello/s)
  })

  it('keeps embeddings, failures of the server and of tools', async () => {
    const { calls } = await captured(async () => {
      await embed({ model: local.embeddingModel('words'), value: 'fan' })
      await generateText({ model: local('busy'), prompt: 'x', maxRetries: 0 }).catch(() => undefined)
      const execute = async (): Promise<string> => {
        throw new RangeError('no such city')
      }
      const tools = { weather: tool({ inputSchema: z.object({ city: z.string() }), execute }) }
      await generateText({ model: local('small'), prompt: 'x', tools })
    })
    assert.deepEqual(
      calls.map(({ operation, model, inputTokens, error }) => [
        operation,
        model,
        inputTokens,
        error?.slice(0, 60) ?? null,
      ]),
      [
        ['embedding', 'words', 7, null],
        ['chat', 'busy', null, 'AI_APICallError: Rate limit of ******'],
        ['chat', 'small', 1000, null],
        ['tool', 'weather', null, 'RangeError: no such city'],
      ],
    )
  })
})

describe('requests in the forms of OpenAI and Anthropic', () => {
  const post = async (path: string, body: object | string): Promise<string> => {
    const init = { method: 'POST', body: typeof body === 'string' ? body : JSON.stringify(body) }
    return (await fetch(`${server.url}/${path}`, init)).text()
  }
  const messages = [{ role: 'user', content: 'Hello' }]

  it(
    'keeps chat completions, responses and embeddings, whole, compressed and streamed',
    { skip: noBodiesOfFetch },
    async () => {
      const { calls } = await captured(async () => {
        await post('chat/completions', { model: 'packed', messages })
        await post('chat/completions', { model: 'small', messages, stream: true })
        await post('chat/completions', { model: 'long', messages, stream: true })
        await post('responses', { model: 'small', input: 'Hello' })
        await post('responses?x=1', { model: 'small', input: 'Hello', stream: true })
        await post('embeddings', { model: 'words', input: ['fan'] })
      })
      assert.deepEqual(
        calls.map((call) => [
          call.operation,
          call.responseModel,
          call.isStreamed,
          call.inputTokens,
          call.outputTokens,
          call.finishReason,
        ]),
        [
          ['chat', 'packed-2026', false, 1000, 200, 'stop'],
          ['chat', 'small-2026', true, 1000, 200, 'stop'],
          ['chat', 'long-2026', true, 1000, 200, 'stop'],
          ['response', 'small-2026', false, 3, 4, 'completed'],
          ['response', 'small-2026', true, 3, 4, 'completed'],
          ['embedding', 'words-2026', false, 7, null, null],
        ],
      )
      const [first] = calls
      assert.equal(first?.library, 'fetch')
      assert.equal(first.provider, new URL(server.url).host)
      assert.match(first.callSite ?? '', /capture\/ai\.test\.ts:\d+/)
      assert.deepEqual([first.prompt, first.answer], [null, null])
      assert.deepEqual(calls[3]?.toolCalls, ['weather'])
    },
  )

  it('keeps messages as of Anthropic, whole and streamed', { skip: noBodiesOfFetch }, async () => {
    const { calls } = await captured(
      async () => {
        await post('messages', { model: 'small', max_tokens: 50, messages })
        await post('messages', { model: 'small', max_tokens: 50, messages, stream: true })
        await post('messages', { model: 'busy', max_tokens: 50, messages })
      },
      { captureTexts: true },
    )
    const [whole, streamed, busy] = calls.map(comparable)
    assert.deepEqual(whole, {
      library: 'fetch',
      operation: 'chat',
      provider: new URL(server.url).host,
      model: 'small',
      responseModel: 'small-2026',
      isStreamed: false,
      inputTokens: 200,
      cachedTokens: 80,
      outputTokens: 9,
      finishReason: 'tool_use',
      toolCalls: ['weather'],
      prompt: '[{"role":"user","content":"Hello"}]',
      answer: 'Hello',
      error: null,
    })
    assert.deepEqual(streamed, { ...whole, isStreamed: true })
    assert.equal(busy?.error, 'Error: 429: Rate limit of ******')
  })

  it('keeps what node:http sends, too', async () => {
    const send = async (model: string, pieces: readonly string[], path = 'chat/completions'): Promise<string> => {
      const { promise, resolve, reject } = Promise.withResolvers<string>()
      const sent = request(`${server.url}/${path}`, { method: 'POST' }, (response) =>
        text(response).then(resolve, reject),
      )
      sent.on('error', reject)
      sent.write(`{"model":"${model}",`)
      for (const piece of pieces) sent.write(Buffer.from(piece))
      sent.end(',"messages":[]}', 'utf8')
      return promise
    }
    const { calls } = await captured(async () => {
      await send('packed', ['"temperature":1'])
      await send('small', ['"stream":true', ',"n":1'])
      await send('busy', ['"n":1'])
      await send('breaks', ['"stream":true']).catch(() => undefined)
      await send('small', ['"n":1'], 'chat').catch(() => undefined)
      await send('small', ['"n":1, "model":7']).catch(() => undefined)
    })
    assert.deepEqual(
      calls.map((call) => [call.library, call.responseModel, call.isStreamed, call.inputTokens, call.error]),
      [
        ['node:http', 'packed-2026', false, 1000, null],
        ['node:http', 'small-2026', true, 1000, null],
        ['node:http', null, false, null, 'Error: 429: Rate limit of ******'],
        ['node:http', 'breaks-2026', true, null, 'Error: the response broke off'],
      ],
    )
    assert.equal(calls[0]?.provider, new URL(server.url).host)
    assert.match(calls[0].callSite ?? '', /capture\/ai\.test\.ts:\d+/)
  })

  it('keeps refusals, streams that break off and servers that are not there', { skip: noBodiesOfFetch }, async () => {
    const { calls } = await captured(async () => {
      await post('chat/completions', { model: 'busy', messages })
      await post('chat/completions', { model: 'breaks', messages, stream: true }).catch(() => undefined)
    })
    const [busy, broken] = calls
    assert.equal(busy?.error, 'Error: 429: Rate limit of ******')
    assert.ok(broken?.error !== null && broken?.error !== undefined)
    assert.equal(broken.responseModel, 'breaks-2026')
    assert.match(drawn(calls), /failed/)
  })

  it('leaves other requests alone', async () => {
    const { profile } = await captured(async () => {
      await post('responses', { answers: [1, 2] }).catch(() => undefined)
      await post('chat/completions/7', { model: 'small', messages })
      await fetch(`${server.url}/embeddings`).catch(() => undefined)
      await post('completions', { model: 7, prompt: 'x' })
    })
    assert.equal(profile.data['ai'], undefined)
  })

  it('is held within bounds', { skip: noBodiesOfFetch }, async () => {
    const { data, profile } = await captured(
      async () => {
        const picture = 'A'.repeat(1_000_000)
        for (let turn = 0; turn < kind.most + 5; turn += 1) {
          await post('chat/completions', {
            model: 'small',
            messages: [{ role: 'user', content: turn === 0 ? picture : 'x'.repeat(40_000) }],
          })
        }
      },
      { captureTexts: true },
    )
    assert.equal(data.entries.length + data.dropped, kind.most + 5)
    assert.equal(data.entries[0]?.model, 'small')
    assert.equal(data.entries[0].prompt, null)
    assert.equal(data.entries[1]?.prompt?.length, 16_384)
    assert.ok(JSON.stringify(profile).length < 300_000)
  })
})

it('readAiRequest and readAiResponse: survive what is strange', () => {
  for (const body of ['', '[]', 'null', '{"model":""}', '{"model":"x"}', '{"messages":[]}']) {
    assert.equal(readAiRequest(body, true, true), undefined, body)
  }
  for (const body of [
    '',
    'null',
    '[1]',
    '{"choices":[null,{"delta":null}],"usage":7}',
    'data: {\n\ndata: null\n',
    '<html>',
  ]) {
    const { toolCalls, error, ...rest } = readAiResponse(body, '', false)
    assert.deepEqual([toolCalls, error], [[], null], body)
    assert.deepEqual(new Set(Object.values(rest)), new Set([null]), body)
  }
})

describe('the option ai', () => {
  for (const [given, message] of [
    [{ texts: true }, /Option "texts" of ai is unknown.*Allowed: captureTexts/],
    [{ captureTexts: 1 }, /Option "captureTexts" of ai is 1; allowed: true or false/],
  ] as const) {
    it(`refuses ${JSON.stringify(given)}`, async () => {
      const ai = given as unknown as AiOptions
      await assert.rejects(
        async () => createApp({ routes: new RouteCollection(), plugins: [profiler({ ai })] }),
        message,
      )
      assert.throws(() => checkIntegrationOptions({ ai }), message)
    })
  }
})

it('the AI panel: says what is captured where no model was called, and shows what is not known', () => {
  assert.match(tools.drawn(undefined, view), /No language model was called/)
  const text = drawn([{ ...nothing, startMs: 0, durationMs: null, error: null, callSite: null }])
  assert.match(text, /not ended.*unknown model.*tokens unknown/s)
})

const nothing: AiFacts = {
  library: 'fetch',
  operation: 'chat',
  provider: '<b>',
  model: '',
  responseModel: null,
  isStreamed: false,
  firstOutputMs: null,
  inputTokens: null,
  cachedTokens: null,
  outputTokens: null,
  finishReason: null,
  toolCalls: [],
  prompt: null,
  answer: null,
}

const view = { profile: { durationMs: 100 } }

type Call = AiFacts & Happening

function comparable({ startMs, durationMs, firstOutputMs, callSite, ...facts }: Call): Partial<Call> {
  return facts
}

async function captured(
  work: () => Promise<unknown>,
  ai: AiOptions = {},
): Promise<{ readonly data: Activities<AiFacts>; readonly calls: readonly Call[]; readonly profile: Profile }> {
  const { data = { entries: [], dropped: 0 }, entries, profile } = await tools.recorded(work, { ai })
  return { data, calls: entries, profile }
}

function drawn(entries: readonly Call[]): string {
  return tools.drawn({ entries, dropped: 0 }, view)
}
