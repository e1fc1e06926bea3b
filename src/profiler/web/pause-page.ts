// `POST /_profiler/recording`: pauses recording or starts it again, for every process that shares the store; and what pages say about it.

import { note } from '../../framework/html/components.ts'
import { html, type SafeHtml } from '../../framework/html/html.ts'
import { pauseSentence } from '../query/profile-facts.ts'
import { pauseNow } from '../recording-pause.ts'
import { isHttpError } from '../../framework/http/http-error.ts'
import { fromStore, type PageAnswer, type ProfilerPage, type RecordingSwitch } from './profiler-page.ts'
import { profilerRedirect } from './profiler-reply.ts'

/** `paused=yes` or `paused=no`. Leads back to the status. */
export const pausePage: ProfilerPage = async ({ request }, { options, missing }) => {
  const { recording, profilerPath } = options
  if (recording === undefined) return missing
  let wanted: string | undefined
  try {
    wanted = (await request.body.form()).get('paused')?.[0]
  } catch (error) {
    if (!isHttpError(error)) throw error
    return refused(error.message)
  }
  if (wanted !== 'yes' && wanted !== 'no') return refused('Send the field `paused`: yes or no.')
  await fromStore(async () => recording.set(wanted === 'yes' ? pauseNow() : null))
  return profilerRedirect(`${profilerPath}/status`)
}

function refused(error: string): PageAnswer {
  return {
    status: 400,
    html: () => ({ title: 'Recording', tone: 'warning', content: note(error) }),
    json: () => ({ error }),
    markdown: () => `${error}\n`,
  }
}

/** At the top of every page while recording is paused. */
export function pauseNotice(recording: RecordingSwitch | undefined, profilerPath: string): SafeHtml | null {
  if (recording === undefined || recording.pause === null) return null
  return html`<div class="note tone-warning row">
    <span>${pauseSentence(recording.pause)}</span> ${form('no', 'Resume recording', profilerPath)}
  </div>`
}

/** On the status page; while recording is paused the notice has the other one. */
export function pauseButton(recording: RecordingSwitch | undefined, profilerPath: string): SafeHtml | null {
  if (recording === undefined || recording.pause !== null) return null
  return html`<div class="row screen-only pause">${form('yes', 'Pause recording', profilerPath)}</div>`
}

/** The form of the notice or of the button: a page has one of them. */
export const recordingFormId = 'recording'

function form(paused: 'yes' | 'no', label: string, profilerPath: string): SafeHtml {
  return html`<form id="${recordingFormId}" class="screen-only" method="post" action="${profilerPath}/recording">
    <button class="button" name="paused" value="${paused}">${label}</button>
  </form>`
}
