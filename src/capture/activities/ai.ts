// Calls to language models, and runs of tools that a model asked for: which model, how many tokens, how long.

import { formatCount, formatDuration } from '../../base/html/components.ts'
import { failureNote, offPage, type Block, type Card, type Line, place, text } from '../../observe/blocks/blocks.ts'
import type { Activities, ActivityKind, Happening } from '../../observe/activities/activity.ts'

export interface AiFacts {
  /** `ai`; `fetch` or `node:http` for a request that no library told of. */
  readonly library: string
  /** `chat`, `completion`, `response`, `embedding`, `tool`. */
  readonly operation: string
  /** `openai.chat`, or the host that was asked: `api.openai.com`; empty for a tool. */
  readonly provider: string
  /** As the application names it: `gpt-5`; of a tool, its name. */
  readonly model: string
  /** As the response names it: `gpt-5-2026-06-01`; `null` if unknown. */
  readonly responseModel: string | null
  readonly isStreamed: boolean
  /** Milliseconds until the response began; `null` if unknown. */
  readonly firstOutputMs: number | null
  /** `null` if the response does not say. */
  readonly inputTokens: number | null
  /** The part of the input that the provider had in its cache. */
  readonly cachedTokens: number | null
  readonly outputTokens: number | null
  /** `stop`, `tool_calls`, `length`. */
  readonly finishReason: string | null
  /** Names of the tools that the model asked for, in order; at most 50. */
  readonly toolCalls: readonly string[]
  /** What was asked, as JSON; `null` unless texts are kept. */
  readonly prompt: string | null
  /** `null` unless texts are kept. */
  readonly answer: string | null
}

type AiCall = AiFacts & Happening

export const ai: ActivityKind<AiFacts> = {
  name: 'ai',
  title: 'AI',
  noun: ['call', 'calls'],
  most: 100,
  empty: 'No language model was called. Captured: ai 7 or newer, and requests in the forms of OpenAI and Anthropic.',
  draw: (data) => [
    data.entries.length === 1 ? null : { kind: 'figures', rows: figures(data) },
    ...data.entries.map(card),
  ],
}

function figures({ entries, dropped }: Activities<AiFacts>): readonly (readonly [string, string])[] {
  const models = entries.filter(({ operation }) => operation !== 'tool')
  const sum = (numbers: readonly (number | null)[]): number => numbers.reduce<number>((all, one) => all + (one ?? 0), 0)
  const tools = entries.length - models.length
  return [
    [formatCount(models.length + dropped), 'Model calls'],
    ...(tools === 0 ? [] : [[formatCount(tools), 'Tools run'] as const]),
    [formatCount(sum(models.map(({ inputTokens }) => inputTokens))), 'Input tokens'],
    [formatCount(sum(models.map(({ outputTokens }) => outputTokens))), 'Output tokens'],
    [formatDuration(sum(models.map(({ durationMs }) => durationMs))), 'Total time'],
  ]
}

function card(call: AiCall): Card {
  const { operation, model, startMs, durationMs, error, firstOutputMs, callSite, toolCalls, prompt, answer } = call
  const [given, returned] = operation === 'tool' ? ['Input', 'Result'] : ['Prompt', 'Response']
  return {
    kind: 'card',
    head: [
      error !== null
        ? { mark: 'failed', tone: 'error' }
        : durationMs === null
          ? { mark: 'not ended', tone: 'warning' }
          : null,
      { recorded: operation },
    ],
    name: model === '' ? 'unknown model' : { code: model },
    time: durationMs === null ? 'not ended' : formatDuration(durationMs),
    times: { startMs, durationMs, waitMs: 0, firstByteMs: firstOutputMs },
    facts: [...facts(call), place(callSite)],
    blocks: [
      failureNote(error),
      text(toolCalls.length !== 0 && ['Asked for tools:', { code: toolCalls.join(', ') }]),
      textFold(given, prompt),
      textFold(returned, answer),
    ],
  }
}

function facts(call: AiCall): readonly Line[] {
  const { startMs, provider, library, responseModel, model, isStreamed, firstOutputMs, finishReason } = call
  const recorded = (text: string | null): Line => (text === null || text === '' ? null : { recorded: text })
  return [
    `+${formatDuration(startMs)}`,
    recorded(provider),
    offPage(recorded(library === provider ? null : library)),
    recorded(responseModel === model ? null : responseModel),
    isStreamed ? 'streamed' : null,
    firstOutputMs === null || !isStreamed ? null : `response after ${formatDuration(firstOutputMs)}`,
    tokens(call),
    finishReason === null ? null : ['ended with', { recorded: finishReason }],
  ]
}

function tokens({ operation, error, inputTokens, cachedTokens, outputTokens }: AiCall): string | null {
  if (operation === 'tool' || error !== null) return null
  if (inputTokens === null && outputTokens === null) return 'tokens unknown'
  const cached = cachedTokens === null || cachedTokens === 0 ? '' : `, ${formatCount(cachedTokens)} cached`
  const sides = [
    inputTokens === null ? null : `${formatCount(inputTokens)} tokens in${cached}`,
    outputTokens === null ? null : `${formatCount(outputTokens)} out`,
  ]
  return sides.filter((side) => side !== null).join(', ')
}

function textFold(title: string, text: string | null): Block | null {
  return text === null || text === '' ? null : { kind: 'source', title, text }
}
