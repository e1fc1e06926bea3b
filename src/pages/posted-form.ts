// Pages that take a form, and what they say of one that they cannot use.

import { note } from '../base/html/components.ts'
import { isHttpError } from '../base/http/http-error.ts'
import type { Reply } from '../base/http/reply.ts'
import type { HttpRequest } from '../base/http/request.ts'
import { codeSpan } from '../base/markdown-text.ts'
import type { PageAnswer } from './profiler-page.ts'

/** `answer` gets the first field of a name, and gives a sentence for what it cannot use. */
export async function answerForm(
  { body }: HttpRequest,
  title: string,
  answer: (field: (name: string) => string) => Promise<Reply | string>,
): Promise<Reply | PageAnswer> {
  const form = await body.form().catch((error: unknown) => {
    if (isHttpError(error)) return error.message
    throw error
  })
  const answered = typeof form === 'string' ? form : await answer((name) => form.get(name)?.[0] ?? '')
  return typeof answered === 'string' ? problemAnswer(400, title, answered) : answered
}

export function problemAnswer(status: number, title: string, problem: string): PageAnswer {
  return {
    status,
    html: () => ({ title, tone: 'warning', content: note(problem) }),
    json: () => ({ error: problem }),
    markdown: () => `${codeSpan(problem)}\n`,
  }
}
