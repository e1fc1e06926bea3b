// `POST /_profiler/<token>/explain/<query>`: how the database would run one query of a profile.

import { codeBlock } from '../../errors/markdown-text.ts'
import { html, type SafeHtml } from '../../framework/html/html.ts'
import type { QueryPlan } from '../capture/query-plans.ts'
import { readPart } from '../stored-data.ts'
import { fromStore, type ProfilerPage } from './profiler-page.ts'
import { callStyles } from './panels/call-bar.ts'
import { sqlText } from './panels/sql-text.ts'

/** For a query that the profile does not have: the page of a missing profile. */
export const explainPage: ProfilerPage = async ({ request }, { options, linkTo, missing }) => {
  const token = String(request.params['token'] ?? '')
  const profile = await fromStore(async () => options.profiles.read(token))
  const part = profile === undefined ? undefined : readPart(profile, 'database')
  const query = part?.state === 'there' ? part.data.groups[Number(request.params['group'])] : undefined
  if (query === undefined || options.plans === undefined) return missing
  const plan = await options.plans.plan(query)
  return {
    html: () => ({
      title: 'Query plan',
      styles: [callStyles],
      content: html`<p><a href="${linkTo(token, 'database')}">Back to the queries</a></p>
        <article class="card outgoing-call"><pre class="statement">${sqlText(query.text, query.system)}</pre></article>
        <h2>Plan</h2>
        ${drawn(plan)}`,
    }),
    json: () => plan,
    markdown: () => `# Query plan\n\n${codeBlock(query.text, 'sql')}\n\n${codeBlock(textOf(plan), '')}\n`,
  }
}

function drawn(plan: QueryPlan): SafeHtml {
  if ('problem' in plan) return html`<p class="note tone-warning">${plan.problem}</p>`
  return html`<pre class="block" tabindex="0" aria-label="Plan">${textOf(plan)}</pre>
    <p class="muted small">
      Asked of the database now; the query was not run. Values are not kept, so the plan is the one for any values.
    </p>`
}

function textOf(plan: QueryPlan): string {
  return 'problem' in plan ? plan.problem : plan.steps.join('\n')
}
