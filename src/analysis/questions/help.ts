// Keys, filters, headers and commands. Pages are in the bar.

import { heading, offPage, type Blocks, type Fact } from '../../observe/blocks/blocks.ts'
import { findings } from '../../observe/profile.ts'
import type { SettingPrefix } from '../../http/config/variable.ts'
import { question, type Question } from '../../pages/question.ts'

interface HelpSection {
  readonly title: string
  /** What its names are. Default: words. */
  readonly as?: 'keys' | 'code'
  /** Keys to press, a name, or text to type, and what it does. */
  readonly entries: readonly HelpEntry[]
}

interface HelpEntry {
  readonly name: string
  readonly text: string
  /** Filters of the list that show it. Default: nothing to show. */
  readonly filters?: Readonly<Record<string, string>>
}

export const help: Question = question({
  name: 'help',
  label: 'Help',
  title: () => 'Help',
  about: 'list keys, filters, headers and commands',
  parameters: {},
  ask: async (_, { settingPrefix = 'APP_' }) => ({ sections: sectionsOf(settingPrefix) }),
  draw: ({ sections }) => [{ kind: 'columns', parts: sections.map(sectionBlocks) }],
})

function sectionBlocks({ title, as, entries }: HelpSection): Blocks {
  const rows = entries.map(({ name, text: does, filters }): Fact => {
    if (filters === undefined) return [as === 'keys' ? { keys: name } : as === 'code' ? { code: name } : name, does]
    const query = new URLSearchParams(filters).toString()
    return [{ page: '', with: filters, text: name }, [does, offPage({ code: `?${query}` })]]
  })
  return [heading(title), { kind: 'facts', name: title, isProse: true, rows }]
}

function sectionsOf(prefix: SettingPrefix): readonly HelpSection[] {
  // The routes of other frameworks are only known where they run.
  const at = prefix === 'APP_' ? '' : ' --at <address>'
  return [
    {
      title: 'Keyboard',
      as: 'keys',
      entries: [
        { name: 'Ctrl K', text: 'Every page: go to a page, route, exception or profile.' },
        { name: '/ ?', text: 'Every page: search, and this page.' },
        { name: 'J K', text: 'List: move down and up. Enter opens the row.' },
        { name: 'X C', text: 'List: select the row, and compare two of them.' },
        { name: 'P', text: 'Lists: pause live updates, and go on.' },
        { name: '[ ]', text: 'Profile: the previous and the next one of its list.' },
        { name: '+ \u2212 0 \u2190 \u2192', text: 'Timeline: zoom in and out, show the whole request, move.' },
        { name: 'Enter Esc', text: 'Flame graph: zoom to the selected function, and show everything.' },
      ],
    },
    {
      title: 'Search',
      entries: [
        {
          name: 'Search',
          text: 'Part of a URL, exception, log line, body, dump, query or outgoing request. A token opens its profile.',
          filters: { search: 'error' },
        },
        {
          name: 'Failed',
          text: 'Status 5xx. Also status=404, and status=0: no response was sent.',
          filters: { status: '5xx' },
        },
        { name: 'Commands', text: 'Without a request. Also type=job and type=task.', filters: { type: 'command' } },
      ],
    },
    {
      title: 'Findings',
      entries: Object.entries(findings).map(([finding, [name, , meaning]]) => {
        return { name, text: meaning, filters: { finding } }
      }),
    },
    {
      title: 'Command line and scripts',
      as: 'code',
      entries: [
        { name: 'fanlight profiles --help', text: 'Lists, shows, compares, replays and exports profiles.' },
        { name: `fanlight match${at} /some/path`, text: 'Which route takes a path, and why the others do not.' },
        { name: 'latest.md', text: 'For scripts and agents: every page has this form, and .json.' },
      ],
    },
    {
      title: 'Recorded when asked',
      as: 'code',
      entries: [
        {
          name: `curl -H 'X-Fanlight-Profile: cpu' <url>`,
          text: 'Which functions used the CPU. With memory in place of cpu: which functions allocated memory. The panels have a button for each.',
        },
        {
          name: 'fanlight profiles sign --path /orders',
          text: `The header that records one path for 10 minutes, with ${prefix}RECORD=on-demand and ${prefix}RECORD_SECRET.`,
        },
      ],
    },
    {
      title: 'Drawings',
      entries: [
        {
          name: 'Bar',
          text: 'In the list: the duration, from 1 ms to 10 s, ten times as long each quarter. Its front is own code.',
        },
        {
          name: 'Half-circle',
          text: 'In a profile: where the time went. Own code, green; waiting for other code, red; waiting for I/O, grey.',
        },
      ],
    },
  ]
}
