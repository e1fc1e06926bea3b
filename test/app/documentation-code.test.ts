// Checks the code in the documentation: every TypeScript block compiles, and the names it uses are ours.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { globSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, it } from 'node:test'
import { variables } from '../../src/http/config/variables.ts'
import { blocksOf, entries, pages, read, root, writeOwnFiles } from '../support/documentation.ts'

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

it('the TypeScript of README.md and docs/: compiles as it is written', () => {
  mkdirSync(path.join(root, 'var'), { recursive: true })
  const folder = mkdtempSync(path.join(root, 'var/documentation-'))
  try {
    const places = new Map(pages.map((page) => [page, writeOwnFiles(page, path.join(folder, 'files', page))] as const))
    for (const [file, code] of programFiles()) {
      mkdirSync(path.dirname(path.join(folder, 'programs', file)), { recursive: true })
      writeFileSync(path.join(folder, 'programs', file), code)
    }
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
      /^files\/(.+\.md)\/file-(\d+)\.ts/gm,
      (file, page: string, index) => places.get(page)?.[Number(index)] ?? file,
    )
    assert.equal(status, 0, said)
  } finally {
    rmSync(folder, { recursive: true })
  }
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
      called.filter(
        ({ name }) => !publicNames.has(name) && !members.has(name) && !foreign.has(name) && !(name in globalThis),
      ),
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
