// The span of a trace that is looked at: attributes, events, and the way up.

import { formatDuration, formatTime, keyValueTable } from '../../../framework/html/components.ts'
import { html, type SafeHtml } from '../../../framework/html/html.ts'
import { cutText } from '../../../framework/redact/cut-text.ts'
import { countOf, cutMark } from '../../../errors/page/page-budget.ts'
import { shortened } from '../../query/profile-facts.ts'
import type { PlacedSpan, Trace } from '../../traces/trace.ts'
import { addressOf, maxName, nameOf, swatch, type TracePlace } from './trace-parts.ts'

/** Attributes and events shown of one span at most. */
const maxFacts = 100

/** What is known of the span that is looked at. */
export function spanCard({ spans }: Trace, spanId: string, place: TracePlace): SafeHtml | null {
  const span = spans.find((one) => one.spanId === spanId)
  if (span === undefined) return null
  const { service, name, kind, startMs, durationMs, status, statusMessage, token, hasProfile, parentSpanId } = span
  const attributes = Object.entries(span.attributes)
  const parent = spans.find((one) => one.spanId === parentSpanId)
  return html`<section class="card trace-span">
    <h2>${swatch(service, place)} ${cutText(name, maxName)}</h2>
    <p class="row small">
      <a href="${addressOf(place, {})}">Whole trace</a>
      ${parent === undefined ? null : html`<a href="${addressOf(place, { span: parent.spanId })}">Up to ${shortened(parent.name, 60)}</a>`}
      ${hasProfile ? html`<a href="${place.linkTo(token)}">Profile ${token}</a>` : null}
    </p>
    ${keyValueTable(
      [
        ['Service', nameOf(service)],
        ['Kind', kind],
        ['Start', formatDuration(startMs)],
        ['Duration', formatDuration(durationMs)],
        ['Status', statusMessage === null ? status : `${status}: ${cutText(statusMessage, 1000)}`],
        ...attributes
          .slice(0, maxFacts)
          .map(([key, value]) => [cutText(key, maxName), cutText(String(value), 1000)] as const),
      ],
      { caption: 'Span' },
    )}
    ${attributes.length > maxFacts ? cutMark(`${countOf(attributes.length - maxFacts, 'more attribute')} not shown.`) : null}
    ${span.events.length === 0 ? null : spanEvents(span)}
  </section>`
}

function spanEvents({ events }: PlacedSpan): SafeHtml {
  const rows = events.slice(0, maxFacts).map(({ name, time, attributes }) => {
    const text = Object.entries(attributes).map(([key, value]) => `${key}: ${String(value)}`)
    return [
      `${formatTime(time)} ${cutText(name, 60)}`,
      html`<span class="pre">${cutText(text.join('\n'), 2000)}</span>`,
    ] as const
  })
  return html`<h3>Events</h3>
    ${keyValueTable(rows, { caption: 'Events' })}
    ${events.length > maxFacts ? cutMark(`${countOf(events.length - maxFacts, 'more event')} not shown.`) : null}`
}
