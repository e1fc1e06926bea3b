// Reads the files of TLS that the runtime context names.

import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { RuntimeContextError, type RuntimeContext } from '../framework/config/runtime-context.ts'
import type { TlsOptions } from '../framework/node/make-server.ts'

/** `undefined` for plain HTTP. Throws a RuntimeContextError for a file that cannot be read. */
export function tlsOf({ tls, projectRoot }: RuntimeContext): TlsOptions | undefined {
  if (tls === null) return undefined
  const read = (name: string, file: string): Buffer => {
    try {
      return readFileSync(resolve(projectRoot, file))
    } catch (cause) {
      throw new RuntimeContextError(`${name}=${JSON.stringify(file)} cannot be read`, { cause })
    }
  }
  return { key: read('APP_TLS_KEY', tls.key), cert: read('APP_TLS_CERT', tls.cert) }
}
