// The routes of the application, as tools ask for them: they may have to start it first.

import type { RouteFacts, RouteFinding, RouteTrial, RouteTrialProblem } from '../query/route-table.ts'

export interface AgentRoutes {
  /** Rejects with an AgentError where the application cannot be reached or started. */
  list(
    signal: AbortSignal,
  ): Promise<{ readonly routes: readonly RouteFacts[]; readonly findings: readonly RouteFinding[] }>
  /** What the route table says to a request: `post`, `/basket`. Rejects like `list`. */
  try(method: string, url: string, signal: AbortSignal): Promise<RouteTrial | RouteTrialProblem>
}
