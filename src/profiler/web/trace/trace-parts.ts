// What the parts of the trace page share: addresses, names and colours of services.

import { html, type SafeHtml } from '../../../framework/html/html.ts'
import { cutText } from '../../../framework/redact/cut-text.ts'
import type { Trace } from '../../traces/trace.ts'
import type { ShownRows } from '../../traces/trace-markdown.ts'
import type { Grid } from '../panels/timeline-lanes.ts'

export interface TraceView extends ShownRows {
  /** The span that is looked at; `null`: the whole trace. */
  readonly span: string | null
  readonly profilerPath: string
  readonly linkTo: (token: string, panel?: string) => string
}

export interface TracePlace extends TraceView {
  readonly traceId: string
  readonly grid: Grid
  /** Place of each service in the order of the trace: its colour. */
  readonly colours: ReadonlyMap<string | null, number>
}

export const maxName = 200
const colourCount = 8

export function placeOf({ traceId, services, durationMs }: Trace, view: TraceView): TracePlace {
  return {
    ...view,
    traceId,
    grid: { id: null, totalMs: durationMs },
    colours: new Map(services.map(({ name }, index) => [name, index % colourCount])),
  }
}

export function nameOf(service: string | null): string {
  return service === null ? 'an unnamed service' : cutText(service, maxName)
}

export function colourOf(service: string | null, { colours }: TracePlace): string {
  return `service-${colours.get(service) ?? 0}`
}

export function swatch(service: string | null, place: TracePlace): SafeHtml {
  return html`<i class="swatch ${colourOf(service, place)}" aria-hidden="true"></i>`
}

export function addressOf(
  { profilerPath, traceId }: TracePlace,
  { span, from }: { span?: string | null; from?: number },
): string {
  const parts = [
    `id=${traceId}`,
    ...(span === undefined || span === null ? [] : [`span=${span}`]),
    ...(from === undefined ? [] : [`from=${from}`]),
  ]
  return `${profilerPath}/trace?${parts.join('&')}`
}
