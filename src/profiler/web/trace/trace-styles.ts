// The look of the trace page.

import type { SafeHtml } from '../../../framework/html/html.ts'
import { styleSheet } from '../../../framework/html/style-sheet.ts'
import type { Trace } from '../../traces/trace.ts'
import { scale, tickPercent } from '../panels/timeline-lanes.ts'

/** The lines of the axis behind all bars. */
export function traceGridStyles({ durationMs }: Trace): SafeHtml {
  return styleSheet(`
.table.trace td.span-bar { background-image: repeating-linear-gradient(to right, var(--line) 0 1px, transparent 1px calc(${tickPercent(durationMs)} / ${scale / 100}));
  background-origin: content-box; background-size: calc(${scale}% + 1px) 100%; background-repeat: no-repeat repeat }
`)
}

export const traceStyles: SafeHtml = styleSheet(`
.trace-facts { gap: var(--space-1) var(--space-4); margin: var(--space-3) 0 }
.trace-form { align-items: end; margin: var(--space-3) 0 }
.trace-form label { display: grid; gap: 2px; flex: 0 1 24rem; min-width: 0; font-size: var(--size-small); color: var(--muted) }
.swatch { display: inline-block; width: .7rem; height: .7rem; margin-right: .35rem; vertical-align: -.05rem; background: var(--bar); forced-color-adjust: none }
.trace-span { margin: var(--space-3) 0; padding: var(--space-3) }
.trace-span h2 { margin: 0; font-size: var(--size-large) }
.pre { white-space: pre-wrap }
.depth-5 { padding-left: 5.5rem } .depth-6 { padding-left: 6.6rem } .depth-7 { padding-left: 7.7rem } .depth-8 { padding-left: 8.8rem }
.service-0 { --bar: light-dark(#2f6fd0, #5b9bf3) } .service-1 { --bar: light-dark(#b8502a, #e0794f) }
.service-2 { --bar: light-dark(#23834f, #41b375) } .service-3 { --bar: light-dark(#8f45b0, #bd7edb) }
.service-4 { --bar: light-dark(#a4760a, #d9a62e) } .service-5 { --bar: light-dark(#157f88, #3fb6c0) }
.service-6 { --bar: light-dark(#b03a6a, #e583ab) } .service-7 { --bar: light-dark(#6b7a90, #8593a8) }
@media (max-width: 40rem) {
  .trace [class^=depth-] { padding-left: 0 }
  .trace .depth-1 { padding-left: .5rem } .trace .depth-2 { padding-left: 1rem } .trace :is(.depth-3, .depth-4, .depth-5, .depth-6, .depth-7, .depth-8) { padding-left: 1.5rem }
  .trace .span-name > div:has(.tone-warning) { white-space: normal }
}
`)
