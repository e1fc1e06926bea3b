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
const getter = /<get: ([^>]+)>/g

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
      "let $p; const $made = () => { const $q = $p; $p = undefined; return $q }; const t0 = (texts, x) => { const $c = $('t0', 1); $c(1, 0, () => [['x', 2, () => x]]); return texts.length + x }",
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

  /** `[z: z + a]` is a function, `<get: a>` an object with one; it is told before what stands behind `|`, too. */
  #statement({ indent, names }: Spot, text: string, makes?: readonly Variable[]): void {
    const plain = text
      .replaceAll(closure, '($1) => $2')
      .replaceAll(getter, '{ get q() { return $1 } }')
      .replaceAll('| ', '')
    const told = (name: string, body: string, own: readonly Variable[]): string => {
      const seen = [...names, ...own].filter((one) => new RegExp(`\\b${one.name}\\b`).test(body))
      const number = this.#plain.length + 1
      const end = this.#tell(seen).replace('$c(', '$c(-')
      return `{ const $c = $('${name}', ${number}); ${this.#tell(seen)}; const $v = ${body.replaceAll('|', () => `${this.#tell(seen)},`)}; ${end}; return $v }`
    }
    const telling = text
      .replaceAll(closure, (_, parameter: string, body: string, at: number) => {
        const name = text.slice(0, at).endsWith('p: ') ? 'p' : 'anonymous'
        return `(${parameter}) => ${told(name, body, parameter === '' ? [] : [this.#variable(parameter)])}`
      })
      .replaceAll(getter, (_, body: string) => `{ get q() ${told('q', body, [])} }`)
    this.#line(
      `${indent}${plain}`,
      `${indent}${this.#tell(names, makes)}; ${telling.replaceAll('|', () => `${this.#tell(names, makes)},`)}`,
    )
  }

  #function(kind: FunctionKind, given?: string): void {
    const letter = kind === 'generator' ? 'g' : kind === 'async generator' ? 'h' : kind === 'method' ? 'm' : 'f'
    const name = given ?? `${letter}${this.#plain.length}`
    const [a, b] = [this.#variable('a'), this.#variable('b')]
    const mayCall = !kind.endsWith('generator')
    const choices = ['a, b', 'a, b = a', ...(mayCall ? ['a, b = t0`x${a}`'] : [])]
    const parameters = this.#below(3) === 0 ? '{ p: a = 5, q: b = a } = { p: 3 }' : this.#pick(choices)
    const spot: Spot = { indent: kind === 'method' ? '    ' : '  ', names: [a, b], kind, depth: 0, times: 1 }
    const calls = parameters.includes('t0')
    this.#calls = calls ? 2 : 1
    const isObject = parameters.startsWith('{')
    const headOf = (taken: string): string =>
      ({
        async: `async function ${name}(${taken}) {`,
        sync: `function ${name}(${taken}) {`,
        generator: `function* ${name}(${taken}) {`,
        'async generator': `async function* ${name}(${taken}) {`,
        arrow: `const ${name} = (${taken}) => {`,
        method: `  ${name}(${taken}) {`,
      })[kind]
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
      for (const [own, body] of [
        ['#p', 'z + this.#x'],
        ['static s', '#x in of ? 3 : 4'],
      ] as const) {
        const at = this.#plain.length + 1
        const [name, read] = own === '#p' ? ['z', "['z', 0, () => z]"] : ['of', '']
        this.#line(
          `  ${own}(${name}) { return ${body} }`,
          `  ${own}(${name}) { const $c = $('${own.replace('static ', '')}', ${at}); $c(${at}, 0, () => [${read}]); return ${body} }`,
        )
      }
    }
    const number = this.#plain.length + 1
    const made = `$('${name}', ${number})`
    const standard = 't0`x${a}`'
    const first = `(($q) => { ${this.#tell([a]).replace('$c(', '$q(')}; const $v = ${standard}; $p = $q; return $v })(${made})`
    const begins = calls ? `$made() ?? ${made}` : made
    this.#line(headOf(parameters), `${headOf(parameters.replace(standard, () => first))} const $c = ${begins};`)
    if (kind === 'method') {
      this.#calls += 4
      this.#statement(spot, 'this.y = a')
      this.#statement(spot, 'b += this.y')
      this.#statement(spot, 'b += this.#p(a) % 7')
      this.#statement(spot, `b += C${name}.s(this)`)
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
      this.#destructureDeep,
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
      this.#labelled,
      this.#closuresOfLoop,
      this.#awaited,
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

  #destructureDeep(spot: Spot): void {
    const [one, other] = [this.#variable(), this.#variable()]
    const value = `{ p: a % 2 === 0 ? undefined : { q: ${this.#value(spot)} } }`
    const text = `const { p: { q: ${one.name} = 5 } = {}, r: [${other.name} = ${this.#value(spot)}] = [] } = ${value}`
    this.#statement(spot, text, [one, other])
    spot.names.push(one, other)
  }

  #labelled(spot: Spot): void {
    const label = `k${(this.#names += 1)}`
    this.#line(`${spot.indent}${label}: {`)
    this.#inner(spot, {}, (own) => {
      this.#change(own)
      this.#statement(own, `if (${this.#value(own)} % 3 === 1) break ${label}`)
    })
    this.#line(`${spot.indent}}`)
  }

  /** Functions that are made in a loop, and called behind it. */
  #closuresOfLoop(spot: Spot): void {
    const { indent, names } = spot
    const counter = this.#variable()
    const { name } = counter
    const list = `c${this.#names}`
    const inside = [...names, counter]
    this.#statement(spot, `const ${list} = []`)
    this.#line(
      `${indent}for (let ${name} = 0; ${name} < 2; ${name} += 1) {`,
      `${indent}for (let ${name} = (${this.#tell(names, [counter])}, 0); ${this.#tell(inside)}, ${name} < 2; ${this.#tell(inside)}, ${name} += 1) {`,
    )
    this.#statement({ ...spot, indent: `${indent}  `, names: inside }, `${list}.push([: ${name} + a])`)
    this.#line(`${indent}}`)
    this.#declares(spot, (made) => `let ${made} = ${list}[0]() + ${list}[1]()`)
  }

  /** Elements that are promised, of a list or of an iterator that is written here. */
  #awaited(spot: Spot): void {
    if (!spot.kind.startsWith('async')) return this.#change(spot)
    if (this.#below(2) === 0) return this.#consume(spot, `[a, Promise.resolve(b)]`)
    const number = this.#plain.length + 1
    const seen = spot.names.filter(({ name }) => name === 'a' || name === 'b')
    const told = `const $c = $('anonymous', ${number}); ${this.#tell(seen)}; yield a; ${this.#tell(seen)}; yield b`
    const iterator = (body: string): string => `({ async *[Symbol.asyncIterator]() { ${body} } })`
    this.#consume(spot, iterator('yield a; yield b'), iterator(told))
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
        `let ${name} = (a % 2 === 0 ? null : { p: [z: z + b] })?.p(${value}) ?? 7`,
        `let ${name} = (<get: a>).q`,
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
      if (this.#below(3) === 0) this.#statement({ ...spot, indent: `${indent}  ` }, 'if (a % 4 === 3) return b')
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
        if (this.#below(3) === 0) return this.#leave(spot, `${name}(${given(value)})`)
        return this.#declares(spot, (made) =>
          this.#pick([
            `let ${made} = [...${name}(${given(value)})].length`,
            `const [${made} = 6] = ${name}(${given(value)})`,
            `let ${made} = zip(${name}(${given('a')}), ${name}(${given('b')}))`,
          ]),
        )
      case 'async generator':
        return this.#consume(spot, `${name}(${given(value)})`)
    }
  }

  /** Of a generator that is not gone through to its end. */
  #leave({ indent, ...spot }: Spot, called: string): void {
    const element = this.#variable()
    const { names } = spot
    const told = `$each(() => ${this.#tell(names)}, () => ${this.#tell(names, [element])}, ${called})`
    this.#line(
      `${indent}for (const ${element.name} of ${called}) {`,
      `${indent}for (const ${element.name} of ${told}) {`,
    )
    const own = { ...spot, indent: `${indent}  `, names: [...names, element] }
    this.#statement(own, `b += (${element.name} ?? 1) % 7`)
    this.#statement(own, this.#pick(['break', 'if (b % 2 === 0) break']))
    this.#line(`${indent}}`)
  }

  #consume(spot: Spot, called: string, telling = called): void {
    const { indent, names } = spot
    const element = this.#variable()
    const told = `$eachAsync(() => ${this.#tell(names)}, () => ${this.#tell(names, [element])}, () => ${telling})`
    this.#line(
      `${indent}for await (const ${element.name} of ${called}) {`,
      `${indent}for await (const ${element.name} of ${told}) {`,
    )
    this.#statement({ ...spot, indent: `${indent}  `, names: [...names, element] }, `b += ${element.name}`)
    this.#line(`${indent}}`)
  }
}
