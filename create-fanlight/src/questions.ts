// Asks for what is not on the command line. Answers are lines of standard input, from a terminal or not.

import { createInterface } from 'node:readline'
import { kindNames, kinds, type Kind } from './kinds.ts'
import { UsageError } from './usage-error.ts'

export class Questions {
  readonly #lines = createInterface({ input: process.stdin, output: process.stdout })
  readonly #answers = this.#lines[Symbol.asyncIterator]()

  async askFolder(preset: string): Promise<string> {
    return (await this.#ask(`Name of the application (${preset}): `)) || preset
  }

  /** Takes the number or the name, and asks again for anything else. */
  async askKind(preset: Kind): Promise<Kind> {
    const rows = kindNames.map((name, index) => `  ${index + 1}  ${name.padEnd(8)} ${kinds[name].title}\n`)
    process.stdout.write(rows.join(''))
    for (;;) {
      const said = (await this.#ask(`Kind (${preset}): `)) || preset
      const kind = kindNames.find((name, index) => said === name || said === String(index + 1))
      if (kind !== undefined) return kind
      process.stdout.write(`Type a number from 1 to ${kindNames.length}, or a name.\n`)
    }
  }

  close(): void {
    this.#lines.close()
  }

  async #ask(question: string): Promise<string> {
    this.#lines.setPrompt(question)
    this.#lines.prompt()
    const { value, done } = await this.#answers.next()
    if (done === true) throw new UsageError('The input has ended. Name the folder and --kind, or use --yes')
    return value.trim()
  }
}
