// A tool: parameters, and a function that returns Markdown. No protocol in it.

import { describeFailure } from '../../framework/kernel/describe-failure.ts'
import type { ProfileReader } from '../profile-store.ts'
import { missingSentence, NotedReads } from '../query/missing-parts.ts'
import type { RouteFacts, RouteFinding, RouteTrial, RouteTrialProblem } from '../query/route-table.ts'
import type { ReplayOrder, ReplayAnswer } from '../replay/replay.ts'
import { unreadableRetryAfter } from '../web/profiler-page.ts'
import { AgentError } from './agent-error.ts'
import { responseWithin, budgets, quote, type ToolResponse } from './tool-response.ts'
import { readParameters, type Parameter, type Parameters, type ValuesOf } from './parameters.ts'

/** What the tools read from. */
export interface AgentSources {
  readonly profiles: ProfileReader
  readonly routes: AgentRoutes
  /** Has the application send a recorded request again. */
  readonly replay: (order: ReplayOrder) => Promise<ReplayAnswer>
}

/** The routes of the application. It may have to be started first. */
export interface AgentRoutes {
  /** Rejects with an AgentError if the application cannot be reached or started. */
  list(
    signal: AbortSignal,
  ): Promise<{ readonly routes: readonly RouteFacts[]; readonly problems: readonly RouteFinding[] }>
  /** What the route table says to a request: `post`, `/basket`. Rejects like `list`. */
  try(method: string, url: string, signal: AbortSignal): Promise<RouteTrial | RouteTrialProblem>
}

/** A call as a tool sees it. */
export interface RunningCall {
  readonly sources: AgentSources
  /** Reads profiles, and notes which parts of the store cannot be reached. */
  readonly profiles: NotedReads
  /** Aborts when nobody waits for the response any more. */
  readonly signal: AbortSignal
}

export interface AgentTool {
  readonly name: string
  /** For models: what it gives and when to use it. */
  readonly description: string
  readonly parameters: Parameters
  readonly required: readonly string[]
  /** `nothing`: it only reads. `something`: it sends a request to the application, which may change anything. */
  readonly changes: 'nothing' | 'something'
  /** Markdown of at most `budget` bytes, a parameter of every tool. Rejects with an AgentError that says what to do. */
  call(sent: unknown, call: Omit<RunningCall, 'profiles'>): Promise<string>
}

interface ToolDefinition<Given extends Parameters, Required extends keyof Given & string> extends Pick<
  AgentTool,
  'name' | 'description'
> {
  readonly parameters: Given
  /** Default: none. */
  readonly required?: readonly Required[]
  /** Default: nothing. */
  readonly changes?: AgentTool['changes']
  readonly run: (values: ValuesOf<Given, Required>, call: RunningCall) => Promise<ToolResponse>
}

const budget: Parameter = {
  type: 'integer',
  description: `Bytes at most (default ${budgets.default})`,
  minimum: budgets.least,
  maximum: budgets.most,
}

export function defineTool<const Given extends Parameters, Required extends keyof Given & string = never>({
  name,
  description,
  parameters,
  required = [],
  changes = 'nothing',
  run,
}: ToolDefinition<Given, Required>): AgentTool {
  const all = { ...parameters, budget }
  return {
    name,
    description,
    parameters: all,
    required,
    changes,
    call: async (sent, call) => {
      const { budget: bytes, ...values } = readParameters<Parameters, string>(all, required, sent)
      const profiles = new NotedReads(call.sources.profiles)
      const missing = (): readonly string[] =>
        profiles.missing === undefined ? [] : [missingSentence(profiles.missing)]
      try {
        const response = await run(values as ValuesOf<Given, Required>, { ...call, profiles })
        const parts = [...missing().map((text) => ({ text })), ...response.parts]
        return responseWithin({ ...response, parts }, Number(bytes ?? budgets.default))
      } catch (error) {
        const { code, message } = failureOf(error, name)
        throw new AgentError(code, [message, ...missing()].join(' '), { cause: error })
      }
    },
  }
}

/** Of an `EngineError`: they may be over soon. */
const passing: ReadonlySet<unknown> = new Set(['ERR_STORE_BUSY', 'ERR_STORE_FAILED', 'ERR_STORE_UNAVAILABLE'])

/** A failure of the store, or our own, as an AgentError. */
function failureOf(error: unknown, tool: string): AgentError {
  if (error instanceof AgentError) return error
  const { errorClass, message } = describeFailure(error)
  const { code } = Object(error) as { readonly code?: unknown }
  const advice = passing.has(code)
    ? ` The store cannot be read now: call it again in ${unreadableRetryAfter} seconds.`
    : ''
  return new AgentError('failed', `\`${tool}\` failed: ${quote(`${errorClass}: ${message}`)}${advice}`)
}
