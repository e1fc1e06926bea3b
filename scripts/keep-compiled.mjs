// Loaded before the application: says where compiled code is kept, so that a start compiles only what has changed, and finds
// another folder for it and the store where the clone cannot be written. Plain JavaScript: stripping types costs 50 ms.

import { accessSync, constants, mkdirSync, readFileSync, readdirSync } from 'node:fs'
import { enableCompileCache } from 'node:module'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))

if (isWritable(join(root, 'var'))) enableCompileCache(join(root, 'var/compile-cache'))
else keepElsewhere()

function keepElsewhere() {
  const caches = process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache')
  const directory = join(caches, 'fanlight', root.replaceAll(/[^\w.-]+/g, '-'))
  // Without any place the application keeps its store in memory, and says so.
  if (!isWritable(directory)) return
  enableCompileCache(join(directory, 'compile-cache'))
  if (!isStoreNamed()) process.env.APP_STORE = `sqlite:${join(directory, 'fanlight.db')}`
  console.error(`${join(root, 'var')} cannot be written: compiled code and the store are kept in ${directory}.`)
}

function isWritable(directory) {
  try {
    mkdirSync(directory, { recursive: true })
    accessSync(directory, constants.W_OK)
    return true
  } catch {
    return false
  }
}

function isStoreNamed() {
  if (process.env.APP_STORE !== undefined) return true
  const files = readdirSync(root).filter((name) => name.startsWith('.env'))
  return files.some((name) => /^\s*APP_STORE\s*=/m.test(readFileSync(join(root, name), 'utf8')))
}
