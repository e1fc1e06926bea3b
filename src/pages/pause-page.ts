// `POST /_profiler/recording`: pauses recording or starts it again, for every process that shares the store; and what pages say about it.

import { html, type SafeHtml } from '../base/html/html.ts'
import { pauseSentence } from '../profiles/profile-facts.ts'
import { pauseNow } from '../profiles/set-by-people.ts'
import { profilerRedirect } from './profiler-reply.ts'
import { answerForm } from './posted-form.ts'
import { fromStore, type ProfilerPage, type RecordingSwitch } from './profiler-page.ts'

/** `paused=yes` or `paused=no`. Leads back to the page that `back` names, or to the list. */
export const pausePage: ProfilerPage = async ({ request }, { options, missing }) => {
  const { recording, profilerPath } = options
  if (recording === undefined) return missing
  return answerForm(request, 'Recording', async (field) => {
    const [wanted, back] = [field('paused'), field('back')]
    if (wanted !== 'yes' && wanted !== 'no') return 'Send the field `paused`: yes or no.'
    await fromStore(async () => recording.set(wanted === 'yes' ? pauseNow() : null))
    return profilerRedirect(isAddressBelow(profilerPath, back) ? back : `${profilerPath}/`)
  })
}

/** Pages of the profiler only, and nothing that a header could not hold. */
function isAddressBelow(profilerPath: string, address: string): boolean {
  return address.startsWith(`${profilerPath}/`) && /^[!-~]{1,2000}$/.test(address) && !address.includes('\\')
}

/** At the top of every page while recording is paused. */
export function pauseNotice(recording: RecordingSwitch | undefined): SafeHtml | null {
  if (recording === undefined || recording.pause === null) return null
  return html`<p class="note tone-warning">${pauseSentence(recording.pause)}</p>`
}

/** The form in the bar of every page. A script says where it leads back to: no page repeats its address. */
export function recordingButton(recording: RecordingSwitch | undefined, profilerPath: string): SafeHtml | null {
  if (recording === undefined) return null
  const [state, paused, tone, does] =
    recording.pause === null
      ? ['Recording', 'yes', 'success', 'Pause recording']
      : ['Paused', 'no', 'warning', 'Resume recording']
  return html`<form
    class="recording screen-only"
    id="${recordingFormId}"
    method="post"
    action="${profilerPath}/recording"
  >
    <input type="hidden" name="back" />
    <button class="button tone-${tone}" name="paused" value="${paused}" title="${does}" aria-label="${state}: ${does}">
      ${state}
    </button>
  </form>`
}

/** For a button outside of the form. */
export const recordingFormId = 'recording'
