// Each command line of `fanlight` in README.md and docs/ names a command and options that are there.

import assert from 'node:assert/strict'
import { it } from 'node:test'
import { cliFolder, type CliFolder } from '../support/cli-run.ts'
import { pages, read } from '../support/documentation.ts'

const named = /(?<=^(?:[ `$]|npx |docker exec \S+ )*fanlight )[a-z-][^`\n]*/gm

/** What stands behind `fanlight` in code, and on which page. */
const lines = pages.flatMap((page) => {
  const code = read(page).match(/^```[\s\S]*?^```|^ {4}.*$|`[^`\n]+`/gm) ?? []
  return (code.join('\n').match(named) ?? []).map((line) => ({ page, line }))
})

class Helps {
  readonly #folder: CliFolder
  readonly #texts = new Map<string, Promise<string>>()

  constructor(folder: CliFolder) {
    this.#folder = folder
  }

  async of(command: readonly string[]): Promise<string> {
    const key = command.join(' ')
    const known = this.#texts.get(key) ?? this.#folder.run([...command, '--help']).then(({ stdout }) => stdout)
    this.#texts.set(key, known)
    return known
  }

  /** What is wrong with a command line; `null` if nothing is. */
  async problemOf(line: string): Promise<string | null> {
    const words = (line.split(/ -- |\s[|>#;]|\s && /)[0] ?? '').split(/\s+/)
    const command: string[] = []
    for (const word of words) {
      const text = await this.of(command)
      const commands = [...(text.split('Commands:')[1] ?? '').matchAll(/^ {2}([a-z-]+)/gm)].map(([, name]) => name)
      if (commands.length === 0 || /^\W/.test(word) || word === '') break
      if (!commands.includes(word)) return `there is no command "${[...command, word].join(' ')}"`
      command.push(word)
    }
    const help = await this.of(command)
    const options = words.flatMap((word) => /^--[a-z-]+/.exec(word)?.[0] ?? [])
    const unknown = options.filter((option) => !new RegExp(`${option}\\b`).test(help))
    return unknown.length === 0 ? null : `"${command.join(' ')}" has no ${unknown.join(', ')}`
  }
}

it('the commands in README.md and docs/: are there, with their options', async () => {
  await using folder = await cliFolder()
  const helps = new Helps(folder)
  assert.ok(lines.length > 50)
  const wrong: string[] = []
  for (const { page, line } of lines) {
    const problem = await helps.problemOf(line)
    if (problem !== null) wrong.push(`${page}: fanlight ${line}: ${problem}`)
  }
  assert.deepEqual(wrong, [])
  assert.equal(await helps.problemOf('lock onn --force'), 'there is no command "lock onn"')
  assert.equal(await helps.problemOf('lock on --forced'), '"lock on" has no --forced')
})
