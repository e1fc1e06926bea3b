// Requests to language models with the API of OpenAI or Anthropic, on any host, by `fetch`, undici, `node:http` and `node:https`. They are told by
// address and body; a request below a call of the package `ai` is a part of that call.

import { valueOfJson } from '../../base/http/json.ts'
import { type AiFacts, ai } from '../../capture/activities/ai.ts'
import { membersOf, listOf } from '../../base/members.ts'
import { FirstBytes } from '../../base/http/first-bytes.ts'
import { performance } from '../../base/timing/builtins.ts'
import { fieldValue, listedFields } from '../../base/http/header-fields.ts'
import { type RunningActivity } from '../../observe/activities/activity.ts'
import { beginActivity } from '../../observe/activities/begin-activity.ts'
import type { AiOptions } from '../../observe/ai-options.ts'
import { isOwn, type CaptureOwner } from '../../observe/owner.ts'
import { decodedBody } from '../../http/recording/body-content.ts'
import type { OutgoingFollower, OutgoingStart } from '../../observe/outgoing/http-client-data.ts'
import { Channels, inPlace, noteFailure } from '../../observe/tracing-source.ts'
import { AsyncLocalStorage } from 'node:async_hooks'
import { tracingChannel } from 'node:diagnostics_channel'
import { deepStackFrames } from '../../capture/begin-query.ts'

/** Characters of a prompt and of a response that are kept. */
const maxAiText = 16_384
const maxName = 200
const maxTools = 50

type AiRequest = Pick<AiFacts, 'model' | 'isStreamed' | 'prompt'>

/** `undefined` for a body that asks no model. `isWhole`: whether `body` is all of it. */
export function readAiRequest(body: string, isWhole: boolean, keepsTexts: boolean): AiRequest | undefined {
  const json = isWhole ? valueOfJson(body) : undefined
  if (json === undefined) {
    // Too long to be read as a whole, with pictures perhaps.
    const model = isWhole ? undefined : /^\s*\{[^]*?"model"\s*:\s*"([^"\\]{1,200})"/.exec(body)?.[1]
    return model === undefined ? undefined : { model, isStreamed: /"stream"\s*:\s*true/.test(body), prompt: null }
  }
  const { model, stream, messages, input, prompt } = membersOf(json)
  const asked = messages ?? input ?? prompt
  if (typeof model !== 'string' || asked === undefined) return undefined
  return { model: model.slice(0, maxName), isStreamed: stream === true, prompt: keepsTexts ? aiText(asked) : null }
}

/** Text as it is, anything else as JSON; its beginning. */
function aiText(value: unknown): string {
  return (typeof value === 'string' ? value : (JSON.stringify(value) ?? '')).slice(0, maxAiText)
}

type AiResult = Pick<
  AiFacts,
  'responseModel' | 'inputTokens' | 'cachedTokens' | 'outputTokens' | 'finishReason' | 'toolCalls' | 'answer'
> & { readonly error: string | null }

/** Reads JSON, or the events of a stream. `tail` is the end of a body whose middle was not kept. */
export function readAiResponse(body: string, tail: string, keepsTexts: boolean): AiResult {
  const result: Building = { toolCalls: [], answer: '' }
  const json = valueOfJson(body)
  if (json !== undefined) read(json, result)
  else if (/^(?:data|event|id|:)/m.test(body)) {
    for (const line of `${body}\n${tail}`.split('\n'))
      if (line.startsWith('data:')) read(valueOfJson(line.slice(5)), result)
  } else {
    const usage = [...tail.matchAll(/"usage"\s*:\s*(\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\})/g)].at(-1)?.[1]
    const model = /"model"\s*:\s*"([^"\\]{1,200})"/.exec(tail)?.[1]
    read({ usage: valueOfJson(usage ?? ''), model }, result)
  }
  return {
    responseModel: result.model ?? null,
    inputTokens: result.input ?? null,
    cachedTokens: result.cached ?? null,
    outputTokens: result.output ?? null,
    finishReason: result.finish ?? null,
    toolCalls: result.toolCalls,
    answer: keepsTexts ? result.answer : null,
    error: result.error ?? null,
  }
}

type Fields = Readonly<Record<string, unknown>>

interface Building {
  model?: string
  input?: number
  cached?: number
  output?: number
  finish?: string
  error?: string
  readonly toolCalls: string[]
  answer: string
}

function read(value: unknown, result: Building): void {
  const { response, message: begun, model, usage, choices, output, status, error } = membersOf(value)
  // An event of the end holds the whole response, the first one of a message what is known of it.
  for (const whole of [response, begun]) if (typeof whole === 'object' && whole !== null) read(whole, result)
  if (typeof model === 'string') result.model = model.slice(0, maxName)
  readUsage(usage, result)
  for (const choice of listOf(choices)) {
    const { message, delta, text, finish_reason: reason } = membersOf(choice)
    const { content, tool_calls: calls } = membersOf(message ?? delta)
    addAnswer(content ?? text, result)
    for (const call of listOf(calls)) addTool(membersOf(membersOf(call).function).name, result)
    if (typeof reason === 'string') result.finish = reason.slice(0, maxName)
  }
  for (const item of listOf(output)) {
    if (membersOf(item).type === 'function_call') addTool(membersOf(item).name, result)
    for (const part of listOf(membersOf(item).content)) addAnswer(membersOf(part).text, result)
  }
  readMessage(value, result)
  if (Array.isArray(output) && typeof status === 'string') result.finish = status.slice(0, maxName)
  const message = typeof error === 'string' ? error : membersOf(error).message
  if (typeof message === 'string') result.error = message
}

/** A message as of Anthropic, or an event of its stream. */
function readMessage(value: unknown, result: Building): void {
  const { content, content_block: begun, delta, stop_reason: reason } = membersOf(value)
  for (const part of [...listOf(content), begun, delta]) {
    const { type, name, text } = membersOf(part)
    if (type === 'tool_use') addTool(name, result)
    else addAnswer(text, result)
  }
  const finish = reason ?? membersOf(delta).stop_reason
  if (typeof finish === 'string') result.finish = finish.slice(0, maxName)
}

function readUsage(usage: unknown, result: Building): void {
  const fields = membersOf(usage)
  const asked = countOf(fields['prompt_tokens'] ?? fields['input_tokens'])
  // Anthropic counts what its cache read and wrote beside the rest.
  const read = countOf(fields['cache_read_input_tokens'])
  const input =
    asked === undefined ? undefined : asked + (read ?? 0) + (countOf(fields['cache_creation_input_tokens']) ?? 0)
  const output = countOf(fields['completion_tokens'] ?? fields['output_tokens'])
  const cached =
    read ?? countOf(membersOf(fields['prompt_tokens_details'] ?? fields['input_tokens_details']).cached_tokens)
  if (input !== undefined) result.input = input
  if (output !== undefined) result.output = output
  if (cached !== undefined) result.cached = cached
}

function addTool(name: unknown, { toolCalls }: Building): void {
  if (typeof name === 'string' && name !== '' && toolCalls.length < maxTools) toolCalls.push(name.slice(0, maxName))
}

function addAnswer(text: unknown, result: Building): void {
  if (typeof text === 'string') result.answer = (result.answer + text).slice(0, maxAiText)
}

function countOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined
}

const addresses: readonly (readonly [ending: string, operation: string])[] = [
  ['/chat/completions', 'chat'],
  ['/completions', 'completion'],
  ['/responses', 'response'],
  ['/embeddings', 'embedding'],
  ['/v1/messages', 'chat'],
]

/** Follows outgoing requests to models. `currentCall` is the call of the package `ai` that runs now. */
export function aiFollower(
  options: AiOptions,
  currentCall: () => SdkCall | undefined,
): (start: OutgoingStart) => OutgoingFollower | undefined {
  return (start) => {
    if (start.method !== 'POST') return undefined
    const [address = ''] = start.url.split('?', 1)
    const operation = addresses.find(([ending]) => address.endsWith(ending))?.[1]
    return operation === undefined ? undefined : new AiExchange({ options, start, operation, call: currentCall() })
  }
}

/** Bytes kept of a request, of the beginning of a response, and of its end. */
const maxRequest = 262_144
const maxHead = 262_144
const maxTail = 16_384

/** What is known before anything is sent. */
interface AiExchangeParts {
  readonly options: AiOptions
  readonly start: OutgoingStart
  readonly operation: string
  readonly call: SdkCall | undefined
}

/** A request and its response, as they pass. */
class AiExchange implements OutgoingFollower {
  readonly #parts: AiExchangeParts
  readonly #startedAt = performance.now()
  readonly #begin: (facts: AiFacts) => RunningActivity<AiFacts> | undefined
  #running: RunningActivity<AiFacts> | undefined
  #request = new FirstBytes(maxRequest)
  #status = 0
  #encoding: string | undefined
  readonly #head = new FirstBytes(maxHead)
  #tail = Buffer.alloc(0)
  #firstOutputMs: number | null = null

  constructor(parts: AiExchangeParts) {
    this.#parts = parts
    const { operation, start } = parts
    // What is sent and what comes back is heard in other contexts.
    this.#begin = inPlace((facts) =>
      beginActivity(ai, () => ({
        facts: facts as AiFacts,
        site: start.site,
        agoMs: performance.now() - this.#startedAt,
        span: { name: `${operation} ${(facts as AiFacts).model.slice(0, 60)}`, kind: 'client', category: 'ai' },
      })),
    ) as (facts: AiFacts) => RunningActivity<AiFacts> | undefined
  }

  wrote(chunk: Uint8Array): void {
    this.#request.add(chunk)
  }

  /** Whether the body asks a model. */
  wroteAll(): boolean {
    const { options, start, operation, call } = this.#parts
    const { kept, droppedBytes } = this.#request
    this.#request = new FirstBytes(0)
    const request = readAiRequest(kept.toString(), droppedBytes === 0, options.captureTexts === true)
    if (request === undefined) return false
    if (call !== undefined) {
      call.isFollowed = true
      call.running?.update({ isStreamed: request.isStreamed })
      this.#running = call.running
    } else {
      const { client: library, host: provider } = start
      this.#running = this.#begin({ ...emptyAiFacts, library, operation, provider, ...request })
    }
    return this.#running !== undefined
  }

  answered(status: number, headers: readonly string[]): void {
    this.#status = status
    this.#encoding = fieldValue(listedFields(headers), 'content-encoding')
  }

  received(chunk: Uint8Array): void {
    this.#firstOutputMs ??= performance.now() - this.#startedAt
    const before = this.#head.droppedBytes
    this.#head.add(chunk)
    const dropped = this.#head.droppedBytes - before
    if (dropped === 0) return
    const end = Buffer.concat([this.#tail, chunk.subarray(chunk.byteLength - dropped)])
    this.#tail = Buffer.from(end.subarray(Math.max(0, end.length - maxTail)))
  }

  ended(): void {
    const { facts, error } = this.#read()
    // The library reports how its calls ended, except for the end of a stream.
    const isOfLibrary = this.#parts.call !== undefined
    if (this.#status >= 400) {
      if (isOfLibrary) this.#running?.update(facts)
      else this.#running?.fail(new Error(`${this.#status}${error === null ? '' : `: ${error}`}`), facts)
    } else if (error !== null) this.#running?.fail(new Error(error), facts)
    else this.#running?.end(facts)
  }

  failed(thrown: unknown): void {
    this.#running?.fail(thrown, this.#read().facts)
  }

  #read(): { readonly facts: Partial<AiFacts>; readonly error: string | null } {
    const { options, call } = this.#parts
    const keepsAnswer = call?.keepsAnswer ?? options.captureTexts === true
    const { kept, droppedBytes } = this.#head
    const head = decodedBody(kept, this.#encoding, droppedBytes === 0)
    const { error, ...result } = readAiResponse(head?.toString() ?? '', this.#tail.toString(), keepsAnswer)
    return { facts: { firstOutputMs: this.#firstOutputMs, ...result }, error }
  }
}

interface SdkCall {
  readonly running: RunningActivity<AiFacts> | undefined
  readonly keepsAnswer: boolean
  /** Whether a request below it ends it, with what its stream says. */
  isFollowed: boolean
}

const name = 'ai:telemetry'
const operations: ReadonlyMap<unknown, string> = new Map([
  ['languageModelCall', 'chat'],
  ['embed', 'embedding'],
  ['embedMany', 'embedding'],
  ['rerank', 'rerank'],
  ['generateSpeech', 'speech'],
  ['transcribe', 'transcription'],
  ['executeTool', 'tool'],
])

export class AiSdkSource {
  readonly #owner: CaptureOwner
  readonly #options: AiOptions
  readonly #current = new AsyncLocalStorage<SdkCall | undefined>()
  readonly #calls = new WeakMap<object, SdkCall>()
  readonly #channels: Channels

  constructor(owner: CaptureOwner, options: AiOptions) {
    this.#owner = owner
    this.#options = options
    this.#channels = new Channels('ai', {
      [`tracing:${name}:error`]: (message) => this.#take(message)?.running?.fail(membersOf(message).error),
      [`tracing:${name}:asyncEnd`]: (message) => {
        const call = this.#take(message)
        if (call !== undefined) this.#ended(call, membersOf(message).result)
      },
    })
  }

  /** The call that the code belongs to that runs now. */
  get current(): SdkCall | undefined {
    return this.#current.getStore()
  }

  start(): void {
    this.#channels.start()
    // What a transform throws would end the process.
    tracingChannel(name).start.bindStore(this.#current, (message) => {
      try {
        return this.#begun(membersOf(message))
      } catch (thrown) {
        noteFailure('ai', thrown)
        return undefined
      }
    })
  }

  stop(): void {
    this.#channels.stop()
    tracingChannel(name).start.unbindStore(this.#current)
  }

  #begun(message: Fields): SdkCall | undefined {
    const operation = operations.get(message['type'])
    if (operation === undefined) return this.current
    if (!isOwn(this.#owner)) return undefined
    const event = membersOf(message['event'])
    const isTool = operation === 'tool'
    const model = textOf(isTool ? membersOf(event['toolCall']).toolName : event['modelId'])
    const prompt = isTool
      ? membersOf(event['toolCall']).input
      : (event['messages'] ?? event['value'] ?? event['values'])
    const keepsTexts = this.#options.captureTexts === true
    const running = beginActivity(ai, () => ({
      facts: {
        ...emptyAiFacts,
        library: 'ai',
        operation,
        provider: isTool ? '' : textOf(event['provider']),
        model,
        prompt: keepsTexts && event['recordInputs'] !== false && prompt !== undefined ? aiText(prompt) : null,
      },
      site: deepStackFrames,
      span: { name: `${operation} ${model.slice(0, 60)}`, kind: isTool ? 'internal' : 'client', category: 'ai' },
    }))
    if (running === undefined) return undefined
    const keepsAnswer = keepsTexts && event['recordOutputs'] !== false
    const call: SdkCall = { running, keepsAnswer, isFollowed: false }
    this.#calls.set(message, call)
    // Requests of a tool are its own.
    return isTool ? undefined : call
  }

  #take(message: unknown): SdkCall | undefined {
    const call = this.#calls.get(Object(message))
    this.#calls.delete(Object(message))
    return call
  }

  #ended({ running, keepsAnswer, isFollowed }: SdkCall, value: unknown): void {
    const result = membersOf(value)
    const isStreamed = typeof result['stream'] === 'object'
    if (isStreamed && isFollowed) return
    const output = result['output']
    if (membersOf(output).type === 'tool-error') return running?.fail(membersOf(output).error)
    const usage = membersOf(result['usage'])
    const tokens = {
      inputTokens: countOf(membersOf(usage['inputTokens']).total ?? usage['inputTokens'] ?? usage['tokens']) ?? null,
      cachedTokens: countOf(membersOf(usage['inputTokens']).cacheRead) ?? null,
      outputTokens: countOf(membersOf(usage['outputTokens']).total ?? usage['outputTokens']) ?? null,
    }
    const content = listOf(result['content'])
    const tools = content.filter((part) => membersOf(part).type === 'tool-call')
    const texts = content.filter((part) => membersOf(part).type === 'text')
    const answer = membersOf(output).output ?? texts.map((part) => textOf(membersOf(part).text)).join('')
    const responseModel = textOf(membersOf(result['response']).modelId) || null
    const finish = result['finishReason']
    return running?.end({
      isStreamed,
      responseModel,
      ...(isStreamed || Object.keys(usage).length === 0 ? {} : tokens),
      finishReason: textOf(membersOf(finish).raw ?? membersOf(finish).unified ?? finish) || null,
      toolCalls: tools.slice(0, 50).map((part) => textOf(membersOf(part).toolName)),
      answer: keepsAnswer && !isStreamed ? aiText(answer) : null,
    })
  }
}

/** What is not known yet. */
const emptyAiFacts: AiFacts = {
  library: '',
  operation: '',
  provider: '',
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

function textOf(value: unknown): string {
  return typeof value === 'string' ? value.slice(0, 200) : ''
}
