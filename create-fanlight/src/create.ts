#!/usr/bin/env node
// `npm create fanlight`: asks for a name and a kind, writes an application, and installs its packages.

import { readFileSync } from 'node:fs'
import { basename, relative, resolve } from 'node:path'
import { nodeProblem } from '../../src/base/node-version.ts'
import { readArguments, usage, type Wishes } from './arguments.ts'
import { installPackages } from './install.ts'
import type { Kind } from './kinds.ts'
import { completeManifest, fanlightFrom } from './manifest.ts'
import { checkName } from './names.ts'
import { Questions } from './questions.ts'
import { UsageError } from './usage-error.ts'
import { checkFolder, filesOf, writeFiles } from './write-files.ts'

const exitCodes = { failed: 1, misused: 2 } as const

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string }

try {
  const wishes = readArguments(process.argv.slice(2))
  if (wishes.shows === 'help') console.log(usage)
  else if (wishes.shows === 'version') console.log(version)
  else await create(wishes)
} catch (error) {
  const isMisused = error instanceof UsageError
  console.error(`create-fanlight: ${error instanceof Error ? error.message : String(error)}${isMisused ? '.' : ''}`)
  process.exitCode = isMisused ? exitCodes.misused : exitCodes.failed
}

async function create(wishes: Wishes): Promise<void> {
  const fanlight = fanlightFrom(wishes.fanlight ?? `^${version}`)
  const { folder, kind } = await ask(wishes)
  const path = relative('.', folder) || '.'
  const node = process.versions.node
  const files = new Map(filesOf(kind, basename(folder)))
  files.set('package.json', completeManifest(files.get('package.json') ?? '', fanlight, node))
  writeFiles(folder, files)
  console.log(`Wrote ${files.size} files to ${path}.`)
  if (nodeProblem(node) !== null) console.log(`This Node is ${node}: the application brings its own, as a package.`)
  if (wishes.installs) {
    console.log('Installing packages …')
    const problem = await installPackages(folder)
    // In a registry without Fanlight, to install again changes nothing.
    const isMissing = /\b(?:E404|ETARGET)\b/.test(problem ?? '') && /\bfanlight@/.test(problem ?? '')
    const advice = isMissing
      ? `Run "npm install <file>" in ${path} with a packed Fanlight, or name it next time: --fanlight <file>.`
      : `Run "npm install" in ${path} again.`
    if (problem !== undefined) throw new Error(`${problem}\nThe files are there. ${advice}`)
  }
  console.log(`
${path === '.' ? '' : `  cd ${path}\n`}${wishes.installs ? '' : '  npm install\n'}  npm run dev    the application with its profiler
  npm test       its tests
  npm start      the application as in production
`)
}

/** Checks the folder before it asks for the kind. */
async function ask(wishes: Wishes): Promise<{ readonly folder: string; readonly kind: Kind }> {
  const questions = wishes.asks && (wishes.folder === undefined || wishes.kind === undefined) ? new Questions() : null
  try {
    const folder = resolve(wishes.folder ?? (await questions?.askFolder('my-app')) ?? 'my-app')
    checkName(basename(folder))
    checkFolder(folder)
    return { folder, kind: wishes.kind ?? (await questions?.askKind('pages')) ?? 'pages' }
  } finally {
    questions?.close()
  }
}
