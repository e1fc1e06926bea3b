// Bundles the package's JavaScript, so that a start loads a few files instead of hundreds.

import { cpSync, readFileSync } from 'node:fs'
import { basename, join, relative } from 'node:path'
import { rolldown, type Plugin } from 'rolldown'

/** Sources that are started or loaded by the name of their file, which is expected beside the chunk that does so. */
const programs = [
  'src/cli/program/program-recorder.ts',
  'src/integrations/dev-process.ts',
  'src/integrations/crash-report.ts',
  'src/integrations/loaded.ts',
  'src/integrations/error-tools.ts',
  'src/origins/explain-error.ts',
  'src/integrations/registration.ts',
  'src/integrations/captures/capture-observers.ts',
  'src/libraries/sources/sqlite-reader.ts',
]

/** Threads of their own: what they load is in memory once more, so it is in files that hold nothing else. */
const threads = ['src/stores/sqlite/sqlite-worker.ts', 'src/redis/redis-worker.ts'] as const

const application = reachedFrom('src/index.ts')
const profiler = ['src/app/start-profiler.ts', 'src/stores/sqlite/open-sqlite-engine.ts']
const observing = ['src/integrations/settings.ts', 'src/integrations/serve-requests.ts']
const sqlite = reachedFrom(threads[0])
const redis = reachedFrom(threads[1])
const errorHandler = 'src/errors/error-handler.ts'

/** What a process loads together becomes one file: these sources, and all that they need and no earlier line holds. */
const loadedTogether: Readonly<Record<string, readonly string[]>> = {
  // For browsers: nothing of Node may come with it.
  'page-reporter': ['src/observe/browser/report-browser.ts'],
  basics: [
    'src/app/profiler-options.ts',
    'src/errors/dev-folder.ts',
    'src/base/own-package.ts',
    'src/base/options/check-options.ts',
    'src/base/options/check-options.ts',
    'src/base/node-version.ts',
    'src/base/http/first-bytes.ts',
    'src/base/http/header-fields.ts',
    'src/base/http/trusted-proxies.ts',
    'src/base/members.ts',
    'src/http/kernel/current-exchange.ts',
    'src/http/kernel/follow-call.ts',
    'src/http/kernel/describe-failure.ts',
    'src/http/kernel/keep-line.ts',
    'src/http/kernel/plain-stacks.ts',
    'src/http/kernel/lazy.ts',
    'src/http/node/own-mark.ts',
    'src/http/recording/recorder-questions.ts',
    'src/base/redact/redactor.ts',
    'src/base/timing/stopwatch.ts',
    'src/base/timing/builtins.ts',
    'src/observe/ai-options.ts',
    'src/profiles/sampling/recording-rules.ts',
  ],
  // What the threads of stores need beside their own first file: what every process needs as well, both threads, and each.
  records: [...reachedFrom(...threads).intersection(reachedFrom(...application, ...observing))],
  storing: [...sqlite.intersection(redis)],
  sqlite: [...sqlite].slice(1),
  redis: [...redis].slice(1),
  // What applications of this library and others that are observed both need.
  common: [...application.intersection(reachedFrom(...observing, ...profiler, errorHandler))],
  application: [...application],
  attaching: ['src/integrations/loaded.ts', 'src/integrations/registration.ts'],
  capture: ['src/libraries/sources/mongo.ts', 'src/libraries/sources/pg.ts', 'src/libraries/sources/sqlite.ts'],
  errors: [errorHandler],
  // A process that records nothing loads it for the lock.
  'sqlite-engine': profiler.slice(1),
  profiler,
  'open-memory-engine': ['src/stores/memory/open-memory-engine.ts'],
  'error-page': ['src/errors/debug-renderer.ts', 'src/origins/explain-error.ts'],
  pages: ['src/app/profiler-controller.ts', 'src/analysis/pages/panels.ts'],
}

/**
 * Writes the entries that `package.json` names into a directory, everything else into `chunks/`. The code is readable as it is,
 * so it has no source maps. Rejects for warnings of rolldown.
 */
export async function bundlePackage(directory: string): Promise<void> {
  const inputs = [
    ...entries().map((name) => [name, `src/${name}.ts`] as const),
    ...[...programs, ...threads].map((source) => [`chunks/${basename(source, '.ts')}`, source] as const),
  ]
  const bundle = await rolldown({
    input: Object.fromEntries(inputs),
    platform: 'node',
    // The oldest Node that `engines` allows: it has no `using`, for example.
    transform: { target: 'node22.18' },
    // Packages stay packages, except rolldown's own helpers, and files that the resolver of ts-node for ESM does not find.
    external: /^(?!@oxc-project\/|@speed-highlight\/core\/languages\/)[@a-z]/,
    plugins: [oneByte],
    onLog: (level, log, report) => {
      if (level === 'warn') throw new Error(log.message)
      report(level, log)
    },
  })
  await bundle.write({
    dir: directory,
    chunkFileNames: 'chunks/[name].js',
    // A tenth of the package; those of public names are in the declarations.
    comments: { jsdoc: false, legal: true, annotation: true },
    codeSplitting: {
      groups: [
        ...Object.entries(loadedTogether).map(([name, sources], index) => ({
          name,
          test: (id: string) => sources.includes(relative('.', id)),
          priority: Object.keys(loadedTogether).length - index,
        })),
        {
          name: (id) => basename(id, '.ts'),
          debugName: 'sources that look for files beside themselves, which must not become part of an entry',
          test: looksBesideItself,
        },
      ],
    },
  })
  await bundle.close()
  // Plain JavaScript of CommonJS: it has nothing to strip or to bundle.
  cpSync('src/preload.cts', join(directory, 'preload.cjs'))
}

/** V8 keeps a source with one character beyond Latin-1 in two bytes for each: such characters are written as escapes. */
const oneByte: Plugin = {
  name: 'one-byte',
  generateBundle: (_, files) => {
    for (const file of Object.values(files)) if (file.type === 'chunk') file.code = asLatin1(file.code)
  },
}

function asLatin1(code: string): string {
  return code.replaceAll(/[^\0-\u00ff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** Writes the program of `npm create fanlight` into a file: Node runs no TypeScript below `node_modules/`. */
export async function bundleCreate(file: string): Promise<void> {
  const bundle = await rolldown({
    input: 'create-fanlight/src/create.ts',
    platform: 'node',
    transform: { target: 'node20.12' },
  })
  await bundle.write({ file })
  await bundle.close()
}

/** `index`, `cli/main`: what others import or run. */
export function entries(): readonly string[] {
  const { exports, bin } = JSON.parse(readFileSync('package.json', 'utf8')) as {
    readonly exports: Readonly<Record<string, string | { readonly default: string }>>
    readonly bin: Readonly<Record<string, string>>
  }
  const files = [...Object.values(exports), ...Object.values(bin)]
    .map((file) => (typeof file === 'string' ? file : file.default))
    .filter((file) => file.endsWith('.js'))
  return files.map((file) => file.slice('./dist/'.length, -'.js'.length))
}

function looksBesideItself(id: string): boolean {
  return id.endsWith('.ts') && readFileSync(id, 'utf8').includes('import.meta.')
}

/** Sources, and all that they import as they are loaded. */
function reachedFrom(...sources: readonly string[]): ReadonlySet<string> {
  const reached = new Set(sources)
  for (const source of reached) {
    const code = readFileSync(source, 'utf8')
    for (const [, path = ''] of code.matchAll(/^(?:import|export)\s(?!type\b)(?:[^'=(]*?\sfrom\s)?'(\..+)'$/gm)) {
      reached.add(join(source, '..', path))
    }
  }
  return reached
}
