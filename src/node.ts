// The public entry `fanlight/node`: an application on `node:http`.

export type { Answered, Front, Sent } from './framework/node/front.ts'
export { inject, type InjectedResponse, type InjectRequest } from './framework/node/inject.ts'
export { NodeServer, type ListenAddress, type NodeServerOptions } from './framework/node/server.ts'
export { TrustedProxies } from './framework/http/trusted-proxies.ts'
