// Static files as a plugin: files of a folder, for paths that no route takes.

import { stat } from 'node:fs/promises'
import path from 'node:path'
import type { Plugin, Services } from './plugin.ts'
import { redirect, Reply } from '../../base/http/reply.ts'
import type { HttpRequest } from '../../base/http/request.ts'
import type { Exchange } from '../../http/kernel/exchange.ts'
import type { Listener } from '../../http/kernel/listener.ts'
import { missError } from '../../http/kernel/route-step.ts'
import { checkOptions, text } from '../../base/options/check-options.ts'
import { fileRules, findFile, type FileOptions } from './send-file.ts'

/** What `staticFiles` takes. */
export interface StaticFilesOptions extends FileOptions {
  /** The folder, absolute or relative to the project root. Everything in it is public but for names that begin with a dot. */
  readonly root: string
  /** Paths that begin so lead into the folder: `/assets/`. Default: `/`. */
  readonly prefix?: string
  /** The file that is sent for a folder; `false` for none. Default: `index.html`. */
  readonly index?: string | false
}

const owner = 'staticFiles()'

/** Sends the files of a folder. */
class StaticFilesPlugin implements Plugin {
  readonly name: string
  readonly listeners: readonly Listener[]
  readonly #options: StaticFilesOptions
  readonly #prefix: string
  #root = ''

  /** Throws a TypeError that names an option that cannot be used. */
  constructor(options: StaticFilesOptions) {
    checkOptions<StaticFilesOptions>(owner, options, {
      root: text,
      prefix: {
        allowed: 'a path such as /assets/',
        fits: (value) => typeof value === 'string' && /^\/(?:[\w.~-]+\/)*(?:[\w.~-]+)?$/.test(value),
      },
      index: {
        allowed: 'the name of a file, or false',
        fits: (value) => value === false || (typeof value === 'string' && /^[^./\\][^/\\]*$/.test(value)),
      },
      ...fileRules,
    })
    if (typeof options.root !== 'string') throw new TypeError(`Option "root" of ${owner} is missing; allowed: a folder`)
    const { prefix = '/', maxAgeSeconds = 0, immutable = false } = options
    if (immutable && maxAgeSeconds === 0) {
      throw new TypeError(`Option "immutable" of ${owner} needs maxAgeSeconds, for example 31536000: a year`)
    }
    this.#options = options
    this.#prefix = prefix.endsWith('/') ? prefix : `${prefix}/`
    this.name = `static files ${this.#prefix}`
    this.listeners = [{ name: this.name, onMiss: (exchange, allow) => this.#onMiss(exchange, allow) }]
  }

  /** Rejects for a folder that is not there, and for one that would publish the application itself. */
  async start({ settings: { projectRoot } }: Services): Promise<void> {
    const { root } = this.#options
    this.#root = path.resolve(projectRoot, root)
    const found = await stat(this.#root).catch(() => null)
    if (found?.isDirectory() !== true) {
      throw new Error(`Option "root" of ${owner} is "${root}", and there is no folder ${this.#root}`)
    }
    if (
      `${projectRoot}${path.sep}`.startsWith(this.#root.endsWith(path.sep) ? this.#root : `${this.#root}${path.sep}`)
    ) {
      throw new Error(
        `Option "root" of ${owner} is "${root}", which has the application in it; name a folder of public files`,
      )
    }
  }

  async #onMiss(exchange: Exchange, allow: readonly string[]): Promise<Reply | undefined> {
    const { request } = exchange
    if (!request.path.startsWith(this.#prefix)) return undefined
    const names = namesOf(request.path.slice(this.#prefix.length))
    if (names === null) return undefined
    const isRead = request.method === 'GET' || request.method === 'HEAD'
    const found = await this.#find(request, request.method === 'GET' ? 'GET' : 'HEAD', names)
    if (found !== undefined) {
      if (isRead) return found
      throw missError(request, { kind: 'method_not_allowed', allow: [...new Set([...allow, 'GET', 'HEAD'])] })
    }
    exchange.log.debug('There is no public file {file}.', { file: [this.#options.root, ...names].join('/') })
    return undefined
  }

  async #find(request: HttpRequest, method: 'GET' | 'HEAD', names: readonly string[]): Promise<Reply | undefined> {
    const { index = 'index.html', ...options } = this.#options
    const asked = { request, method, root: this.#root, names, options }
    const isFolder = names.at(-1) === ''
    if (!isFolder) {
      const found = await findFile(asked)
      if (found !== 'directory') return found
    }
    if (index === false) return undefined
    if (isFolder) {
      const found = await findFile({ ...asked, names: [...names.slice(0, -1), index] })
      return found === 'directory' ? undefined : found
    }
    const hasIndex = (await findFile({ ...asked, method: 'HEAD', names: [...names, index] })) instanceof Reply
    // Links of the page are relative to the folder. The path begins with one slash: every name in it is a plain one.
    return hasIndex
      ? redirect(`${request.path}/${request.rawQuery === '' ? '' : `?${request.rawQuery}`}`, { status: 301 })
      : undefined
  }
}

/** The parts of a path; `null` if it cannot be decoded. */
function namesOf(path: string): readonly string[] | null {
  try {
    return path.split('/').map(decodeURIComponent)
  } catch {
    return null
  }
}

/** Makes the plugin. Routes win over files, and a path that leads to no file is a 404 as always. */
export function staticFiles(options: StaticFilesOptions): Plugin {
  return new StaticFilesPlugin(options)
}
