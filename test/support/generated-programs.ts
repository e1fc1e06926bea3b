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

type FunctionKind = 'async' | 'sync' | 'generator' | 'async generator' | 'method' | 'arrow'

const kinds: readonly FunctionKind[] = [
  'async',
  'sync',
  'generator',
  'async generator',
  'method',
  'arrow',
  'async',
  'sync',
]

interface Variable {
  readonly name: string
  /** Tells those of one name apart. */
  readonly key: number
}

/** A function that others may call. `calls` is how many calls one of it makes at most, itself included. */
interface Callable {
  readonly name: string
  readonly kind: FunctionKind
  readonly calls: number
}

/** Where a statement is written. */
interface Spot {
  readonly indent: string
  readonly names: Variable[]
  readonly kind: FunctionKind
  readonly depth: number
  /** How often it may run. */
  readonly times: number
  readonly label?: string
}

const maxCalls = 30
const closure = /\[(\w*): ([^\]]+)\]/g

class Generator {
  #state: number
  readonly #plain: string[] = []
  readonly #telling: string[] = []
  readonly #callable: Callable[] = []
  #calls = 1
  #names = 0
  #places = 0

  constructor(seed: number) {
    this.#state = seed * 2_654_435_761 + 1
  }

  program(): GeneratedProgram {
    this.#line(
      'const t0 = (texts, x) => texts.length + x',
      "const t0 = (texts, x) => { const $c = $('t0', 1); $c(1, 0, () => [['x', 2, () => x]]); return texts.length + x }",
    )
    this.#line('const zip = (g, h) => [g.next(), h.next(), g.next(), h.next(), ...h, ...g].length')
    for (let left = 2 + this.#below(3); left > 0; left -= 1) this.#function(this.#pick(kinds))
    this.#function('async', 'f0')
    this.#line('export async function main() {')
    this.#line('  return f0(1, 2)')
    this.#line('}')
    return { plain: this.#plain.join('\n'), telling: this.#telling.join('\n') }
  }

  #below(limit: number): number {
    this.#state = (Math.imul(this.#state, 1_103_515_245) + 12_345) >>> 0
    return (this.#state >>> 8) % limit
  }

  #pick<Item>(items: readonly Item[]): Item {
    const item = items[this.#below(items.length)]
    if (item === undefined) throw new Error('There is nothing to pick from.')
    return item
  }

  #line(plain: string, telling = plain): void {
    this.#plain.push(plain)
    this.#telling.push(telling)
  }

  #variable(name?: string): Variable {
    this.#names += 1
    return { name: name ?? `v${this.#names}`, key: this.#names }
  }

  /** What tells the values of variables, for the line that is written next, and which variables it makes. */
  #tell(names: readonly Variable[], makes: readonly Variable[] = []): string {
    // The one that was declared last is in front of others.
    const seen = new Map(names.map((variable) => [variable.name, variable]))
    const read = [...seen.values()].map(({ name, key }) => `['${name}', ${key}, () => ${name}]`)
    const made = makes.map(({ key }) => key)
    return `$c(${this.#plain.length + 1}, ${(this.#places += 1)}, () => [${read.join(', ')}], [${made.join(', ')}])`
  }

  /** `[z: z + a]` is a function; it is told before what stands behind `|`, too. */
  #statement({ indent, names }: Spot, text: string, makes?: readonly Variable[]): void {
    const plain = text.replaceAll(closure, '($1) => $2').replaceAll('| ', '')
    const telling = text.replaceAll(closure, (_, parameter: string, body: string) => {
      const own = parameter === '' ? [] : [this.#variable(parameter)]
      const seen = [...names, ...own].filter(({ name }) => new RegExp(`\\b${name}\\b`).test(body))
      const number = this.#plain.length + 1
      const end = this.#tell(seen).replace('$c(', '$c(-')
      return `(${parameter}) => { const $c = $('anonymous', ${number}); ${this.#tell(seen)}; const $v = ${body.replaceAll('|', () => `${this.#tell(seen)},`)}; ${end}; return $v }`
    })
    this.#line(
      `${indent}${plain}`,
      `${indent}${this.#tell(names, makes)}; ${telling.replaceAll('|', () => `${this.#tell(names, makes)},`)}`,
    )
  }

  #function(kind: FunctionKind, given?: string): void {
    const letter = kind === 'generator' ? 'g' : kind === 'async generator' ? 'h' : kind === 'method' ? 'm' : 'f'
    const name = given ?? `${letter}${this.#plain.length}`
    const [a, b] = [this.#variable('a'), this.#variable('b')]
    const parameters =
      this.#below(3) === 0 ? '{ p: a = 5, q: b = a } = { p: 3 }' : this.#below(2) === 0 ? 'a, b = a' : 'a, b'
    const spot: Spot = { indent: kind === 'method' ? '    ' : '  ', names: [a, b], kind, depth: 0, times: 1 }
    this.#calls = 1
    const isObject = parameters.startsWith('{')
    const head = {
      async: `async function ${name}(${parameters}) {`,
      sync: `function ${name}(${parameters}) {`,
      generator: `function* ${name}(${parameters}) {`,
      'async generator': `async function* ${name}(${parameters}) {`,
      arrow: `const ${name} = (${parameters}) => {`,
      method: `  ${name}(${parameters}) {`,
    }[kind]
    if (kind === 'method') {
      this.#line(`class C${name} {`)
      this.#line('  #x = 1')
      const number = this.#plain.length + 1
      this.#line(
        '  get y() { return this.#x }',
        `  get y() { const $c = $('y', ${number}); $c(${number}, 0, () => []); return this.#x }`,
      )
      this.#line(
        '  set y(z) { this.#x = z }',
        `  set y(z) { const $c = $('y', ${number + 1}); $c(${number + 1}, 0, () => [['z', 0, () => z]]); this.#x = z }`,
      )
    }
    this.#line(head, `${head} const $c = $('${name}', ${this.#plain.length + 1});`)
    if (kind === 'method') {
      this.#calls += 2
      this.#statement(spot, 'this.y = a')
      this.#statement(spot, 'b += this.y')
    }
    this.#block(spot)
    const returns = this.#below(4) > 0
    // Where a function returns, V8 shows the variables of its body only if it does not stop and takes names.
    const isFlat = parameters === 'a, b' && kind !== 'async' && !kind.endsWith('generator')
    if (returns) this.#statement(spot, `return ${isFlat ? this.#value(spot) : `(${this.#value(spot)} + 1)`}`)
    const end = kind === 'method' ? '  }' : '}'
    const told = this.#tell(isFlat ? spot.names : [a, b]).replace('$c(', '$c(-')
    // Generators that wait have no place where they return.
    this.#line(end, returns || kind === 'async generator' ? end : `${told} ${end}`)
    if (kind === 'method') this.#line('}')
    this.#callable.push({ name: isObject ? `${name}|` : name, kind, calls: this.#calls })
  }

  #block(spot: Spot): void {
    for (let left = 1 + this.#below(3); left > 0; left -= 1) this.#one(spot)
  }

  /** A block of its own, with variables of its own. */
  #inner(spot: Spot, given: Partial<Spot> = {}, first?: (own: Spot) => void): Spot {
    const own = { ...spot, indent: `${spot.indent}  `, names: [...spot.names], depth: spot.depth + 1, ...given }
    first?.(own)
    this.#block(own)
    return own
  }

  #one(spot: Spot): void {
    const simple = [
      this.#declare,
      this.#change,
      this.#destructure,
      this.#closure,
      this.#expressions,
      this.#tagged,
      this.#call,
    ]
    const nested = [
      this.#branch,
      this.#counted,
      this.#iterated,
      this.#repeated,
      this.#caught,
      this.#chosen,
      this.#shadow,
      this.#call,
      this.#yield,
    ]
    this.#pick(spot.depth < 2 ? [...simple, ...nested, ...nested] : simple).call(this, spot)
    if (spot.label !== undefined && this.#below(4) === 0) {
      this.#statement(spot, `if (${this.#value(spot)} % 5 === 0) ${this.#pick(['continue', 'break'])} ${spot.label}`)
    }
  }

  #value({ names }: Spot): string {
    const { name } = this.#pick(names)
    return this.#below(2) === 0 ? name : `(${name} + ${this.#below(9)})`
  }

  /** A statement that gives a new variable. */
  #declares(spot: Spot, text: (name: string) => string): void {
    const made = this.#variable()
    this.#statement(spot, text(made.name), [made])
    spot.names.push(made)
  }

  #declare(spot: Spot): void {
    this.#declares(spot, (name) => `let ${name} = ${this.#value(spot)}`)
  }

  #change(spot: Spot): void {
    this.#statement(spot, `${this.#pick(['a', 'b'])} += ${this.#value(spot)} % 7`)
  }

  #destructure(spot: Spot): void {
    this.#declares(spot, (name) =>
      this.#pick([
        `const { p: ${name} = 5 } = { p: ${this.#value(spot)} }`,
        `const [, ${name} = ${this.#value(spot)}] = [1]`,
      ]),
    )
  }

  #closure(spot: Spot): void {
    const value = this.#value(spot)
    this.#declares(spot, (name) =>
      this.#pick([
        `let ${name} = ([z: z + a])(${value})`,
        `let ${name} = [a, ${value}].map([z: z + b]).length`,
        `let ${name} = ([: (b += 1, | b)])()`,
      ]),
    )
  }

  #expressions(spot: Spot): void {
    const value = this.#value(spot)
    this.#declares(spot, (name) =>
      this.#pick([
        `let ${name} = (a += 1, | b -= 1, | ${value})`,
        `let ${name} = ({ p: { q: ${value} } })?.p?.q ?? 3`,
        `let ${name} = [${value}].at?.(0)`,
      ]),
    )
  }

  #tagged(spot: Spot): void {
    if (this.#calls + spot.times > maxCalls) return this.#change(spot)
    this.#calls += spot.times
    this.#declares(spot, (name) => `let ${name} = t0\`x\${${this.#value(spot)}}\``)
  }

  #branch(spot: Spot): void {
    const condition = `if (${this.#value(spot)} % 2 === 0) {`
    this.#statement(spot, condition)
    this.#inner(spot)
    this.#line(`${spot.indent}} else {`)
    this.#inner(spot)
    this.#line(`${spot.indent}}`)
  }

  #counted(spot: Spot): void {
    const { indent, names, times } = spot
    const counter = this.#variable()
    const { name } = counter
    const inside = [...names, counter]
    const label = this.#below(2) === 0 ? `l${this.#names}` : undefined
    const start = label === undefined ? indent : `${indent}${label}: `
    this.#line(
      `${start}for (let ${name} = 0; ${name} < 2; ${name} += 1) {`,
      `${start}for (let ${name} = (${this.#tell(names, [counter])}, 0); ${this.#tell(inside)}, ${name} < 2; ${this.#tell(inside)}, ${name} += 1) {`,
    )
    this.#inner(spot, { names: inside, times: times * 2, ...(label === undefined ? {} : { label }) })
    this.#line(`${indent}}`)
  }

  #iterated(spot: Spot): void {
    const { indent, names, times } = spot
    const element = this.#variable()
    const [keyword, list, values] =
      this.#below(3) === 0 ? ['in', '{ 1: a, 2: b }', "['1', '2']"] : ['of', '[a, b]', '[a, b]']
    const read = keyword === 'in' ? `${element.name} = Number(${element.name})` : undefined
    const told = `$each(() => ${this.#tell(names)}, () => ${this.#tell(names, [element])}, ${values})`
    this.#line(
      `${indent}for (let ${element.name} ${keyword} ${list}) {`,
      `${indent}for (let ${element.name} of ${told}) {`,
    )
    this.#inner(spot, { names: [...names, element], times: times * 2 }, (own) => {
      if (read !== undefined) this.#statement(own, read)
    })
    this.#line(`${indent}}`)
  }

  #repeated(spot: Spot): void {
    const { indent, names, times } = spot
    const left = this.#variable()
    this.#statement(spot, `let ${left.name} = 2`, [left])
    names.push(left)
    const isAfter = this.#below(2) === 0
    const test = `${left.name} > 0`
    if (isAfter) this.#line(`${indent}do {`)
    else this.#line(`${indent}while (${test}) {`, `${indent}while (${this.#tell(names)}, ${test}) {`)
    this.#inner(spot, { times: times * 2 }, (own) => this.#statement(own, `${left.name} -= 1`))
    if (isAfter) this.#line(`${indent}} while (${test})`, `${indent}} while (${this.#tell(names)}, ${test})`)
    else this.#line(`${indent}}`)
  }

  #caught(spot: Spot): void {
    const { indent } = spot
    this.#line(`${indent}try {`)
    const own = this.#inner(spot)
    this.#statement(own, `if (a % 2 === 1) throw new Error('odd')`)
    if (this.#below(3) === 0) this.#statement(own, `if (b % 3 === 1) return b`)
    this.#line(`${indent}} catch {`)
    this.#statement({ ...spot, indent: `${indent}  ` }, 'b += 1')
    if (this.#below(2) === 0) {
      this.#line(`${indent}} finally {`)
      this.#statement({ ...spot, indent: `${indent}  ` }, 'a += 3')
    }
    this.#line(`${indent}}`)
  }

  #chosen(spot: Spot): void {
    const { indent } = spot
    this.#statement(spot, `switch (${this.#pick(['a', 'b'])} % 3) {`)
    for (const head of ['case 0:', 'case 1:', 'default:']) {
      this.#line(`${indent}  ${head} {`)
      const own = this.#inner(spot, { indent: `${indent}    ` })
      if (this.#below(2) === 0) this.#statement(own, 'break')
      this.#line(`${indent}  }`)
    }
    this.#line(`${indent}}`)
  }

  #shadow(spot: Spot): void {
    const { indent, names } = spot
    const name = this.#pick(['a', 'b'])
    this.#line(`${indent}{`)
    // Before its declaration neither of the two can be read.
    const hidden = { ...spot, indent: `${indent}  `, names: names.filter((other) => other.name !== name) }
    const other = name === 'a' ? 'b' : 'a'
    const made = this.#variable(name)
    this.#statement(hidden, `let ${name} = ${other} + ${this.#below(9)}`, [made])
    this.#inner(spot, { names: [...hidden.names, made] })
    this.#line(`${indent}}`)
  }

  #yield(spot: Spot): void {
    if (spot.kind === 'async')
      return this.#statement(
        spot,
        this.#pick(['await null', 'a += await b', 'await new Promise([done: setImmediate(done)])']),
      )
    if (!spot.kind.endsWith('generator')) return this.#change(spot)
    if (this.#below(2) === 0) this.#statement(spot, `yield ${this.#value(spot)}`)
    else this.#declares(spot, (name) => `let ${name} = (yield ${this.#value(spot)}) ?? 4`)
  }

  #call(spot: Spot): void {
    const isAsync = spot.kind.startsWith('async')
    const callable = this.#callable.filter(({ kind, calls }) => {
      return this.#calls + calls * spot.times * 2 <= maxCalls && (isAsync || !kind.startsWith('async'))
    })
    if (callable.length === 0) return this.#change(spot)
    const called = this.#pick(callable)
    this.#calls += called.calls * spot.times * 2
    const takesObject = called.name.endsWith('|')
    const name = called.name.replace('|', '')
    const given = (first: string): string =>
      takesObject ? (this.#below(3) === 0 ? '' : `{ p: ${first} }`) : this.#below(2) === 0 ? first : `${first}, b`
    const value = this.#value(spot)
    switch (called.kind) {
      case 'async':
        return this.#declares(spot, (made) =>
          this.#pick([
            `let ${made} = await ${name}(${given(value)}) ?? 1`,
            `let ${made} = (await Promise.all([${name}(${given('a')}), ${name}(${given('b')})]))[1] ?? 2`,
            `let ${made} = await ${name}(${given(value)}).then([z: (z ?? 3) + a])`,
          ]),
        )
      case 'sync':
      case 'arrow':
        return this.#declares(spot, (made) =>
          this.#pick([
            `let ${made} = ${name}(${given(value)}) ?? 1`,
            `let ${made} = (${name}(${given('a')}) ?? 2) + (${name}(${given('b')}) ?? 3)`,
            `let ${made} = [a, b].map([z: ${name}(${takesObject ? '{ p: z }' : 'z'}) ?? 4])[1]`,
          ]),
        )
      case 'method':
        return this.#declares(spot, (made) => `let ${made} = new C${name}().${name}(${given(value)}) ?? 1`)
      case 'generator':
        return this.#declares(spot, (made) =>
          this.#pick([
            `let ${made} = [...${name}(${given(value)})].length`,
            `let ${made} = zip(${name}(${given('a')}), ${name}(${given('b')}))`,
          ]),
        )
      case 'async generator':
        return this.#consume(spot, `${name}(${given(value)})`)
    }
  }

  #consume(spot: Spot, called: string): void {
    const { indent, names } = spot
    const element = this.#variable()
    const told = `$eachAsync(() => ${this.#tell(names)}, () => ${this.#tell(names, [element])}, () => ${called})`
    this.#line(
      `${indent}for await (const ${element.name} of ${called}) {`,
      `${indent}for await (const ${element.name} of ${told}) {`,
    )
    this.#statement({ ...spot, indent: `${indent}  `, names: [...names, element] }, `b += ${element.name}`)
    this.#line(`${indent}}`)
  }
}
