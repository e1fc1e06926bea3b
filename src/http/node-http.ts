// Node's HTTP module, without what an import of it brings along: `import … from 'node:http'` reads every export, and reading
// `WebSocket` loads Node's whole fetch client, 50 ms and 12 MB of each start.

/** The module `node:http`; import types from it as ever. */
export const nodeHttp: typeof import('node:http') = process.getBuiltinModule('node:http')
