// The public entry `fanlight/node`: an application on `node:http`.

export type { Answered, Front, Sent } from './adapters/node/front.ts'
export { inject, type InjectedResponse, type InjectRequest } from './adapters/node/inject.ts'
export { NodeServer, type ListenAddress, type NodeServerOptions } from './adapters/node/server.ts'
export { TrustedProxies } from './http/trusted-proxies.ts'
