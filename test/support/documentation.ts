// The pages of the documentation and the code blocks on them. CONTRIBUTING.md says what the marks of a block mean.

import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'

export const root: string = path.join(import.meta.dirname, '../..')

export const read = (file: string): string => readFileSync(path.join(root, file), 'utf8')

/** The entries of the package and their sources: `fanlight/profiler` is `src/profiler.ts`. */
export const entries: Readonly<Record<string, string>> = Object.fromEntries(
  [...read('package.json').matchAll(/"\.(\S*)": "\.\/dist\/(\S+)\.js"/g)].map(([, entry = '', file = '']) => [
    `fanlight${entry}`,
    `src/${file}.ts`,
  ]),
)

/** Every page whose code must hold. Decisions tell how things were: their names need not be there any more. The API is made from the sources. */
export const pages: readonly string[] = [
  'README.md',
  ...globSync('docs/**/*.md', { cwd: root, exclude: ['docs/decisions/**', 'docs/reference/api/**'] })
    .map((page) => page.replaceAll('\\', '/'))
    .toSorted(),
]

/** A fenced block: ` ```ts run [app/main.ts] `. */
export interface Block {
  readonly page: string
  /** `docs/guides/handlers.md:12`, the line of the fence. */
  readonly place: string
  /** `ts`, `http`, `sh`; empty without one. */
  readonly language: string
  /** The words behind the language: `run`, `output`. */
  readonly marks: ReadonlySet<string>
  /** `app/main.ts`, if the block names a file. */
  readonly file: string | undefined
  readonly code: string
}

/** The blocks of a page, in order. */
export function blocksOf(page: string): readonly Block[] {
  const text = read(page)
  return [...text.matchAll(/^(`{3,})(.*)\n([\s\S]*?)^\1$/gm)].map(({ index, 2: info = '', 3: code = '' }) => {
    const file = /\[(.+)\]/.exec(info)?.[1]
    const [language = '', ...marks] = info
      .replace(/\[.+\]/, '')
      .split(' ')
      .filter(Boolean)
    const place = `${page}:${text.slice(0, index).split('\n').length}`
    return { page, place, language, marks: new Set(marks), file, code }
  })
}

/** Whether a block of TypeScript is a whole file that no program of its page uses. */
export const isOwnFile = ({ language, marks, file }: Block): boolean =>
  language === 'ts' && !marks.has('run') && file === undefined

/** Writes the files of a page that no program uses, `file-0.ts`, beside those that have names. Gives the place of each. */
export function writeOwnFiles(page: string, folder: string): readonly string[] {
  const write = (file: string, code: string): void => {
    mkdirSync(path.dirname(path.join(folder, file)), { recursive: true })
    writeFileSync(path.join(folder, file), code)
  }
  write('routes.ts', "import { RouteCollection } from 'fanlight'\nexport const routes = new RouteCollection()\n")
  const blocks = blocksOf(page)
  for (const { file, code } of blocks) if (file !== undefined) write(file, code)
  const files = blocks.filter(isOwnFile)
  for (const [index, { code }] of files.entries()) write(`file-${index}.ts`, `${code}\nexport {}\n`)
  return files.map(({ place }) => place)
}
