// `npm create fanlight`, run from its sources. `scripts/fresh-machine/create.ts` tries it packed, with a real installation.

import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname, join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, before, describe, it, type TestContext } from 'node:test'
import { kindNames, type Kind } from '../../create-fanlight/src/kinds.ts'
import { completeManifest } from '../../create-fanlight/src/manifest.ts'
import { builtCli, installPackage } from '../../scripts/built-shop.ts'
import { readManifest } from '../../scripts/project-address.ts'
import { compiledCode } from '../support/compiled-code.ts'
import { freePort } from '../support/free-port.ts'
import { makeTemporaryDirectory } from '../support/temporary-directory.ts'
import { until, untilAgain } from '../support/until.ts'

const program = resolve('create-fanlight/src/create.ts')
const { dependencies: starters } = readManifest('test/integrations/older/package.json') as {
  dependencies: Record<string, string>
}
const { version, dependencies, devDependencies } = readManifest('package.json') as {
  version: string
  dependencies: Record<string, string>
  devDependencies: Record<string, string>
}

interface Said {
  readonly status: number | null
  readonly stdout: string
  readonly stderr: string
}

function create(cwd: string, args: readonly string[], answers = '', env: Record<string, string> = {}): Said {
  return spawnSync(process.execPath, [program, ...args], {
    cwd,
    encoding: 'utf8',
    input: answers,
    env: { ...plainEnv(cwd), ...env },
  })
}

const plainEnv = (cwd: string): NodeJS.ProcessEnv => ({ PATH: process.env['PATH'], HOME: cwd, ...compiledCode })

const filesBelow = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))

function refused(test: TestContext, args: readonly string[]): string {
  const { status, stdout, stderr } = create(makeTemporaryDirectory(test), args)
  assert.deepEqual([status, stdout], [2, ''])
  return stderr.trimEnd()
}

/** What its first page shows, and what a developer makes of it. */
const edits: Readonly<Record<Kind, readonly [file: string, before: string, after: string]>> = {
  pages: ['pages.ts', "'Notes'", "'Edited'"],
  api: ['routes.ts', "'/health'", "'/edited'"],
  express: ['app.ts', '<h1>Notes', '<h1>Edited'],
  fastify: ['app.ts', '<h1>Notes', '<h1>Edited'],
  nest: ['notes-controller.ts', '<h1>Notes', '<h1>Edited'],
}

/** Links packages into the folder of a test. */
function link(directory: string, names: readonly string[], from = 'node_modules'): void {
  for (const name of names) {
    mkdirSync(dirname(join(directory, 'node_modules', name)), { recursive: true })
    symlinkSync(resolve(from, name), join(directory, 'node_modules', name))
  }
}

/**
 * The built package and what applications import beside it: installed once, so that its code is compiled once. Beside it, an application of
 * each kind.
 */
const installed = makeTemporaryDirectory({ after })
const folderOf = (kind: Kind): string => join(installed, `apps/a-${kind}`)
const created = new Map<Kind, Said>()
before(async () => {
  for (const kind of kindNames) created.set(kind, create(installed, [`apps/a-${kind}`, '--kind', kind, '--no-install']))
  await installPackage(installed)
  const nest = ['@nestjs/common', '@nestjs/core', '@nestjs/platform-express', 'reflect-metadata', 'rxjs']
  link(installed, ['express', 'fastify', ...nest])
  link(installed, ['tsx'], 'test/integrations/older/node_modules')
})

describe('npm create fanlight', () => {
  for (const kind of kindNames) {
    it(`writes about ten files of the kind ${kind}, with the packages of this repository`, () => {
      const { status, stdout, stderr } = created.get(kind) ?? assert.fail()
      assert.deepEqual([status, stderr], [0, ''])
      const files = filesBelow(folderOf(kind))
      assert.ok(files.length >= 9 && files.length <= 14, files.join('\n'))
      assert.match(stdout, new RegExp(`^Wrote ${files.length} files to apps/a-${kind}\\.\n`))
      assert.match(stdout, new RegExp(`cd apps/a-${kind}\n {2}npm install\n {2}npm run dev`))
      for (const file of files) assert.doesNotMatch(readFileSync(file, 'utf8'), /my-app/)
      for (const name of ['.gitignore', '.dockerignore', 'Dockerfile', 'test/app.test.ts'])
        assert.ok(existsSync(join(folderOf(kind), name)), name)

      const manifest = readManifest(join(folderOf(kind), 'package.json')) as {
        name: string
        dependencies: Record<string, string>
        devDependencies: Record<string, string>
      }
      assert.equal(manifest.name, `a-${kind}`)
      const ours: Record<string, string> = { ...starters, ...dependencies, ...devDependencies, fanlight: version }
      for (const [name, range] of Object.entries({ ...manifest.dependencies, ...manifest.devDependencies }))
        assert.equal(range, `^${ours[name]}`, name)
    })
  }

  it('keeps settings with secrets out of the repository and out of the image', (test) => {
    const cwd = makeTemporaryDirectory(test)
    for (const kind of kindNames) {
      const folder = join(cwd, kind)
      cpSync(folderOf(kind), folder, { recursive: true })
      mkdirSync(join(folder, 'packages/a'), { recursive: true })
      const secrets = ['.env', '.env.local', '.env.prod', '.env.dev.local', 'packages/a/.env']
      for (const name of [...secrets, '.env.example', '.env.test']) writeFileSync(join(folder, name), 'A=1\n')
      const kept = (...options: string[]): readonly string[] => {
        const { stdout } = spawnSync('git', ['ls-files', '--others', ...options], { cwd: folder, encoding: 'utf8' })
        return stdout.split('\n').filter((name) => name.includes('.env'))
      }
      assert.equal(spawnSync('git', ['init', '--quiet'], { cwd: folder }).status, 0)
      assert.deepEqual(kept('--exclude-standard'), ['.env.example', '.env.test'])
      assert.deepEqual(kept('--exclude-from=.dockerignore'), [])
      assert.match(readFileSync(join(folder, 'Dockerfile'), 'utf8'), /^ENV APP_ENV=prod /m)
    }
  })

  it('makes applications whose tests pass with the built package', () => {
    for (const kind of kindNames.filter((kind) => kind !== 'nest')) {
      const { status, stdout } = spawnSync(process.execPath, ['--test'], {
        cwd: folderOf(kind),
        encoding: 'utf8',
        env: { PATH: process.env['PATH'], ...compiledCode },
      })
      assert.equal(status, 0, stdout)
      assert.match(stdout, /pass [1-9]/)
    }
  })

  for (const kind of kindNames)
    it(`makes applications of the kind ${kind} that respond with what was saved`, async (test) => {
      const cwd = installed
      const folder = folderOf(kind)
      const { scripts } = readManifest(join(folder, 'package.json')) as { scripts: { dev: string } }
      const [, ...words] = scripts.dev
        .replace('tsx watch', `${process.execPath} ${join(cwd, 'node_modules/tsx/dist/cli.mjs')} watch`)
        .split(' ')
      const port = await freePort()
      const dev = spawn(process.execPath, [join(cwd, builtCli), ...words], {
        cwd: folder,
        env: {
          ...plainEnv(cwd),
          PATH: `${dirname(process.execPath)}:${process.env['PATH']}`,
          PORT: String(port),
          FANLIGHT_STORE: 'memory:',
          APP_STORE: 'memory:',
        },
        stdio: ['ignore', 'pipe', 'pipe'],
      })
      const ended = once(dev, 'close')
      let said = ''
      for (const output of [dev.stdout, dev.stderr]) output.on('data', (chunk: Buffer) => (said += chunk.toString()))
      test.after(async () => {
        dev.kill('SIGTERM')
        await ended
      })
      const has = async (text: string): Promise<boolean> => {
        assert.equal(dev.exitCode, null, said)
        try {
          const signal = AbortSignal.timeout(5000)
          const response = await fetch(`http://127.0.0.1:${port}/`, { headers: { connection: 'close' }, signal })
          return (await response.text()).includes(text)
        } catch {
          return false
        }
      }
      const [name, before, edited] = edits[kind]
      const file = join(folder, 'app', name)
      const source = readFileSync(file, 'utf8')
      assert.ok(source.includes(before))
      await until(() => has(before.replaceAll("'", '')))
      // Node and tsx may miss a save: that is theirs.
      await untilAgain(
        () => writeFileSync(file, source.replace(before, edited)),
        () => has(edited.replaceAll("'", '')),
      )
    })

  it('asks for a name and a kind, and again for a kind that there is not', (test) => {
    const cwd = makeTemporaryDirectory(test)
    const { status, stdout } = create(cwd, ['--no-install'], 'shop\ncgi\n2\n')
    assert.equal(status, 0)
    assert.match(stdout, /Name of the application \(my-app\): .*1 {2}pages.*Type a number from 1 to 5, or a name/s)
    assert.match(readFileSync(join(cwd, 'shop/app/routes.ts'), 'utf8'), /json\(/)
  })

  it('takes the presets for empty answers and for --yes', (test) => {
    const [answered, silent] = [makeTemporaryDirectory(test), makeTemporaryDirectory(test)]
    assert.equal(create(answered, ['--no-install'], '\n\n').status, 0)
    assert.equal(create(silent, ['--no-install', '--yes']).status, 0)
    for (const cwd of [answered, silent]) assert.ok(existsSync(join(cwd, 'my-app/app/pages.ts')))
  })

  it('fills an empty folder, also one of git', (test) => {
    const cwd = join(makeTemporaryDirectory(test), 'shop')
    mkdirSync(join(cwd, '.git'), { recursive: true })
    const { status, stdout } = create(cwd, ['.', '--kind', 'api', '--no-install'])
    assert.equal(status, 0)
    assert.match(stdout, /files to \.\.\n\n {2}npm install/)
    assert.equal(readManifest(join(cwd, 'package.json'))['name'], 'shop')
  })

  it('touches nothing where something is in the way', (test) => {
    const cwd = makeTemporaryDirectory(test)
    mkdirSync(join(cwd, 'shop'))
    for (const name of ['a.txt', 'b.txt']) writeFileSync(join(cwd, 'shop', name), 'mine')
    const full = create(cwd, ['shop', '--kind', 'api'])
    assert.equal(full.status, 2)
    assert.match(full.stderr, /^create-fanlight: .*shop is not empty: it has a\.txt and 1 more\. Choose another name/)
    assert.deepEqual(readdirSync(join(cwd, 'shop')), ['a.txt', 'b.txt'])
    writeFileSync(join(cwd, 'store'), '')
    assert.match(create(cwd, ['store', '--kind', 'api']).stderr, /store is a file\. Choose another name\.\n$/)
    const below = create(cwd, ['store/shop', '--kind', 'api'])
    assert.equal(below.status, 1)
    assert.match(below.stderr, /^create-fanlight: .*ENOTDIR.*\n$/)
  })

  it('says what cannot be used, and what can', (test) => {
    const said = (...args: readonly string[]): string => refused(test, args)
    assert.match(said('Käse & Brot', '--kind', 'api'), /"Käse & Brot" cannot be the name .* for instance kase-brot\.$/)
    assert.match(said('fanlight', '--kind', 'api'), /Choose another one: fanlight-app\.$/)
    assert.match(said('shop', '--kind', 'cgi'), /no kind "cgi"\. Choose one of pages, api, express, fastify, nest\.$/)
    assert.match(said('shop', '--knd', 'api'), /Unknown option '--knd'\.$/)
    assert.match(said('shop', 'store'), /^create-fanlight: Name one folder, not shop and store\.$/)
    assert.match(said('shop', '--fanlight', './none.tgz'), /There is no file .*none\.tgz\.$/)
  })

  it('says that nobody answers', (test) => {
    const { status, stderr } = create(makeTemporaryDirectory(test), [])
    assert.deepEqual(
      [status, stderr],
      [2, 'create-fanlight: The input has ended. Name the folder and --kind, or use --yes.\n'],
    )
  })

  it('says that the registry cannot be reached, and leaves the files', (test) => {
    const cwd = makeTemporaryDirectory(test)
    const env = { npm_config_registry: 'http://127.0.0.1:9/' }
    const { status, stderr } = create(cwd, ['shop', '--kind', 'api'], '', env)
    assert.equal(status, 1)
    assert.equal(
      stderr,
      'create-fanlight: The npm registry cannot be reached (ECONNREFUSED).\nThe files are there. Run "npm install" in shop again.\n',
    )
    assert.ok(existsSync(join(cwd, 'shop/package.json')))
  })

  it('names a packed Fanlight where the registry has none', async (test) => {
    const registry = createServer(({ url = '' }, response) => {
      const name = decodeURIComponent(url.slice(1))
      const known = { ...starters, ...dependencies, ...devDependencies }[name]
      if (known === undefined) return response.writeHead(404).end('{}')
      const versions = { [known]: { name, version: known, dist: { tarball: `http://127.0.0.1:9${url}` } } }
      return response.end(JSON.stringify({ name, 'dist-tags': { latest: known }, versions }))
    }).listen(0, '127.0.0.1')
    test.after(() => registry.close().closeAllConnections())
    await once(registry, 'listening')
    const env = { npm_config_registry: `http://127.0.0.1:${(registry.address() as AddressInfo).port}/` }
    const cwd = makeTemporaryDirectory(test)
    const child = spawn(process.execPath, [program, 'shop', '--kind', 'api'], {
      cwd,
      env: { ...plainEnv(cwd), ...env },
    })
    child.stdin.end()
    assert.match(
      await text(child.stderr),
      /fanlight@[^]*\nThe files are there\. Run "npm install <file>" in shop with a packed Fanlight, or name it next time: --fanlight <file>\.\n$/,
    )
  })

  it('says its usage and its version, which is that of Fanlight', (test) => {
    const cwd = makeTemporaryDirectory(test)
    assert.match(create(cwd, ['--help']).stdout, /^Usage: npm create fanlight \[folder\] \[-- options\]/)
    assert.equal(create(cwd, ['--version']).stdout, `${version}\n`)
  })
})

it('the manifest: brings Node where this one is older than Fanlight needs', () => {
  const manifest: unknown = JSON.parse(
    completeManifest('{"dependencies":{},"devDependencies":{}}', '^1.0.0', '22.17.1'),
  )
  assert.deepEqual(manifest, {
    dependencies: { fanlight: '^1.0.0' },
    devDependencies: { node: '^24.11.0' },
    allowScripts: { node: true },
  })
})
