// What is known of a call to a language model, and of a tool that the model asked for.

/** One call. */
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
  /** In the currency of the prices; `null` without a price for the model, and without tokens. */
  readonly cost: number | null
  /** `null` without prices. */
  readonly currency: string | null
  /** What was asked, as JSON; `null` unless texts are kept. */
  readonly prompt: string | null
  /** `null` unless texts are kept. */
  readonly answer: string | null
}
