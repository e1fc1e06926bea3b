// What requests to language models and their responses say, in the forms of OpenAI: chat completions, completions, responses and
// embeddings, whole or as a stream of events.

import { valueOfJson } from '../base/http/json-syntax.ts'
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
  const { response, model, usage, choices, output, status, error } = membersOf(value)
  // An event of the end holds the whole response.
  if (typeof response === 'object' && response !== null) read(response, result)
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
  if (Array.isArray(output) && typeof status === 'string') result.finish = status.slice(0, maxName)
  const message = typeof error === 'string' ? error : membersOf(error).message
  if (typeof message === 'string') result.error = message
}

function readUsage(usage: unknown, result: Building): void {
  const fields = membersOf(usage)
  const input = countOf(fields['prompt_tokens'] ?? fields['input_tokens'])
  const output = countOf(fields['completion_tokens'] ?? fields['output_tokens'])
  const cached = countOf(membersOf(fields['prompt_tokens_details'] ?? fields['input_tokens_details']).cached_tokens)
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
