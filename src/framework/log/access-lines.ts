// Lines about who may open profiles.

import type { LogLine } from './logger.ts'

/** The application's own question who may open profiles failed, which refuses. */
export function accessQuestionFailed(facts: { errorClass: string; message: string }): LogLine {
  return {
    level: 'error',
    channel: 'profiler',
    message: 'The access option of the application failed, so nobody is let in: {error_class}: "{message}".',
    context: { error_class: facts.errorClass, message: facts.message },
  }
}
