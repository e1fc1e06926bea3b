// Checks the code in the documentation: every TypeScript block compiles, and the names it uses are ours.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { globSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, it } from 'node:test'
import { variables } from '../../src/framework/config/variables.ts'
import { blocksOf, entries, pages, read, root, type Block } from '../support/documentation.ts'

/** What an entry exports: `[name, isType]`. */
function exportsOf(entry: string): readonly (readonly [name: string, isType: boolean])[] {
  const found: (readonly [string, boolean])[] = []
  for (const [, type, list = ''] of read(entries[entry] ?? '').matchAll(/^export (type )?\{([^}]*)\}/gm)) {
    for (const item of list.split(',').map((text) => text.trim())) {
      if (item === '') continue
      const name = item.replace(/^type /, '').replace(/^\w+ as /, '')
      found.push([name, type !== undefined || item.startsWith('type ')])
    }
  }
  for (const [, name = ''] of read(entries[entry] ?? '').matchAll(/^export function (\w+)/gm)) found.push([name, false])
  return found
}

/** Every public name. */
const publicNames: ReadonlySet<string> = new Set(
  Object.keys(entries).flatMap((entry) => exportsOf(entry).map(([name]) => name)),
)

const blocks: readonly Block[] = pages.flatMap(blocksOf).filter(({ language }) => language === 'ts')

/** Fragments: the application around them is in `surroundings`. */
const fragments = blocks.filter(({ marks, file }) => !marks.has('run') && file === undefined)

/** What fragments take from the application around them. */
const surroundings = `
import type { Exchange, RouteCollection as Routes } from 'fanlight'
import type { ExchangeKey } from 'fanlight'
declare global {
  const routes: Routes
  const apiRoutes: Routes
  const moreRoutes: Routes
  const exchange: Exchange
  const user: ExchangeKey<{ name: string }>
  const asked: ExchangeKey<Flags>
  function showHome(): Response
  function showArchive(): Response
  function listPosts(): Response
  function showPost(): Response
  function placeOrder(): Response
  function showProduct(slug: string): Response
  function isDeveloper(cookie: unknown): boolean
  function importPrices(file: string | undefined): Promise<void>
  const url: string
  const sql: string
  const parameters: readonly unknown[]
  const settings: { host: string }
  type Flags = Record<string, boolean>
}
`

/** A block as a module. A fragment need not import our names again. */
function moduleOf({ code }: Block): string {
  const isDeclared = (name: string): boolean => new RegExp(`(?:import [^']*|const |function )\\b${name}\\b`).test(code)
  const taken = new Set(surroundings.match(/(?<=const |function )\w+/g))
  const imports = Object.keys(entries).flatMap((entry) =>
    exportsOf(entry)
      .filter(([name]) => !taken.has(name) && new RegExp(`(?<![.'\\w])${name}\\b(?!:)`).test(code) && !isDeclared(name))
      .map(([name, isType]) => {
        taken.add(name)
        return `import ${isType ? 'type ' : ''}{ ${name} } from '${entry}'\n`
      }),
  )
  return `${imports.join('')}${code}\nexport {}\n`
}

/**
 * The files of the pages as each program finds them: `docs/start/tutorial.md:30/app/main.ts`, after the place of the program,
 * because a later block may have the name of an earlier one.
 */
function programFiles(): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  for (const page of pages) {
    const files = new Map<string, string>()
    const own = blocksOf(page).filter(({ language }) => language === 'ts')
    for (const [index, { file, marks, place, code }] of own.entries()) {
      if (file !== undefined) files.set(file, code)
      const isLast = index === own.length - 1
      if (!marks.has('run') && !isLast) continue
      const program = file === undefined && marks.has('run') ? [['program.ts', code] as const] : []
      for (const [name, text] of [...files, ...program])
        found.set(path.join(place.replace(':', '-'), name), `${text}\nexport {}\n`)
    }
  }
  return found
}

describe('the TypeScript of README.md and docs/', () => {
  it('compiles', () => {
    mkdirSync(path.join(root, 'var'), { recursive: true })
    const folder = mkdtempSync(path.join(root, 'var/documentation-'))
    try {
      mkdirSync(path.join(folder, 'test'))
      for (const [index, block] of fragments.entries()) {
        writeFileSync(path.join(folder, 'test', `${index}.ts`), moduleOf(block))
      }
      for (const [file, code] of programFiles()) {
        mkdirSync(path.dirname(path.join(folder, 'programs', file)), { recursive: true })
        writeFileSync(path.join(folder, 'programs', file), code)
      }
      writeFileSync(path.join(folder, 'surroundings.ts'), surroundings)
      mkdirSync(path.join(folder, 'app'))
      const table = "import { RouteCollection } from 'fanlight'\nexport const routes = new RouteCollection()\n"
      writeFileSync(path.join(folder, 'app/routes.ts'), table)
      const paths = Object.fromEntries(Object.entries(entries).map(([entry, file]) => [entry, [`../../${file}`]]))
      // The strict settings of most projects, not each of ours.
      const compilerOptions = {
        paths,
        isolatedDeclarations: false,
        declaration: false,
        exactOptionalPropertyTypes: false,
      }
      const config = { extends: '../../tsconfig.json', compilerOptions, include: ['**/*.ts'] }
      writeFileSync(path.join(folder, 'tsconfig.json'), JSON.stringify(config))
      const tsc = path.join(root, 'node_modules/typescript/bin/tsc')
      // Several checkers would each check what the pages share.
      const { status, stdout } = spawnSync(process.execPath, [tsc, '-p', folder, '--singleThreaded'], {
        cwd: folder,
        encoding: 'utf8',
      })
      const said = stdout.replaceAll(
        /^test\/(\d+)\.ts/gm,
        (_, index) => fragments[Number(index)]?.place ?? String(index),
      )
      assert.equal(status, 0, said)
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})

describe('public names', () => {
  it('are named in docs/ or examples/, each of them', () => {
    const code = pages
      .map(read)
      .flatMap((text) => text.match(/^```[\s\S]*?^```$|`[^`\n]+`/gm) ?? [])
      .concat(globSync('examples/*.ts', { cwd: root }).map(read))
      .join('\n')
    assert.deepEqual(
      [...publicNames].filter((name) => !new RegExp(`\\b${name}\\b`).test(code)),
      [],
    )
  })

  it('are those that the docs call', () => {
    const members = new Set(
      [...globSync('src/**/*.ts', { cwd: root }), ...pages].flatMap((file) =>
        [...read(file).matchAll(/^ +(?:readonly |async |get )*(\w+)\??(?:<[^(]*>)?(?:\(|: \()/gm)].map(
          ([, name]) => name,
        ),
      ),
    )
    // These pages name what other frameworks call.
    const ours = pages.filter((page) => !page.startsWith('docs/coming-from/'))
    const called = ours.flatMap((page) =>
      [...read(page).matchAll(/`(?:new )?([A-Za-z]\w+)\([^`]*`/g)].map(([, name = '']) => ({ page, name })),
    )
    const foreign = new Set([
      'import',
      'MongoClient',
      'fetch',
      'ready',
      'callback',
      'serve',
      'express',
      'fastify',
      'Koa',
      'Hono',
      'H3',
      'createServer',
      'schedule',
    ])
    assert.deepEqual(
      called.filter(({ name }) => !publicNames.has(name) && !members.has(name) && !foreign.has(name)),
      [],
    )
  })
})

describe('options and settings', () => {
  const sources = globSync('src/**/*.ts', { cwd: root }).map(read).join('\n')
  const lists = {
    AppOptions: 'docs/reference/options.md',
    MaintenanceOptions: 'docs/reference/options.md',
    CookieOptions: 'docs/recipes/cookies-and-sessions.md',
    StaticFilesOptions: 'docs/recipes/static-files.md',
    FileOptions: 'docs/recipes/static-files.md',
    CorsOptions: 'docs/recipes/cors.md',
    CompressOptions: 'docs/recipes/compression.md',
    SecurityHeadersOptions: 'docs/recipes/security-headers.md',
    RouteOptions: 'docs/reference/options.md',
    GroupOptions: 'docs/reference/options.md',
    ProfilerOptions: 'docs/reference/options.md',
    RecordingOptions: 'docs/reference/options.md',
    IntegrationOptions: 'docs/reference/options.md',
  }
  for (const [type, page] of Object.entries(lists)) {
    it(`${page} lists each option of ${type}`, () => {
      const body = new RegExp(`^export interface ${type}\\b[^{]*\\{([\\s\\S]*?)^\\}`, 'm').exec(sources)?.[1] ?? ''
      const members = [...body.matchAll(/readonly (\w+)\??:/g)].map(([, name = '']) => name)
      const rows =
        read(page)
          .match(/^\| `.*/gm)
          ?.join('\n') ?? ''
      assert.notEqual(members.length, 0)
      assert.deepEqual(
        members.filter((name) => !new RegExp(`\\b${name}\\b`).test(rows)),
        [],
      )
    })
  }

  it('docs/reference/options.md lists each setting', () => {
    const rows =
      read('docs/reference/options.md')
        .match(/^\| `.*/gm)
        ?.join('\n') ?? ''
    assert.deepEqual(
      Object.keys(variables).filter((name) => !rows.includes(`\`${name}\``)),
      [],
    )
  })
})
