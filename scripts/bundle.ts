// The package's JavaScript, made by rolldown from the sources in few files: each file that is loaded costs a start about 0.8 ms.
// What is loaded later in the sources is loaded later here, too.

import { copyFileSync, readFileSync, readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { rolldown, type Plugin } from 'rolldown'
import { importedBy } from './imported-by.ts'

/** Packages that become part of it: of valibot, which is made for that, little is used, and big.js is one small file. */
const included: readonly string[] = ['valibot', 'big.js']

/**
 * Writes it into a directory as `package.json` names it below `dist/`: entries where their sources lie below `src/`, and all
 * the rest in `chunks/`, with source maps that hold the sources. Rejects for what rolldown only warns of.
 */
export async function bundlePackage(directory: string): Promise<void> {
  await bundle(directory, {
    inputs: Object.fromEntries(entries().map((name) => [name, `src/${name}.ts`])),
    groups: groups(),
    prefix: '',
  })
  for (const name of included)
    copyFileSync(
      `node_modules/${name}/${licenceOf(name)}`,
      join(directory, `LICENSE-${name.replace('@', '').replaceAll(/[./]/g, '-')}`),
    )
  // The thread of a store and a program that is run load what they need, and nothing that is for the application.
  for (const sources of [
    ['src/stores/sqlite/sqlite-worker.ts', 'src/app/profile-assembler.ts'],
    ['src/cli/program/program-recorder.ts'],
  ]) {
    const inputs = Object.fromEntries(sources.map((source) => [`chunks/${basename(source, '.ts')}`, source]))
    await bundle(directory, { inputs, groups: [], prefix: `${basename(sources[0] ?? '', '.ts')}-` })
  }
}

function licenceOf(name: string): string {
  const file = readdirSync(`node_modules/${name}`).find((one) => /^licen[cs]e/i.test(one))
  if (file === undefined) throw new Error(`The package ${name} has no licence to go with it`)
  return file
}

/** Whether a package, or a file of it (`@speed-highlight/core/tokenize`), becomes part of what is written. */
function isIncluded(id: string): boolean {
  return included.some((name) => id === name || id.startsWith(`${name}/`))
}

interface Part {
  /** Sources by the name of the file that is made of them, without its ending. */
  readonly inputs: Readonly<Record<string, string>>
  readonly groups: readonly Group[]
  /** What the names of its other files begin with: no two parts write one of the same name. */
  readonly prefix: string
}

/** What is put into one file. */
interface Group {
  readonly name: string | ((id: string) => string)
  readonly debugName: string
  readonly test: (id: string) => boolean
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

function groups(): readonly Group[] {
  const start = importedBy(['src/index.ts', 'src/stores/sqlite/open-sqlite-engine.ts'])
  const debug = importedBy(['src/app/debug-parts.ts'])
  const errors = importedBy(['src/errors/error-handler.ts'])
  return [
    { name: 'start', debugName: 'what every start loads', test: (id) => start.has(id) },
    {
      name: 'errors',
      debugName: 'what a start with debug and the answers to errors load',
      test: (id) => debug.has(id) && errors.has(id),
    },
    { name: 'debug', debugName: 'what a start with debug loads besides', test: (id) => debug.has(id) },
    {
      name: (id) => basename(id, '.ts'),
      debugName: 'what looks for files beside itself, and so must not be part of an entry',
      test: (id) => id.endsWith('.ts') && readFileSync(id, 'utf8').includes('import.meta.'),
    },
  ]
}

async function bundle(directory: string, part: Part): Promise<void> {
  const made = await rolldown({
    input: part.inputs,
    platform: 'node',
    external: (id) => !id.startsWith('.') && !id.startsWith('/') && id !== taggedTemplate && !isIncluded(id),
    plugins: [builtinModules, withoutFacades, asciiOnly, taggedTemplates],
    onLog: (level, log, report) => {
      if (level === 'warn') throw new Error(log.message)
      report(level, log)
    },
  })
  await made.write({
    dir: directory,
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: `chunks/${part.prefix}[name].js`,
    sourcemap: true,
    // They stand in the declarations.
    comments: { jsdoc: false },
    codeSplitting: { groups: [...part.groups] },
  })
  await made.close()
}

/**
 * Node's own modules by name: an `import` of one reads every export of it, and some of those load more than a start needs
 * (`fs.promises`, `util.parseArgs`). Each stays on its line, so that the source map holds.
 */
const builtinModules: Plugin = {
  name: 'builtin-modules',
  renderChunk: (code) => ({
    code: code.replaceAll(
      /^import (?:\* as )?([\w$]+)?(?:, )?(\{[^}\n]*\})? from "(node:[\w/]+)";$/gm,
      (_line, whole: string | undefined, names: string | undefined, module: string) => {
        const loaded = `process.getBuiltinModule("${module}")`
        const parts = names?.replaceAll(/ as /g, ': ')
        if (whole === undefined) return `const ${parts} = ${loaded};`
        return `const ${whole} = ${loaded}${parts === undefined ? '' : `, ${parts} = ${whole}`};`
      },
    ),
    map: null,
  }),
}

/**
 * A file that is imported later and was put into another one is imported from there: rolldown leaves a file with one `export` for
 * it, which a start would find, read and link only to be sent on. Each `import()` stays on its line, so that the source map holds.
 */
const withoutFacades: Plugin = {
  name: 'without-facades',
  generateBundle: (_options, files) => {
    const chunks = Object.values(files).filter((file) => file.type === 'chunk')
    for (const facade of chunks) {
      const [, names, target] = /^export \{ ([^}]*) \} from "(\.\/[\w-]+\.js)";\s*$/.exec(facade.code) ?? []
      if (names === undefined || facade.isEntry) continue
      const parts = names.split(', ').map((name) => name.split(' as '))
      const all = parts.map(([from = '', to = from]) => `${to}: all.${from}`).join(', ')
      for (const chunk of chunks) {
        chunk.code = chunk.code.replaceAll(
          `import("./${basename(facade.fileName)}")`,
          `import("${target}").then((all) => ({ ${all} }))`,
        )
        if (chunk.code.includes(`/${basename(facade.fileName)}"`))
          throw new Error(`${facade.fileName} is still imported`)
      }
      delete files[facade.fileName]
    }
  },
}

/**
 * What is not ASCII, written as JavaScript writes it in ASCII: V8 keeps a file with one such character in two bytes for each of
 * its characters, as long as the process runs. Done last of all: rolldown writes strings anew when it takes out dead branches.
 */
const asciiOnly: Plugin = {
  name: 'ascii-only',
  generateBundle: (_options, files) => {
    for (const file of Object.values(files)) {
      if (file.type !== 'chunk') continue
      file.code = file.code.replaceAll(
        /[^\0-\x7f]/g,
        (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
      )
    }
  },
}

const taggedTemplate = '@oxc-project/runtime/helpers/taggedTemplateLiteral'

/** rolldown writes a tagged template that holds `</script>` as a call of a function, which it expects in a package. */
const taggedTemplates: Plugin = {
  name: 'tagged-templates',
  resolveId: (id) => (id === taggedTemplate ? { id, external: false } : null),
  load: (id) =>
    id === taggedTemplate
      ? 'export default (strings, raw) => Object.freeze(Object.assign(strings, { raw: Object.freeze(raw ?? [...strings]) }))'
      : null,
}
