// `/_profiler/help`: keys, filters, headers and commands. Pages are in the bar.

import type { SettingPrefix } from '../http/config/variable.ts'
import { timeGlyph } from '../base/html/arc.ts'
import { html, type SafeHtml } from '../base/html/html.ts'
import { styleSheet } from '../base/html/style-sheet.ts'
import { findings } from '../observe/profile.ts'
import type { ProfilerPage } from './profiler-page.ts'

export interface HelpEntry {
  /** An address below the profiler's path, keys to press, or text to type. Several of one meaning: a list. */
  readonly kind: 'link' | 'key' | 'code'
  readonly name: string
  readonly text: string
  /** Of a link: below the profiler's path. */
  readonly path?: string
}

export interface HelpSection {
  readonly title: string
  readonly text?: string
  readonly entries: readonly HelpEntry[]
}

export const helpPage: ProfilerPage = async (_exchange, { options: { profilerPath, settingPrefix = 'APP_' } }) => {
  const sections = helpSections(profilerPath, settingPrefix)
  return {
    html: () => ({ title: 'Help', content: content(sections, profilerPath), styles: [helpStyles] }),
    json: () => ({ sections }),
    markdown: () => `# Help\n\n${sections.map((section) => sectionText(section, profilerPath)).join('\n')}`,
  }
}

function link(path: string, name: string, text: string): HelpEntry {
  return { kind: 'link', path, name, text }
}

function key(name: string, text: string): HelpEntry {
  return { kind: 'key', name, text }
}

function code(name: string, text: string): HelpEntry {
  return { kind: 'code', name, text }
}

function helpSections(profilerPath: string, prefix: SettingPrefix): readonly HelpSection[] {
  // The routes of other frameworks are only known where they run.
  const at = prefix === 'APP_' ? '' : ' --at <address>'
  return [
    {
      title: 'Keyboard',
      entries: [
        key('Ctrl K', 'Every page: go to a page, route, exception or profile.'),
        key('/ ?', 'Every page: search, and this page.'),
        key('J K', 'List: move down and up. Enter opens the row.'),
        key('X C', 'List: select the row, and compare two of them.'),
        key('P', 'Lists: pause live updates, and go on.'),
        key('[ ]', 'Profile: the previous and the next one of its list.'),
        key('+ \u2212 0 \u2190 \u2192', 'Timeline: zoom in and out, show the whole request, move.'),
        key('Enter Esc', 'Flame graph: zoom to the selected function, and show everything.'),
      ],
    },
    {
      title: 'Search and filters',
      text: 'The address carries the filters, so you can bookmark and share it.',
      entries: [
        link(
          '?search=error',
          'Search',
          'Part of a URL, exception, log line, request body, dump, query or outgoing request. A token opens its profile.',
        ),
        link('?status=5xx', 'Failed', 'Status 5xx. 404 and 0, for no response, work as well.'),
        link('?type=command', 'Commands', 'What ran without a request. Also ?type=job and ?type=task.'),
      ],
    },
    {
      title: 'Findings',
      text: 'Marked in the list.',
      entries: Object.entries(findings).map(([name, [label, , meaning]]) => link(`?finding=${name}`, label, meaning)),
    },
    {
      title: 'Recorded when asked',
      text: 'For clients that may open profiles. The panels CPU and Memory have a button for GET requests.',
      entries: [
        code(
          `curl -H 'X-Fanlight-Profile: cpu' <url>`,
          'Which functions used the CPU time; with memory, which allocated.',
        ),
        code(
          'fanlight profiles sign --path /orders',
          `The header that records one path for 10 minutes, with ${prefix}RECORD=on-demand and ${prefix}RECORD_SECRET.`,
        ),
      ],
    },
    {
      title: 'Command line and scripts',
      entries: [
        code('fanlight profiles --help', 'Lists, shows, compares, replays and exports profiles.'),
        code(`fanlight match${at} /some/path`, 'Which route takes a path, and why the others do not.'),
        link('latest.md', `${profilerPath}/latest.md`, 'For scripts and agents: every page has this form, and .json.'),
      ],
    },
  ]
}

function content(sections: readonly HelpSection[], profilerPath: string): SafeHtml {
  return html`<figure class="help-glyph card">
      ${timeGlyph({ ownMs: 34, loopMs: 16, waitMs: 50 })}
      <figcaption>
        <p>The half-circle shows where the time of a request went:</p>
        <ul>
          <li class="share-own"><b>Own code</b> Your code was running.</li>
          <li class="share-loop">
            <b>Waiting for the event loop</b> Other code ran, and the request may have been ready.
          </li>
          <li class="share-io"><b>Waiting for I/O</b> Network, files, timers, the client.</li>
        </ul>
        <p>The bar in the list is the duration, 1 ms to 10 s, ten times as much each quarter; its front is own code.</p>
      </figcaption>
    </figure>
    <div class="help">
      ${sections.map(
        ({ title, text, entries }) =>
          html`<section>
            <h2>${title}</h2>
            ${text === undefined ? null : html`<p class="muted">${text}</p>`}
            <dl>
              ${entries.map(
                (entry) =>
                  html`<dt>${nameOf(entry, profilerPath)}</dt>
                    <dd>${entry.text}</dd>`,
              )}
            </dl>
          </section>`,
      )}
    </div>`
}

function nameOf({ kind, name, path }: HelpEntry, profilerPath: string): SafeHtml | readonly SafeHtml[] {
  if (kind === 'link') return html`<a href="${profilerPath}/${path}">${name}</a>`
  return kind === 'key' ? name.split(' ').map((one) => html`<kbd>${one}</kbd> `) : html`<code>${name}</code>`
}

function sectionText({ title, text, entries }: HelpSection, profilerPath: string): string {
  const lines = entries.map((entry) => {
    const name =
      entry.kind === 'link' && !entry.name.startsWith('/')
        ? `${entry.name} (${profilerPath}/${entry.path})`
        : entry.name
    return `- \`${name}\`: ${entry.text}`
  })
  return `## ${title}\n\n${text === undefined ? '' : `${text}\n\n`}${lines.join('\n')}\n`
}

const helpStyles: SafeHtml = styleSheet(`
.help { columns: 2 26rem; column-gap: var(--space-8) }
.help section { break-inside: avoid; padding-bottom: var(--space-6) }
.help h2 { margin: 0 0 var(--space-2) }
.help dl { display: grid; grid-template-columns: minmax(8rem, auto) minmax(0, 1fr); margin-top: var(--space-2) }
.help :is(dt, dd) { padding: var(--space-1) var(--space-3) var(--space-1) 0; border-top: 1px solid var(--line); min-height: 1.75rem }
.help dt:has(code) { grid-column: 1 / -1; padding-bottom: 0 }
.help dt:has(code) + dd { grid-column: 1 / -1; border: 0; padding-top: 0; color: var(--muted) }
.help kbd { display: inline-block; min-width: 1.75em; padding: 0 .4em; border: 1px solid var(--line-strong); border-radius: 4px; background: var(--surface); text-align: center }
.help-glyph { display: flex; flex-wrap: wrap; gap: var(--space-4) var(--space-8); align-items: center; margin: var(--space-4) 0 var(--space-6); padding: var(--space-4) var(--space-6) }
.help-glyph .time-glyph { width: 10rem }
.help-glyph .time-glyph .share-io { stroke-width: .5 }
.help-glyph li { position: relative; padding: .1rem 0 .1rem 1.3rem }
.help-glyph li::before { content: ""; position: absolute; left: 0; top: .5em; width: .7em; height: .7em; border: 1.5px solid var(--bar); background: var(--bar) }
.help-glyph .share-io::before { background: none }
`)
