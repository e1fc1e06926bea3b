// Holds the house to its plan: who may import whom, how long a file may be, and what each public entry exports.

import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize, relative } from 'node:path'
import { describe, it } from 'node:test'

const layers: readonly (readonly string[])[] = [
  ['framework/http', 'framework/html', 'framework/log', 'framework/timing', 'framework/redact', 'framework/config'],
  ['framework/routing', 'framework/recording'],
  ['framework/kernel'],
  ['errors'],
  ['plugins/currency', 'profiler/measuring', 'profiler/capture'],
  ['plugins/maintenance', 'profiler'],
  ['profiler/query'],
  ['stores'],
  ['profiler/web', 'framework/node'],
  ['app'],
  ['cli', 'profiler/testing'],
]

const ports = /(-store|-responder|\/listener|\/panel|\/collector)\.ts$/

const files = globSync('src/**/*.ts').sort()

describe('the layers of src/', () => {
  it('has every folder in exactly one layer', () => {
    const folders = new Set(files.filter((file) => file.split('/').length > 2).map(folderOf))
    assert.deepEqual([...folders].sort(), layers.flat().sort())
  })

  it('imports from the own folder, from a lower layer, or a port of the same layer', () => {
    const wrong: string[] = []
    for (const file of files) {
      if (file.split('/').length === 2) continue
      for (const target of importsOf(file)) {
        const own = folderOf(file)
        const other = folderOf(target)
        if (target.split('/').length === 2) wrong.push(`${file} imports the public entry ${target}`)
        else if (own === other) continue
        else if (layerOf(other) > layerOf(own)) wrong.push(`${file} imports ${target} from a higher layer`)
        else if (layerOf(other) === layerOf(own) && !ports.test(target) && !isTypeOnly(file, target)) {
          wrong.push(`${file} imports ${target} of the same layer, which is no port`)
        }
      }
    }
    assert.deepEqual(wrong, [])
  })

  it('keeps the kernel free of pages, stores and the profiler', () => {
    const targets = files.filter((file) => folderOf(file) === 'framework/kernel').flatMap(importsOf)
    assert.deepEqual(
      targets.filter((target) => layerOf(folderOf(target)) > layerOf('framework/kernel')),
      [],
    )
  })

  it('keeps the profiler headless: no markup below web-profiler', () => {
    const targets = files.filter((file) => folderOf(file) === 'profiler').flatMap(importsOf)
    assert.deepEqual(
      targets.filter((target) => target.startsWith('src/framework/html/') || target.startsWith('src/errors/page/')),
      [],
    )
  })
})

describe('the files of the repository', () => {
  it('are at most 300 lines long', () => {
    const long = globSync(['src/**/*.ts', 'app/**/*.ts'])
      .map((file) => ({ file, lines: readFileSync(file, 'utf8').split('\n').length - 1 }))
      .filter(({ lines }) => lines > 300)
    assert.deepEqual(long, [])
  })

  it('hold constants only at their top level, but for the programs of a thread or process', () => {
    const programs = ['src/cli/main.ts', 'src/stores/sqlite/sqlite-worker.ts']
    const changing = files.filter((file) => /^(?:export )?(?:let|var) /m.test(readFileSync(file, 'utf8')))
    assert.deepEqual(changing, programs)
  })

  it('open with a comment that says what they are', () => {
    const silent = globSync(['src/**/*.ts', 'app/**/*.ts', 'scripts/*', 'bench/**/*.ts'], {
      exclude: (path) => String(path).includes('node_modules'),
    }).filter((file) => /\.(ts|mjs)$/.test(file) && !/^(#!.*\n)?\/\//.test(readFileSync(file, 'utf8')))
    assert.deepEqual(silent, [])
  })
})

describe('the public entries', () => {
  const snapshot = JSON.parse(readFileSync('test/public-api.json', 'utf8')) as Record<string, string[]>
  const entries = files.filter((file) => file.split('/').length === 2)

  it('are the ones that package.json exports', () => {
    const { exports } = JSON.parse(readFileSync('package.json', 'utf8')) as { exports: Record<string, string> }
    const exported = Object.values(exports)
      .filter((target) => target.endsWith('.js'))
      .map((target) => target.replace('./dist/', 'src/').replace(/\.js$/, '.ts'))
    assert.deepEqual(exported.sort(), entries)
  })

  for (const entry of entries) {
    it(`${entry} exports what the snapshot says`, async () => {
      const module = (await import(join(process.cwd(), entry))) as Record<string, unknown>
      assert.deepEqual(Object.keys(module).sort(), snapshot[entry])
    })
  }
})

/** The longest name of a layer that the file lies below: `framework/http`, `profiler`. */
function folderOf(file: string): string {
  const [, folder = '', inner = ''] = file.split('/')
  return layers.flat().includes(`${folder}/${inner}`) ? `${folder}/${inner}` : folder
}

function layerOf(folder: string): number {
  return layers.findIndex((layer) => layer.includes(folder))
}

function importsOf(file: string): string[] {
  const source = readFileSync(file, 'utf8')
  const found = source.matchAll(/(?:from|import)\s*\(?\s*'(\.{1,2}\/[^']+)'/g)
  return [...found].map((match) => relative('.', normalize(join(dirname(file), match[1] ?? ''))))
}

function isTypeOnly(file: string, target: string): boolean {
  const source = readFileSync(file, 'utf8')
  const path = relative(dirname(file), target).replace(/^(?!\.)/, './')
  return (
    source.includes(`import type`) && new RegExp(`import type [^;']*from '${path.replace(/[.]/g, '\\.')}'`).test(source)
  )
}
