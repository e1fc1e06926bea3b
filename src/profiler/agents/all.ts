// The list of tools, in the order in which clients are told of them.

import { compareRequests, compareRuns } from './compare-tools.ts'
import { listIssues, writeTest } from './error-tools.ts'
import { getRequest, lastError, listRequests, waitForRequest } from './request-tools.ts'
import { replayRequest } from './replay-tool.ts'
import { explainRoute, listRoutes, slowRoutes } from './route-tools.ts'
import type { AgentTool } from './tool.ts'

/** A new tool is one line here. */
export const agentTools: readonly AgentTool[] = [
  lastError,
  listRequests,
  getRequest,
  waitForRequest,
  explainRoute,
  listRoutes,
  slowRoutes,
  compareRequests,
  compareRuns,
  listIssues,
  replayRequest,
  writeTest,
]
