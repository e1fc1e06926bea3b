// What requests to language models and their responses say, whole or as a stream of events: chat completions, completions, responses
// and embeddings as of OpenAI, messages as of Anthropic.

import { valueOfJson } from '../base/http/json.ts'
import type { AiFacts } from './activities/ai.ts'
import { membersOf, listOf } from '../base/members.ts'

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
export function aiText(value: unknown): string {
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

export type Fields = Readonly<Record<string, unknown>>

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

export function countOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined
}
