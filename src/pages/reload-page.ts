// `/_profiler/reload`: an event stream that names the process. Pages of an application under `fanlight dev` listen to it, and reload
// themselves when another process is there.

import { performance } from '../base/timing/builtins.ts'
import { Readable } from 'node:stream'
import { scriptBlock, type SafeHtml } from '../base/html/html.ts'
import type { ProfilerPage } from './profiler-page.ts'
import { profilerEvents } from './profiler-reply.ts'

/** Tells this process from the next one. */
export function processName(): string {
  return String(performance.timeOrigin)
}

/** Ends with the application, or when the client goes away. */
export const reloadPage: ProfilerPage = async ({ signal }) => {
  const events = new Readable({ read: () => undefined })
  events.push(`retry: 300\n\nevent: process\ndata: ${processName()}\n\n`)
  signal.addEventListener('abort', () => events.push(null), { once: true })
  return profilerEvents(events)
}

/** Follows the script of the toolbar. A hidden page has no connection open: browsers allow few for one host. */
export function reloadScript(profilerPath: string): SafeHtml {
  return scriptBlock(`
(() => {
  let source;
  const close = () => { if (source) source.close() };
  const open = () => {
    close();
    source = new EventSource(${JSON.stringify(`${profilerPath}/reload`)});
    source.addEventListener('process', (event) => { if (event.data !== ${JSON.stringify(processName())}) location.reload() });
  };
  document.addEventListener('visibilitychange', () => (document.hidden ? close() : open()));
  addEventListener('pagehide', close);
  addEventListener('pageshow', (event) => { if (event.persisted) open() });
  if (!document.hidden) open();
})();
`)
}
