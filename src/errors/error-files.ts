// Keeps each error of the server as one file: the error page, masked, without a profiler (`APP_ERROR_FILES`).

import { makeFolder } from '../base/own-package.ts'
import { createHash } from 'node:crypto'
import { readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { wallMs } from '../base/timing/builtins.ts'
import { describeFailure, withoutStop } from '../http/kernel/describe-failure.ts'
import { errorFilesFailed } from '../base/log/lines.ts'
import type { Log } from '../base/log/logger.ts'
import { errorFamily } from './error-family.ts'
import type { DebugRenderer, FailedRequest } from './error-handler.ts'

export interface ErrorFilesOptions {
  /** Absolute; made with the first error. */
  readonly folder: string
  readonly renderer: DebugRenderer
  /** Hears of a folder that cannot be written, once a minute at most. */
  readonly log: Log
}

const maxFiles = 100
const maxBytes = 20 * 1024 * 1024
/** A family is written once in a minute, and so many families: drawing a page holds the process for some milliseconds. */
const minuteMs = 60_000
const maxInMinute = 10

/** Names of our files; others in the folder are left alone. */
const ownName = /^[\w-]{1,70}-[0-9a-f]{10}\.html$/

export class ErrorFiles {
  readonly #options: ErrorFilesOptions
  /** When each family was written in the minute that runs. */
  readonly #written = new Set<string>()
  #minute = 0
  #warnedAt = -Infinity

  constructor(options: ErrorFilesOptions) {
    this.#options = options
  }

  /** Writes the file of its family again. Never throws: a full disk is a line in the log. */
  save(request: FailedRequest): void {
    const { renderer, log, folder } = this.#options
    const family = errorFamily(request.masked)
    if (family === null || !this.#isDue(family)) return
    try {
      const { content, policy = '' } = renderer.render(request, 'html')
      write(folder, nameOf(family), withPolicy(content, policy))
      prune(folder)
    } catch (error) {
      if (wallMs() - this.#warnedAt < minuteMs) return
      this.#warnedAt = wallMs()
      log.write(errorFilesFailed({ folder, problem: withoutStop(describeFailure(error).message) }))
    }
  }

  #isDue(family: string): boolean {
    const minute = Math.floor(wallMs() / minuteMs)
    if (minute !== this.#minute) this.#written.clear()
    this.#minute = minute
    if (this.#written.size >= maxInMinute || this.#written.has(family)) return false
    this.#written.add(family)
    return true
  }
}

/** `TypeError-in-src-prices-ts-12-4f1d0c9a3b.html`: no part of a name comes from elsewhere as it is. */
function nameOf(family: string): string {
  const words = family.replaceAll(/\W+/g, '-').replaceAll(/^-|-$/g, '').slice(0, 60) || 'error'
  return `${words}-${createHash('sha256').update(family).digest('hex').slice(0, 10)}.html`
}

/** Readable by the owner of the process only; whole or not at all. */
function write(folder: string, name: string, content: string): void {
  makeFolder(folder)
  const path = join(folder, name)
  const unfinished = `${path}.${process.pid}.tmp`
  try {
    rmSync(unfinished, { force: true })
    writeFileSync(unfinished, content, { mode: 0o600, flag: 'wx' })
    renameSync(unfinished, path)
  } catch (error) {
    rmSync(unfinished, { force: true })
    throw error
  }
}

/** Removes the oldest files beyond the bounds. */
function prune(folder: string): void {
  const files = readdirSync(folder)
    .filter((name) => ownName.test(name))
    .flatMap((name) => {
      const path = join(folder, name)
      const found = statSync(path, { throwIfNoEntry: false })
      return found === undefined ? [] : [{ path, bytes: found.size, time: found.mtimeMs }]
    })
    .toSorted((one, other) => other.time - one.time)
  let bytes = 0
  for (const [index, file] of files.entries()) {
    bytes += file.bytes
    if (index >= maxFiles || bytes > maxBytes) rmSync(file.path, { force: true })
  }
}

/** A file has no header fields, so its policy is in the page; a page cannot say who may frame it. */
function withPolicy(page: string, policy: string): string {
  const rules = policy.split(';').filter((rule) => !/^\s*frame-ancestors/.test(rule))
  const element = `<meta http-equiv="content-security-policy" content="${rules.join(';').replaceAll('"', '&quot;')}" />`
  return page.replace('<meta charset="utf-8" />', (charset) => `${charset}${element}`)
}
