// Spans and log records as the official SDK of OpenTelemetry makes them.

import { SpanKind, SpanStatusCode, trace, ROOT_CONTEXT } from '@opentelemetry/api'
import { SeverityNumber } from '@opentelemetry/api-logs'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { InMemoryLogRecordExporter, LoggerProvider, SimpleLogRecordProcessor } from '@opentelemetry/sdk-logs'
import {
  InMemorySpanExporter,
  NodeTracerProvider,
  SimpleSpanProcessor,
  type ReadableSpan,
} from '@opentelemetry/sdk-trace-node'
import type { ReadableLogRecord } from '@opentelemetry/sdk-logs'

const resource = resourceFromAttributes({ 'service.name': 'prices', 'service.version': '2.1.0' })

/** A server span with everything that a span can have, and a client span inside it; the inner one first. `caller`: what the server span is part of. */
export function makeOtelSpans(caller?: { readonly traceId: string; readonly spanId: string }): readonly ReadableSpan[] {
  const exporter = new InMemorySpanExporter()
  const provider = new NodeTracerProvider({ resource, spanProcessors: [new SimpleSpanProcessor(exporter)] })
  const tracer = provider.getTracer('tests', '1.0')
  const called = caller === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, { ...caller, traceFlags: 1 })
  const outer = tracer.startSpan(
    'GET /prices',
    {
      kind: SpanKind.SERVER,
      attributes: {
        'http.route': '/prices',
        count: 3,
        share: 0.25,
        isCached: false,
        sizes: [1, 2],
        names: ['é', '日'],
      },
      links: [{ context: { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), traceFlags: 1 } }],
    },
    called,
  )
  const inner = tracer.startSpan('SELECT', { kind: SpanKind.CLIENT }, trace.setSpan(ROOT_CONTEXT, outer))
  inner.end()
  outer.recordException(new RangeError('no rate'))
  outer.setStatus({ code: SpanStatusCode.ERROR, message: 'no rate' })
  outer.end()
  return exporter.getFinishedSpans()
}

/** Two log records, the second one of a span. */
export function makeOtelLogs(context: {
  readonly traceId: string
  readonly spanId: string
}): readonly ReadableLogRecord[] {
  const exporter = new InMemoryLogRecordExporter()
  const provider = new LoggerProvider({ resource, processors: [new SimpleLogRecordProcessor({ exporter })] })
  const logger = provider.getLogger('tests')
  logger.emit({ body: 'without a trace' })
  logger.emit({
    severityNumber: SeverityNumber.WARN,
    severityText: 'WARN',
    body: { sku: 'a-1', tried: [1, true, null] },
    attributes: { attempt: 2 },
    context: trace.setSpanContext(ROOT_CONTEXT, { ...context, traceFlags: 1 }),
  })
  return exporter.getFinishedLogRecords()
}
