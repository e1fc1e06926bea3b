// Every integration, by the package of its framework.

import type { Integration } from '../integration.ts'
import { nodeHttp } from './node-http.ts'

export const integrations: readonly Integration[] = [nodeHttp]
