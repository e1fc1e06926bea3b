// Calls of the package `ai`, which publishes them from version 7: calls of models, and tools that models asked for. The requests below
// a call are parts of it: they tell what a stream ends with.

import { AsyncLocalStorage } from 'node:async_hooks'
import { tracingChannel } from 'node:diagnostics_channel'
import type { ActivityOwner, RunningActivity } from '../../activities/activity.ts'
import { ai, type AiFacts } from '../../activities/ai.ts'
import type { AiOptions } from '../../ai-options.ts'
import { aiCost, aiText, countOf, fieldOf, listOf, type Fields } from '../ai-texts.ts'
import { deepStackFrames } from '../begin-query.ts'
import { Channels, noteFailure } from './tracing-source.ts'

/** A call that runs. */
export interface SdkCall {
  readonly running: RunningActivity<AiFacts> | undefined
  readonly keepsAnswer: boolean
  readonly model: string
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
  readonly #owner: ActivityOwner
  readonly #options: AiOptions
  readonly #current = new AsyncLocalStorage<SdkCall | undefined>()
  readonly #calls = new WeakMap<object, SdkCall>()
  readonly #channels: Channels

  constructor(owner: ActivityOwner, options: AiOptions) {
    this.#owner = owner
    this.#options = options
    this.#channels = new Channels('ai', {
      [`tracing:${name}:error`]: (message) => this.#take(message)?.running?.fail(fieldOf(message, 'error')),
      [`tracing:${name}:asyncEnd`]: (message) => {
        const call = this.#take(message)
        if (call !== undefined) this.#ended(call, fieldOf(message, 'result'))
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
        return this.#begun(Object(message) as Fields)
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
    const event = Object(message['event']) as Fields
    const isTool = operation === 'tool'
    const model = textOf(isTool ? fieldOf(event['toolCall'], 'toolName') : event['modelId'])
    const prompt = isTool
      ? fieldOf(event['toolCall'], 'input')
      : (event['messages'] ?? event['value'] ?? event['values'])
    const keepsTexts = this.#options.captureTexts === true
    const running = this.#owner.beginActivity(ai, () => ({
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
    const call: SdkCall = { running, keepsAnswer, model, isFollowed: false }
    this.#calls.set(message, call)
    // Requests of a tool are its own.
    return isTool ? undefined : call
  }

  #take(message: unknown): SdkCall | undefined {
    const call = this.#calls.get(Object(message) as object)
    this.#calls.delete(Object(message) as object)
    return call
  }

  #ended({ running, keepsAnswer, model, isFollowed }: SdkCall, value: unknown): void {
    const result = Object(value) as Fields
    const isStreamed = typeof result['stream'] === 'object'
    if (isStreamed && isFollowed) return
    const output = result['output']
    if (fieldOf(output, 'type') === 'tool-error') return running?.fail(fieldOf(output, 'error'))
    const usage = Object(result['usage']) as Fields
    const tokens = {
      inputTokens: countOf(fieldOf(usage['inputTokens'], 'total') ?? usage['inputTokens'] ?? usage['tokens']) ?? null,
      cachedTokens: countOf(fieldOf(usage['inputTokens'], 'cacheRead')) ?? null,
      outputTokens: countOf(fieldOf(usage['outputTokens'], 'total') ?? usage['outputTokens']) ?? null,
    }
    const content = listOf(result['content'])
    const tools = content.filter((part) => fieldOf(part, 'type') === 'tool-call')
    const texts = content.filter((part) => fieldOf(part, 'type') === 'text')
    const answer = fieldOf(output, 'output') ?? texts.map((part) => textOf(fieldOf(part, 'text'))).join('')
    const responseModel = textOf(fieldOf(result['response'], 'modelId')) || null
    const finish = result['finishReason']
    return running?.end({
      isStreamed,
      responseModel,
      ...(isStreamed || Object.keys(usage).length === 0
        ? {}
        : { ...tokens, ...aiCost(this.#options, [model, responseModel], tokens) }),
      finishReason: textOf(fieldOf(finish, 'raw') ?? fieldOf(finish, 'unified') ?? finish) || null,
      toolCalls: tools.slice(0, 50).map((part) => textOf(fieldOf(part, 'toolName'))),
      answer: keepsAnswer && !isStreamed ? aiText(answer) : null,
    })
  }
}

/** What is not known yet. */
export const emptyAiFacts: AiFacts = {
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
  cost: null,
  currency: null,
  prompt: null,
  answer: null,
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value.slice(0, 200) : ''
}
