// Programs of random functions, each in two texts with the same lines: as it is, and with a call in front of each statement that says what the
// statement is about to see.

/** A program: `main()` is its entry. In the second text `$` is asked for each call and told each statement. */
export interface GeneratedProgram {
  readonly plain: string
  readonly telling: string
}

/** The same for the same seed. */
export function generateProgram(seed: number): GeneratedProgram {
  return new Generator(seed).program()
}

class Generator {
  #state: number
  readonly #plain: string[] = []
  readonly #telling: string[] = []
  #names = 0

  constructor(seed: number) {
    this.#state = seed * 2_654_435_761 + 1
  }

  program(): GeneratedProgram {
    const count = 3 + this.#below(3)
    for (let index = count - 1; index >= 0; index -= 1) this.#function(index, count)
    this.#line('export async function main() {')
    this.#line('  return f0(1, 2)')
    this.#line('}')
    return { plain: this.#plain.join('\n'), telling: this.#telling.join('\n') }
  }

  #below(limit: number): number {
    this.#state = (Math.imul(this.#state, 1_103_515_245) + 12_345) >>> 0
    return (this.#state >>> 8) % limit
  }

  #line(plain: string, telling = plain): void {
    this.#plain.push(plain)
    this.#telling.push(telling)
  }

  /** A statement of its own line. */
  #statement(indent: string, text: string, names: readonly string[]): void {
    const number = this.#plain.length + 1
    this.#line(
      `${indent}${text}`,
      `${indent}$c(${number}, () => [${names.map((name) => `['${name}', () => ${name}]`)}]); ${text}`,
    )
  }

  #function(index: number, count: number): void {
    const head = `async function f${index}(a, b) {`
    const number = this.#plain.length + 1
    this.#line(head, `${head} const $c = $('f${index}', ${number});`)
    const names = ['a', 'b']
    this.#block('  ', names, index, count, 0)
    this.#statement('  ', `return ${this.#value(names)}`, names)
    this.#line('}')
    this.#line(`function* g${index}(n) {`, `function* g${index}(n) { const $c = $('g${index}', ${number + 1000});`)
    this.#line('  for (let k = 0; k < n; k += 1) {')
    this.#line('    yield k')
    this.#line('  }')
    this.#line('}')
  }

  #block(indent: string, outer: string[], index: number, count: number, depth: number): void {
    const length = 2 + this.#below(3)
    for (let at = 0; at < length; at += 1) this.#one(indent, outer, index, count, depth)
  }

  #one(indent: string, names: string[], index: number, count: number, depth: number): void {
    const kind = this.#below(depth < 2 ? 12 : 4)
    const inner = (body: (names: string[]) => void): void => body([...names])
    const name = `v${(this.#names += 1)}`
    switch (kind) {
      case 0:
      case 1:
        this.#statement(indent, `let ${name} = ${this.#value(names)}`, names)
        names.push(name)
        return
      case 2:
        return this.#statement(indent, `a += ${this.#value(names)} % 7`, names)
      case 3:
        this.#statement(indent, `const { p: ${name} = 5 } = { p: ${this.#value(names)} }`, names)
        names.push(name)
        return
      case 4:
        this.#line(`${indent}if (${this.#value(names)} % 2 === 0) {`)
        inner((own) => this.#block(`${indent}  `, own, index, count, depth + 1))
        this.#line(`${indent}} else {`)
        inner((own) => this.#block(`${indent}  `, own, index, count, depth + 1))
        return this.#line(`${indent}}`)
      case 5:
        this.#line(`${indent}for (let ${name} = 0; ${name} < 2; ${name} += 1) {`)
        inner((own) => this.#block(`${indent}  `, own, index, count, depth + 1))
        return this.#line(`${indent}}`)
      case 6:
        this.#line(`${indent}for (const ${name} of [a, b]) {`)
        inner((own) => this.#block(`${indent}  `, own, index, count, depth + 1))
        return this.#line(`${indent}}`)
      case 7:
        this.#line(`${indent}try {`)
        inner((own) => {
          this.#block(`${indent}  `, own, index, count, depth + 1)
          this.#statement(`${indent}  `, `if (a % 2 === 1) throw new Error('odd')`, own)
        })
        this.#line(`${indent}} catch {`)
        inner((own) => this.#statement(`${indent}  `, `b += 1`, own))
        this.#line(`${indent}} finally {`)
        inner((own) => this.#statement(`${indent}  `, `a += 3`, own))
        return this.#line(`${indent}}`)
      case 8:
        if (index + 1 >= count) return this.#statement(indent, 'await null', names)
        this.#statement(indent, `let ${name} = await f${index + 1}(${this.#value(names)}, b)`, names)
        names.push(name)
        return
      case 9:
        if (index + 1 >= count) return this.#statement(indent, 'b += 2', names)
        this.#statement(
          indent,
          `let ${name} = (await Promise.all([f${index + 1}(a, 1), f${index + 1}(b, 2)]))[1]`,
          names,
        )
        names.push(name)
        return
      case 10:
        this.#statement(indent, `let ${name} = ((z) => z + a)(b)`, names)
        names.push(name)
        return
      default:
        this.#statement(indent, `let ${name} = [...g${index}(2)].length`, names)
        names.push(name)
    }
  }

  #value(names: readonly string[]): string {
    const name = names[this.#below(names.length)] ?? 'a'
    return this.#below(2) === 0 ? name : `(${name} + ${this.#below(9)})`
  }
}
