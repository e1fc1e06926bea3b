// Node's HTTP module, without what an import of it brings along: `import … from 'node:http'` reads every export, and reading
// `WebSocket` loads Node's whole fetch client, 50 ms and 12 MB of each start.

import type * as http from 'node:http'

/** The module `node:http`; import types from it as ever. */
export const nodeHttp: typeof http = process.getBuiltinModule('node:http')
