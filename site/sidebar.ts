// The map of the documentation: its sections and their pages, in the order in which they are read.

import { existsSync, globSync, readFileSync } from 'node:fs'
import path from 'node:path'

export interface Section {
  readonly title: string
  readonly pages: readonly Page[]
}

export interface Page {
  /** `guides/routing.md`, below `docs/`. */
  readonly file: string
  /** Its first heading. */
  readonly title: string
  /** The first sentence below the heading, without markup. */
  readonly summary: string
}

interface Folder {
  readonly title: string
  /** Pages that come first, in this order; the others follow by title. */
  readonly first: readonly string[]
}

const folders: Readonly<Record<string, Folder>> = {
  start: { title: 'Start', first: ['introduction', 'new-application', 'tutorial'] },
  guides: {
    title: 'Guides',
    first: [
      'handlers',
      'routing',
      'errors',
      'api-errors',
      'listeners',
      'testing',
      'profiler',
      'capture',
      'panels',
      'frameworks',
      'maintenance',
      'production',
      'deploying',
      'many-machines',
      'opentelemetry',
      'security',
      'agents',
      'troubleshooting',
    ],
  },
  recipes: {
    title: 'Recipes',
    first: [
      'pages',
      'forms',
      'validation',
      'postgresql',
      'sqlite',
      'cookies-and-sessions',
      'sessions',
      'passwords',
      'auth-guard',
      'csrf',
      'rate-limit',
      'security-headers',
      'static-files',
      'uploads',
      'cors',
      'compression',
    ],
  },
  reference: { title: 'Reference', first: ['options', 'api/index', 'cli', 'profiler'] },
  'coming-from': { title: 'Coming from', first: ['express', 'fastify', 'hono', 'symfony', 'laravel'] },
  project: { title: 'Project', first: ['lifecycle', 'profiler-internals', 'reliability', 'dependencies'] },
  decisions: { title: 'Decisions', first: [] },
}

/** Reads the map from `docs/`. A folder without pages is left out. */
export function readSections(docs: string): readonly Section[] {
  return Object.entries(folders)
    .map(([folder, { title, first }]) => {
      const listed = first.map((name) => `${folder}/${name}.md`).filter((file) => existsSync(path.join(docs, file)))
      const others = globSync(`${folder}/**/*.md`, { cwd: docs }).map((file) => file.replaceAll('\\', '/'))
      const pages = others.filter((file) => !listed.includes(file)).map((file) => pageAt(docs, file))
      const isByName = folder === 'decisions'
      pages.sort((one, other) => (isByName ? compare(one.file, other.file) : compare(one.title, other.title)))
      return { title, pages: [...listed.map((file) => pageAt(docs, file)), ...pages] }
    })
    .filter(({ pages }) => pages.length > 0)
}

const compare = (one: string, other: string): number => one.localeCompare(other, 'en')

function pageAt(docs: string, file: string): Page {
  const text = readFileSync(path.join(docs, file), 'utf8').replace(/^---\n[\s\S]*?\n---\n/, '')
  const title = /^# (.+)$/m.exec(text)?.[1]?.replaceAll('`', '') ?? file
  const paragraph = /^# .+\n+([^#`|!<][\s\S]*?)\n\n/m.exec(text)?.[1] ?? ''
  const plain = paragraph.replaceAll(/\s+/g, ' ').replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
  return { file, title, summary: /^.*?[.:](?= |$)/.exec(plain)?.[0]?.replace(/:$/, '.') ?? plain }
}
