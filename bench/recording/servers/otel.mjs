// OpenTelemetry's Node SDK with all automatic instrumentation, as its documentation starts it, exporting to nothing: the
// spans are made, batched and thrown away.

import { createRequire, register } from 'node:module'

const require = createRequire(import.meta.url)
const { NodeSDK } = require('@opentelemetry/sdk-node')
const { BatchSpanProcessor } = require('@opentelemetry/sdk-trace')
const { getNodeAutoInstrumentations } = require('@opentelemetry/auto-instrumentations-node')

const nowhere = {
  export: (_spans, done) => done({ code: 0 }),
  shutdown: async () => undefined,
  forceFlush: async () => undefined,
}

register('@opentelemetry/instrumentation/hook.mjs', import.meta.url)
new NodeSDK({
  spanProcessors: [new BatchSpanProcessor({ exporter: nowhere })],
  instrumentations: [getNodeAutoInstrumentations()],
}).start()
