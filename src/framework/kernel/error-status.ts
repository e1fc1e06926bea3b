// Which status a thrown value means to the client.

import { isHttpError } from '../http/http-error.ts'

/** `statusCode` of an HTTP error, or of any error that carries a 4xx or 5xx under `statusCode` or `status`; else 500. Never throws. */
export function errorStatus(thrown: unknown): number {
  try {
    if (isHttpError(thrown) && isErrorStatus(thrown.statusCode)) return thrown.statusCode
    if (typeof thrown !== 'object' || thrown === null) return 500
    const { statusCode, status } = thrown as { statusCode?: unknown; status?: unknown }
    if (isErrorStatus(statusCode)) return statusCode
    return isErrorStatus(status) ? status : 500
  } catch {
    return 500
  }
}

function isErrorStatus(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 400 && value <= 599
}
