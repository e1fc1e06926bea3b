// Requests to language models with the API of OpenAI or Anthropic, on any host, by `fetch`, undici, `node:http` and `node:https`. They are told by
// address and body; a request below a call of the package `ai` is a part of that call.

import { FirstBytes } from '../../base/http/first-bytes.ts'
import { performance } from '../../base/timing/builtins.ts'
import { fieldValue, listedFields } from '../../base/http/header-fields.ts'
import type { RunningActivity } from '../../observe/activities/activity.ts'
import { beginActivity } from '../../observe/activities/begin-activity.ts'
import { ai, type AiFacts } from '../../capture/activities/ai.ts'
import type { AiOptions } from '../../observe/ai-options.ts'
import { readAiRequest, readAiResponse, aiText, countOf, type Fields } from '../../capture/ai-texts.ts'
import { isOwn, type CaptureOwner } from '../../observe/owner.ts'
import { decodedBody } from '../../http/recording/body-content.ts'
import type { OutgoingFollower, OutgoingStart } from '../../observe/outgoing/http-client-data.ts'
import { Channels, inPlace, noteFailure } from '../../observe/tracing-source.ts'
import { AsyncLocalStorage } from 'node:async_hooks'
import { tracingChannel } from 'node:diagnostics_channel'
import { deepStackFrames } from '../../capture/begin-query.ts'
import { membersOf, listOf } from '../../base/members.ts'

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
