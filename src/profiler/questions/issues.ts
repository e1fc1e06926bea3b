// Which errors are open, fixed or back, over the versions of the application.

import { formatClock, formatCount, type Tone } from '../../framework/html/components.ts'
import { cutText } from '../../framework/redact/cut-text.ts'
import { detail, empty, recorded, text, wideTable, type Line, type PageLink, type Table } from '../blocks/blocks.ts'
import { isOfBrowsers, issuesScope, issueStates, placeText, readIssues, stateReason } from '../issues/issues.ts'
import type { Issue, IssueState } from '../issues/issues.ts'
import { browserMethod } from '../profile.ts'
import { noneReachable } from '../query/missing-parts.ts'
import { isNarrowing, oneOf, question, type Question } from './question.ts'

const tones: Readonly<Record<IssueState, Tone>> = { regressed: 'error', open: 'warning', fixed: 'success' }

export const issues: Question = question({
  name: 'issues',
  label: 'Errors',
  title: () => 'Issues',
  command: 'issues',
  about: 'list errors as open, fixed or regressed, by the versions of the application',
  isFiltered: true,
  parameters: {
    state: oneOf(issueStates, undefined, {
      label: 'State',
      help: `only ${issueStates.join(', ')} (default: all)`,
      buttons: { '': 'All', regressed: 'Regressed', open: 'Open', fixed: 'Fixed' },
    }),
  },
  listed: { issues: {} },
  links: () => [{ page: 'groups', with: { by: 'error' }, text: 'Durations by error' }],
  ask: async ({ profiles }, { filter, values: { state } }) => readIssues(profiles, { filter, state }),
  draw: (found, asked) => {
    if (found.issues.length === 0) {
      if (found.missing !== undefined) return [empty(noneReachable)]
      return [
        empty(
          isNarrowing(asked.filter) || asked.values.state !== undefined ? 'No issue matches.' : 'No errors recorded.',
        ),
      ]
    }
    const hasServices = new Set(found.issues.map(({ service }) => service)).size > 1
    const hasVersions = found.issues.some(({ lastVersion }) => lastVersion !== null)
    const { settingPrefix } = asked
    return [
      text([
        issuesScope(found),
        ...(hasVersions || settingPrefix === undefined
          ? []
          : ['Set', { code: `${settingPrefix}VERSION` }, 'to see which are fixed.']),
      ]),
      wideTable(
        'Issues, the newest of each state first',
        'issue',
        ['Error', 'State', { number: 'Count' }, 'First seen (UTC)', 'Last seen (UTC)'],
        found.issues.map((issue) => rowOf(issue, hasServices)),
      ),
    ]
  },
})

function rowOf(issue: Issue, hasServices: boolean): Table['rows'][number] {
  const { state, count, firstTime, firstVersion, lastTime, lastVersion, lastToken } = issue
  return {
    tone: tones[state],
    cells: [
      nameCell(issue, hasServices),
      { mark: state, tone: tones[state] },
      formatCount(count),
      [formatClock(firstTime), detail('version', recorded(firstVersion))],
      [{ profile: lastToken, text: formatClock(lastTime) }, detail('version', recorded(lastVersion))],
    ],
  }
}

function nameCell(issue: Issue, hasServices: boolean): Line {
  const { name, service, lastMessage, places, families } = issue
  const counted = {
    ...(isOfBrowsers(places) && { method: browserMethod }),
    ...(service !== null && { service }),
  }
  const link = (family: string, shown: string): PageLink => ({ page: '', with: { family, ...counted }, text: shown })
  const [first = '', ...others] = families
  const where = [...(hasServices ? [`service ${service ?? 'without a name'}`] : []), ...places.map(placeText)]
  const isSaid = lastMessage === null || name.endsWith(`: ${lastMessage}`)
  return [
    link(first, cutText(name, 300)),
    detail('message', isSaid ? null : recorded(cutText(lastMessage, 300))),
    detail('in', recorded(cutText(where.join(' · '), 1000))),
    detail(
      'also',
      others.map((other) => link(other, cutText(other, 200))),
    ),
    detail('since', recorded(stateReason(issue))),
  ]
}
