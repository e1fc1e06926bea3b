// One file as the reply of a handler.

import path from 'node:path'
import { NotFoundHttpError } from '../../framework/http/http-error.ts'
import { fieldValue, headerPairs } from '../../framework/http/header-fields.ts'
import { Reply } from '../../framework/http/reply.ts'
import type { Exchange } from '../../framework/kernel/exchange.ts'
import { checkOptions, text } from '../../framework/options/check-options.ts'
import { fileRules, findFile, type FileOptions } from './send-file.ts'

/** What `fileReply` takes. */
export interface FileReplyOptions extends FileOptions {
  /** The folder that the file is in, absolute or relative to the working directory. */
  readonly root: string
  /** The browser saves the file under this name. Default: it shows the file if it can. */
  readonly downloadAs?: string
}

/**
 * Sends a file with its type, length and date, or the range of it that the client wants; 304 if the client has it already. `file` is a path
 * below the root, `2026/report.pdf`: it may come from the client. No shared cache keeps it, unless `headers` has a `Cache-Control`. Throws a `NotFoundHttpError` if there is no such file, for a path that
 * leads out of the root, and for names that begin with a dot.
 */
export async function fileReply(
  { request }: Pick<Exchange<object>, 'request'>,
  file: string,
  options: FileReplyOptions,
): Promise<Reply> {
  checkOptions<FileReplyOptions>('fileReply()', options, { root: text, downloadAs: text, ...fileRules })
  const { root, downloadAs, ...rest } = options
  const method = request.method === 'HEAD' ? 'HEAD' : 'GET'
  const found = await findFile({ request, method, root: path.resolve(root), names: file.split('/'), options: rest })
  if (!(found instanceof Reply)) throw new NotFoundHttpError(`There is no file "${file}"`)
  const cached = found.header('cache-control')
  // A guard may have let this client in alone.
  if (cached !== undefined && fieldValue(headerPairs(options.headers), 'cache-control') === undefined)
    found.setHeader('cache-control', cached.replace('public', 'private'))
  if (downloadAs !== undefined) found.setHeader('content-disposition', attachment(downloadAs))
  return found
}

/** The name in ASCII, and for browsers as it is (RFC 6266, section 4.3). */
function attachment(name: string): string {
  const plain = name.replaceAll(/[^ -~]|["\\%]/g, '_')
  const encoded = encodeURIComponent(name.toWellFormed()).replaceAll(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`
}
