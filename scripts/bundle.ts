// Bundles the package's JavaScript, so that a start loads a few files instead of hundreds.

import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { rolldown } from 'rolldown'

/** Sources that are started or loaded by the name of their file, which is expected beside the chunk that does so. */
const programs = [
  'src/stores/sqlite/sqlite-worker.ts',
  'src/cli/program/program-recorder.ts',
  'src/integrations/loaded.ts',
  'src/integrations/registration.ts',
  'src/integrations/captures/capture-observers.ts',
]

/** Writes the entries that `package.json` names into a directory, everything else into `chunks/`. Rejects for warnings of rolldown. */
export async function bundlePackage(directory: string): Promise<void> {
  const inputs = [
    ...entries().map((name) => [name, `src/${name}.ts`]),
    ...programs.map((source) => [`chunks/${basename(source, '.ts')}`, source]),
  ]
  const bundle = await rolldown({
    input: Object.fromEntries(inputs) as Record<string, string>,
    platform: 'node',
    // Packages stay packages, except rolldown's own helpers.
    external: /^(?!@oxc-project\/)[@a-z]/,
    onLog: (level, log, report) => {
      if (level === 'warn') throw new Error(log.message)
      report(level, log)
    },
  })
  await bundle.write({
    dir: directory,
    chunkFileNames: 'chunks/[name].js',
    sourcemap: true,
    codeSplitting: {
      groups: [
        {
          name: (id) => basename(id, '.ts'),
          debugName: 'sources that look for files beside themselves, which must not become part of an entry',
          test: looksBesideItself,
        },
      ],
    },
  })
  await bundle.close()
}

/** `index`, `cli/main`: what others import or run. */
function entries(): readonly string[] {
  const { exports, bin } = JSON.parse(readFileSync('package.json', 'utf8')) as {
    readonly exports: Readonly<Record<string, string>>
    readonly bin: Readonly<Record<string, string>>
  }
  const files = [...Object.values(exports), ...Object.values(bin)].filter((file) => file.endsWith('.js'))
  return files.map((file) => file.slice('./dist/'.length, -'.js'.length))
}

function looksBesideItself(id: string): boolean {
  return id.endsWith('.ts') && readFileSync(id, 'utf8').includes('import.meta.')
}
