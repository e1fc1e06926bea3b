// What people can do on the pages of questions: set the state of an error, and look for routes that were not added. Also the rows of
// databases that `fanlight mcp` asks for.

import { html, type SafeHtml } from '../../base/html/html.ts'
import { codeSpan } from '../../base/markdown-text.ts'
import { toSections } from '../../observe/blocks/sections.ts'
import { errorStates, markNow } from '../../profiles/set-by-people.ts'
import type { FoundErrors } from '../questions/errors.ts'
import { blockStyles, drawBlocks, wideStyles } from '../../pages/draw-blocks.ts'
import { textField } from '../../pages/form-parts.ts'
import { profilerRedirect, profilerJson } from '../../pages/profiler-reply.ts'
import { answerForm } from '../../pages/posted-form.ts'
import { fromStore, type PageTools, type ProfilerPage } from '../../pages/profiler-page.ts'
import { sectionsMarkdown } from '../../pages/question-page.ts'

/** `POST /_profiler/errors`: sets the state of an error for every process that shares the store, by `id`, `state` and `comment`. Leads back to the error. */
export const errorStatePage: ProfilerPage = async ({ request }, { options, missing }) => {
  const { errorMarks, profilerPath } = options
  if (errorMarks === undefined) return missing
  return answerForm(request, 'Error', async (field) => {
    const [id, given] = [field('id'), field('state')]
    const state = errorStates.find((one) => one === given)
    if (state === undefined || !/^[0-9a-f]{12}$/.test(id))
      return 'Send the fields `id`, of an error, and `state`: open, resolved or ignored.'
    await fromStore(async () => errorMarks.add(id, markNow(state, field('comment'))))
    return profilerRedirect(`${profilerPath}/errors?id=${id}`)
  })
}

/** Of one error; nothing for the list. */
export function errorStateForm(
  found: FoundErrors,
  { options: { errorMarks, profilerPath } }: PageTools,
): SafeHtml | null {
  const [error] = found.errors
  if (errorMarks === undefined || found.requests === undefined || error === undefined) return null
  const does = { open: 'Reopen', resolved: 'Resolve', ignored: 'Ignore' } as const
  return html`<form class="row question-form screen-only" method="post" action="${profilerPath}/errors">
    <input type="hidden" name="id" value="${error.id}" />
    ${textField({ name: 'comment', label: 'Comment', value: '', hint: 'fixed by the new price list', className: 'wide' })}
    ${errorStates
      .filter((state) => state !== error.state)
      .map((state) => html`<button class="button" name="state" value="${state}">${does[state]}</button> `)}
  </form>`
}

/** Nothing where the application cannot be started. */
export function skippedForm({ options: { askSkipped, profilerPath } }: PageTools): SafeHtml | null {
  if (askSkipped === undefined) return null
  return html`<form class="row screen-only" method="post" action="${profilerPath}/routes">
    <button class="button">Look for routes that were not added</button>
    <span class="muted small">Starts the application once more, in a process that does not listen.</span>
  </form>`
}

/** `POST /_profiler/routes`: starts the application once more, for routes that it does not add. Not there where it cannot be started. */
export const skippedPage: ProfilerPage = async (_, { options: { askSkipped, editor }, linkTo, missing }) => {
  if (askSkipped === undefined) return missing
  const blocks = await askSkipped()
  const title = 'Routes that were not added'
  return {
    html: () => ({ title, content: drawBlocks(blocks, 'call', { linkTo, editor }), styles: [blockStyles, wideStyles] }),
    json: () => ({ skipped: toSections(blocks, (said) => said) }),
    markdown: () => sectionsMarkdown(title, toSections(blocks, codeSpan)),
  }
}

export const rowsPage: ProfilerPage = async ({ request }, { options: { readDatabase }, missing }) => {
  if (readDatabase === undefined) return missing
  return answerForm(request, 'Rows', async (field) => {
    const [sql, database, limit] = [field('sql'), field('database') || undefined, Number(field('limit')) || undefined]
    return profilerJson(200, await readDatabase({ sql, database, limit }))
  })
}
