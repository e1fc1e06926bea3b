// Reads the fields of form bodies; files are refused.

import { clientError, HttpError } from './http-error.ts'
import type { MediaType } from './media-type.ts'
import { parseQuery, type QueryFields } from './query.ts'

/** Fields of a form in the order of their first appearance; a name may hold several values. */
export type FormFields = QueryFields

/** Throws a 415 for another type, a file, or a charset other than UTF-8, and a 400 for a malformed form. */
export async function parseForm(
  type: MediaType,
  contentType: string,
  readBytes: () => Promise<Uint8Array>,
): Promise<FormFields> {
  switch (type.essence) {
    case 'application/x-www-form-urlencoded': {
      if (type.charset !== 'utf-8' && type.charset !== 'utf8') {
        throw clientError(415, `The form is in charset "${type.charset.slice(0, 100)}"; send it in UTF-8`)
      }
      return parseQuery(Buffer.from(await readBytes()).toString('utf8'))
    }
    case 'multipart/form-data':
      return parseMultipart(contentType, await readBytes())
    default:
      throw clientError(
        415,
        `The body ${type.essence === '' ? 'names no type' : `is of type "${type.essence.slice(0, 100)}"`}; ` +
          'send application/x-www-form-urlencoded or multipart/form-data',
      )
  }
}

async function parseMultipart(contentType: string, bytes: Uint8Array): Promise<FormFields> {
  const fields = new Map<string, string[]>()
  for (const [name, value] of await readFormData(contentType, bytes)) {
    if (typeof value !== 'string') {
      const detail = `The form holds the file "${name.slice(0, 100)}"`
      const message = `${detail}; form() reads text fields, read files with request.toFetch().formData()`
      throw new HttpError(415, message, { problem: { detail } })
    }
    const values = fields.get(name)
    if (values === undefined) fields.set(name, [value])
    else values.push(value)
  }
  return fields
}

async function readFormData(contentType: string, bytes: Uint8Array): Promise<FormData> {
  try {
    return await new Response(Buffer.from(bytes), { headers: { 'content-type': contentType } }).formData()
  } catch (cause) {
    throw clientError(400, 'The body is not valid multipart/form-data', { cause })
  }
}
