// `POST /_profiler/errors`: sets the state of an error by hand, for every process that shares the store; and the form that does.

import { html, type SafeHtml } from '../base/html/html.ts'
import { errorStates, markNow } from '../profiles/known-errors/error-marks.ts'
import type { FoundErrors } from './questions/errors.ts'
import { textField } from './form-parts.ts'
import { answerForm } from './posted-form.ts'
import { fromStore, type PageTools, type ProfilerPage } from './profiler-page.ts'
import { profilerRedirect } from './profiler-reply.ts'

/** `id`, `state` and `comment`. Leads back to the error. */
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
