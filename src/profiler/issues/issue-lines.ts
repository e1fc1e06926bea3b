// What is said of issues in words: on the page, in Markdown and on the command line.

import { codeSpan } from '../../errors/markdown-text.ts'
import { counted } from '../../framework/html/components.ts'
import { isoTime } from '../query/profile-facts.ts'
import type { Issue, IssuePlace, Issues } from './issues.ts'

/** Why an issue has its state: `Not seen since 2.1.0, in 14 requests that went well.`; `null` if there is nothing to say. */
export function stateReason({ state, without, lastWell, places }: Issue): string | null {
  if (without !== null) {
    const what = isOfBrowsers(places)
      ? 'page view'
      : places.every(({ command }) => command !== null)
        ? 'run'
        : 'request'
    const number = counted(without.requests, what)
    return state === 'fixed'
      ? `Not seen since ${without.version}, in ${number} that went well.`
      : `Seen again after ${without.version}, in which ${number} went well.`
  }
  return lastWell === null ? null : `It went well after that, last at ${isoTime(lastWell)}.`
}

/** Whether all of them happened in browsers: their profiles are listed by the method of such reports. */
export function isOfBrowsers(places: readonly IssuePlace[]): boolean {
  return places.every(({ isBrowser }) => isBrowser)
}

/** `route order_list`, `command import-prices`, `job mail/welcome`, `no route`, `route home, in a browser`. */
export function placeText({ route, command, runType, isBrowser }: IssuePlace): string {
  if (command !== null) return `${runType ?? 'command'} ${command}`
  return `${route === null ? 'no route' : `route ${route}`}${isBrowser ? ', in a browser' : ''}`
}

/** `2.0.0`, `2.0.0 to 2.1.0`; `null` if no version is named. */
function versionsText({ firstVersion, lastVersion }: Issue): string | null {
  if (firstVersion === null || firstVersion === lastVersion) return lastVersion
  return `${firstVersion} to ${lastVersion}`
}

/** What was looked at: `3 issues in all 120 profiles.` */
export function issuesScope({ issues, omitted, count, isCut }: Issues): string {
  const hidden = omitted === 0 ? '' : `, the first ${issues.length} of which are shown`
  const looked = `${isCut ? 'the newest' : 'all'} ${counted(count, 'profile')}`
  return `${counted(issues.length + omitted, 'issue')} in ${looked}${isCut ? ' (older ones were not looked at)' : ''}${hidden}.`
}

/** One item of a list. What was recorded is in code spans, which `quote` makes. */
export function issueMarkdown(issue: Issue, quote: (text: string) => string = codeSpan): string {
  const { service, name, state, count, firstTime, lastTime, lastToken, lastMessage, places } = issue
  const versions = versionsText(issue)
  const reason = stateReason(issue)
  const facts = [
    `**${state}** ${quote(name)}`,
    counted(count, 'time'),
    `first ${isoTime(firstTime)}`,
    `last ${isoTime(lastTime)} ${quote(lastToken)}`,
    ...(service === null ? [] : [`service ${quote(service)}`]),
    ...(versions === null ? [] : [`versions ${quote(versions)}`]),
    ...places.map((place) => quote(placeText(place))),
    ...(lastMessage === null || lastMessage === '' ? [] : [`message ${quote(lastMessage)}`]),
    ...(reason === null ? [] : [quote(reason)]),
  ]
  return `- ${facts.join(' · ')}`
}
