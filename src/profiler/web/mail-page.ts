// `/_profiler/<token>/mail/<mail>`: the HTML of one mail, for the frame of its panel.

import * as v from 'valibot'
import { readPartAs } from '../stored-data.ts'
import { fromStore, type ProfilerPage } from './profiler-page.ts'
import { profilerForeignMarkup } from './profiler-reply.ts'

const stored = v.object({
  entries: v.array(v.object({ html: v.fallback(v.nullable(v.object({ source: v.nullable(v.string()) })), null) })),
})

/** For a mail without HTML: the page of a missing profile. */
export const mailPage: ProfilerPage = async ({ request }, { options, missing }) => {
  const profile = await fromStore(async () => options.profiles.read(String(request.params['token'] ?? '')))
  const part = profile === undefined ? undefined : readPartAs(profile, 'mail', stored)
  const mail = part?.state === 'there' ? part.data.entries[Number(request.params['mail'])] : undefined
  const source = mail?.html?.source ?? null
  return source === null ? missing : profilerForeignMarkup(`${opening}${withoutLinks(source)}`)
}

/** Links ask for a new window, which the sandbox refuses: they lead nowhere. */
const opening = '<!doctype html><base target="_blank">'

/** A policy does not keep every browser from connecting to what a `<link rel="preconnect">` names. */
function withoutLinks(markup: string): string {
  return markup.replace(/<link/gi, '<x-link')
}
