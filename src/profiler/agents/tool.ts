// A tool: parameters, and a function that returns Markdown. No protocol in it.

import { describeFailure } from '../../framework/kernel/describe-failure.ts'
import type { ProfileReader } from '../profile-store.ts'
import { missingSentence, NotedReads } from '../query/missing-parts.ts'
import type { RouteFacts, RouteFinding, RouteTrial, RouteTrialProblem } from '../query/route-table.ts'
import type { ReplayOrder } from '../replay/replay.ts'
import type { ReplayAnswer } from '../replay/replay-report.ts'
import { AgentError } from './agent-error.ts'
import { responseWithin, budgets, type ToolResponse } from './tool-response.ts'
import { count, readParameters, type Parameters, type ValuesOf } from './parameters.ts'
import { quote } from './quote.ts'
import type { WaitingRoom } from './waiting-room.ts'

/** What the tools read from. */
export interface AgentSources {
  readonly profiles: ProfileReader
  readonly routes: AgentRoutes
  readonly waits: WaitingRoom
  /** Has the application send a recorded request again. */
  readonly replay: (order: ReplayOrder) => Promise<ReplayAnswer>
  /** Folder of the application; `null`: not known. */
  readonly project: string | null
}

/** The routes of the application. It may have to be started first. */
export interface AgentRoutes {
  /** Rejects with an AgentError if the application cannot be reached or started. */
  list(
    signal: AbortSignal,
  ): Promise<{ readonly routes: readonly RouteFacts[]; readonly findings: readonly RouteFinding[] }>
  /** What the route table says to a request: `post`, `/basket`. Rejects like `list`. */
  try(method: string, url: string, signal: AbortSignal): Promise<RouteTrial | RouteTrialProblem>
}

/** One call of a tool. */
interface AgentCall {
  readonly sources: AgentSources
  /** Aborts when nobody waits for the response any more. */
  readonly signal: AbortSignal
}

/** A call as a tool sees it. */
export interface RunningCall extends AgentCall {
  /** Reads profiles, and notes which parts of the store cannot be reached. */
  readonly profiles: NotedReads
}

export interface AgentTool {
  /** `get_request`. */
  readonly name: string
  /** For people: `Read a request`. */
  readonly title: string
  /** For models: what it gives and when to use it. */
  readonly description: string
  readonly parameters: Parameters
  /** `nothing`: it only reads. `something`: it sends a request to the application, which may change anything. */
  readonly changes: 'nothing' | 'something'
  /** Markdown of at most `budget` tokens, a parameter of every tool. Rejects with an AgentError that says what to do. */
  call(sent: unknown, call: AgentCall): Promise<string>
}

interface ToolDefinition<Given extends Parameters> extends Pick<AgentTool, 'name' | 'title' | 'description'> {
  readonly parameters: Given
  /** Default: nothing. */
  readonly changes?: AgentTool['changes']
  readonly run: (values: ValuesOf<Given>, call: RunningCall) => Promise<ToolResponse>
}

const budget = count(
  `How long the response may be, in tokens. What does not fit is named at its end, with how to get it.`,
  { least: budgets.least, most: budgets.most, byDefault: budgets.default },
)

export function defineTool<Given extends Parameters>(definition: ToolDefinition<Given>): AgentTool {
  const { name, title, description, parameters, changes = 'nothing', run } = definition
  const all = { ...parameters, budget }
  return {
    name,
    title,
    description,
    parameters: all,
    changes,
    call: async (sent, call) => {
      const values = readParameters(all, sent)
      const profiles = new NotedReads(call.sources.profiles)
      const response = await failuresTold(name, async () => run(values, { ...call, profiles }))
      const { missing } = profiles
      const parts = missing === undefined ? response.parts : [{ text: missingSentence(missing) }, ...response.parts]
      return responseWithin({ ...response, parts }, Number(values.budget ?? budgets.default))
    },
  }
}

/** A failure of the store, or our own, as an AgentError. */
async function failuresTold<Result>(tool: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof AgentError) throw error
    const { errorClass, message } = describeFailure(error)
    throw new AgentError('failed', `\`${tool}\` failed: ${quote(`${errorClass}: ${message}`)}`, { cause: error })
  }
}
