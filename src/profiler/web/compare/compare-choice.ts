// Asks for the other side of a comparison: by its token, as the median, or one of the newest profiles.

import { formatDuration, formatTime } from '../../../framework/html/components.ts'
import { html, type SafeHtml } from '../../../framework/html/html.ts'
import { cutText } from '../../../errors/page/page-budget.ts'
import { tokenPattern, type ProfileSummary } from '../../profile.ts'
import { requestLine, statusMark } from '../../query/profile-facts.ts'

/** What the form offers. */
export interface CompareChoice {
  /** The token that is known; empty for none. */
  readonly a: string
  /** Whether it has a route, and so a median. */
  readonly hasRoute: boolean
  readonly others: readonly ProfileSummary[]
  readonly profilerPath: string
}

/** Works without a script; each offer is a link to the comparison. */
export function compareChoice({ a, hasRoute, others, profilerPath }: CompareChoice): SafeHtml {
  const isToken = tokenPattern.test(a)
  return html`<form class="compare-form" action="${profilerPath}/compare">
      <p class="muted">
        Two tokens name two profiles. Tick two rows of <a href="${profilerPath}/">the list</a>, or write tokens here; in
        place of the second, <code>median</code> stands for the other profiles of the same route. To compare all that
        the application did before and after a change, <a href="${profilerPath}/compare-runs">compare two runs</a>.
      </p>
      <label
        >Token of A <input class="field mono" name="a" value="${a.slice(0, 40)}" required autocomplete="off"
      /></label>
      <label>Token of B, or median <input class="field mono" name="b" required autocomplete="off" /></label>
      <p class="row">
        <button class="button">Compare</button>
        ${isToken && hasRoute ? html`<a class="button" href="${profilerPath}/compare?a=${a}&b=median">With the median of its route</a>` : null}
      </p>
    </form>
    ${
      others.length > 0
        ? html`<h2>${offerTitle(isToken, hasRoute)}</h2>
            <ul class="compare-others">
              ${others.map(
                (other) =>
                  html`<li>
                    <a class="mono" href="${profilerPath}/compare?${isToken ? `a=${a}&b=` : 'a='}${other.token}"
                      >${cutText(requestLine(other), 200)}</a
                    >
                    <span class="muted small"
                      >${statusMark(other)}, ${formatDuration(other.durationMs)}, ${formatTime(other.time)} UTC</span
                    >
                  </li> `,
              )}
            </ul>`
        : null
    }`
}

function offerTitle(isToken: boolean, hasRoute: boolean): string {
  if (!isToken) return 'Begin with one of the newest'
  return hasRoute ? 'With another one of its route' : 'With another one'
}
