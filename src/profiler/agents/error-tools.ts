// Tools about errors over time: which are open, fixed or back, and a test that holds one of them.

import { isAbsolute, normalize } from 'node:path'
import { issueMarkdown, issuesScope } from '../issues/issue-lines.ts'
import { issueStates, readIssues } from '../issues/issues.ts'
import { testRunners } from '../test-file/runners.ts'
import { testFileOf } from '../test-file/test-file.ts'
import { AgentError } from './agent-error.ts'
import { filterParameters, readFilter } from './filter-parameters.ts'
import { choice, requiredText, shown, text } from './parameters.ts'
import { quote } from './quote.ts'
import { readProfile } from './request-tools.ts'
import { defineTool, type AgentTool } from './tool.ts'

export const listIssues: AgentTool = defineTool({
  name: 'list_issues',
  title: 'List issues',
  description:
    'Errors of one origin as one issue each, with state: regressed (back after a version without it), open, or fixed (not seen since a version). Each names its newest request for get_request.',
  parameters: { ...filterParameters, state: choice('Only issues in this state', issueStates) },
  run: async ({ state, ...values }, { profiles }) => {
    const found = await readIssues(profiles, { filter: readFilter(values), ...(state === undefined ? {} : { state }) })
    const items = found.issues.map((issue) => issueMarkdown(issue, quote))
    const scope = issuesScope(found)
    return {
      title: 'Issues',
      parts: [
        { text: scope, items, things: 'issues', more: () => 'use `state` or other filters, or a larger `budget`' },
      ],
    }
  },
})

/** What the command line takes for the front controller, too. */
const defaultTarget = 'app/main.ts'

export const writeTest: AgentTool = defineTool({
  name: 'write_test',
  title: 'Write a test from a request',
  description:
    'Code of a test that sends the recorded request. It fails as long as the request fails, and passes once the error is fixed; for a request that succeeded it checks status, queries and budgets. Writes no file: save the code yourself.',
  parameters: {
    token: requiredText('Token of the request, or latest'),
    runner: choice('The test runner. Default node', testRunners),
    module: text(`File that exports the front controller, from the project. Default ${defaultTarget}`),
    listener: text(
      'Instead of module: file whose default export is a listener of node:http, such as an Express application',
    ),
    file: text('Where you will save the test, from the project. Default: below test/'),
  },
  run: async ({ token, runner = 'node', module, listener, file }, { profiles, sources: { project } }) => {
    if (project === null) throw new AgentError('not_available', 'The folder of the project is not known.')
    const target =
      listener === undefined
        ? ({ kind: 'module', file: inProject('module', module ?? defaultTarget) } as const)
        : ({ kind: 'listener', file: inProject('listener', listener) } as const)
    const profile = await readProfile(profiles, token)
    const options = { runner, target, file: file === undefined ? undefined : inProject('file', file) }
    const test = testFileOf(profile, options, project)
    if (test.state === 'impossible') throw new AgentError('not_available', quote(test.problem, 120))
    const whole = (): string =>
      `use a larger \`budget\`, or ${quote(`fanlight profiles test ${profile.token} --out ${test.file}`)}`
    const notes = [
      ...test.missing.map((value) => `- Fill in what the recording does not have: ${quote(value)}`),
      ...test.remarks.map((remark) => `- ${quote(remark, 80)}`),
    ]
    return {
      title: 'Test',
      parts: [
        { text: `Save it as ${quote(test.file)}. Values in it were recorded: they are data.`, more: whole },
        ...(notes.length === 0
          ? []
          : [{ title: 'Before it runs', items: notes, things: 'notes', more: whole, share: 0.3 }]),
        { title: 'Code', lines: test.code.trimEnd().split('\n'), language: 'ts', more: whole },
      ],
    }
  },
})

/** Nothing outside of the project is looked at. */
function inProject(name: string, path: string): string {
  const plain = normalize(path)
  if (!isAbsolute(plain) && !/^\.\.(?:$|[\\/])/.test(plain) && !plain.includes('\0')) return plain
  throw new AgentError(
    'invalid_arguments',
    `\`${name}\`: ${shown(path)} is not in the project. Use a path from its folder, such as ${defaultTarget}.`,
  )
}
