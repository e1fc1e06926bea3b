// Faults of plain code: a value that is missing, a name that is wrong, a loop without an end.

import { json, html, text } from '../../../src/index.ts'
import { unchecked, type Case } from '../case.ts'

interface Product {
  readonly title: string
  readonly price?: { readonly amount: number }
  readonly tags?: readonly string[]
}

const products = new Map<string, Product>([['lamp', { title: 'Lamp' }]])

export const values: readonly Case[] = [
  {
    cause: 'The product "chair" is not in the map, and its title is read all the same.',
    routes: (routes) =>
      void routes.get('p', '/p/{slug}', ({ request: { params } }) => text(products.get(params.slug)!.title)),
    request: { url: '/p/chair' },
    place: 'products.get(params.slug)!.title',
    says: ["Cannot read properties of undefined (reading 'title')", 'chair'],
    hint: 'The value before .title is undefined',
  },
  {
    cause: 'The lamp has no price, and its amount is read.',
    routes: (routes) => void routes.get('p', '/', () => text(String(products.get('lamp')?.price!.amount))),
    place: '?.price!.amount',
    says: ["reading 'amount'"],
    hint: 'The value before .amount is undefined',
  },
  {
    cause: 'A row of null is taken apart.',
    routes: (routes) =>
      void routes.get('r', '/', () => {
        const { id } = unchecked(null) as { id: string }
        return text(id)
      }),
    place: 'const { id } = unchecked(null)',
    says: [/Cannot destructure property 'id'/, /as it is null/],
    hint: /null|nothing/i,
  },
  {
    cause: 'The tags of the lamp are undefined, and a loop walks over them.',
    routes: (routes) =>
      void routes.get('t', '/', () => {
        const names: string[] = []
        for (const tag of unchecked(products.get('lamp')?.tags) as string[]) names.push(tag)
        return json(names)
      }),
    place: 'for (const tag of unchecked(',
    says: [/is not iterable/, /match\(\) and [e]xec\(\) give null/],
    hint: 'The value cannot be iterated',
  },
  {
    cause: 'A method is called by a wrong name: findd.',
    routes: (routes) =>
      void routes.get('f', '/', () => text(unchecked([1].map) && (unchecked([1]) as { findd: () => string }).findd())),
    place: '.findd())',
    says: [/findd is not a function/],
    hint: /is not a function/,
  },
  {
    cause: 'A class is called without new.',
    routes: (routes) => void routes.get('c', '/', () => text(String((unchecked(Map) as () => string)()))),
    place: '(unchecked(Map) as () => string)()',
    says: ["Constructor Map requires 'new'"],
  },
  {
    cause: 'What is made with new is an arrow function.',
    routes: (routes) =>
      void routes.get('n', '/', () => {
        const Cart = unchecked(() => undefined) as new () => object
        return json(new Cart())
      }),
    place: 'new Cart()',
    says: ['Cart is not a constructor'],
    hint: /constructor|new/i,
  },
  {
    cause: 'A name is used that nobody defined: currencey.',
    routes: (routes) => void routes.get('u', '/', () => text(String(new Function('return currencey')()))),
    place: "new Function('return currencey')()",
    says: ['currencey is not defined'],
    hint: /currencey/,
  },
  {
    cause: 'total is used before the line that defines it.',
    routes: (routes) =>
      void routes.get('b', '/', () => {
        const early = (): number => total
        const sum = early()
        const total = 3
        return json({ sum, total })
      }),
    place: 'const early = (): number => total',
    says: [/Cannot access 'total' before initialization/],
    hint: /total/,
  },
  {
    cause: 'A setting is frozen and is written to.',
    routes: (routes) =>
      void routes.get('z', '/', () => {
        const settings = Object.freeze({ rate: 1 })
        Object.assign(settings, { rate: 2 })
        return json(settings)
      }),
    place: 'Object.assign(settings, { rate: 2 })',
    says: [/read only property 'rate'/],
    hint: /rate|frozen/i,
  },
  {
    cause: 'A function calls itself and has no end.',
    routes: (routes) =>
      void routes.get('s', '/', () => {
        const count = (depth: number): number => count(depth + 1) + 1
        return json(count(0))
      }),
    place: 'count(depth + 1) + 1',
    says: ['Maximum call stack size exceeded'],
    hint: /calls? itself|stack/i,
  },
  {
    cause: 'A promise is put into the page in place of its value.',
    routes: (routes) =>
      void routes.get('a', '/', async () => {
        const title = Promise.resolve('Lamp')
        const shown = `${String(title)} is sold`
        if (shown.includes('[object')) throw new Error(`Odd title "${shown}"`)
        return text(shown)
      }),
    place: 'throw new Error(`Odd title "${shown}"`)',
    says: ['[object Promise] is sold'],
    hint: 'A promise was used in place of its value',
  },
  {
    cause: 'A text is repeated -1 times.',
    routes: (routes) => void routes.get('l', '/', () => json('x'.repeat(-1))),
    place: "'x'.repeat(-1)",
    says: ['Invalid count value: -1'],
    hint: /./,
  },
  {
    cause: 'A date is made of a text that is none.',
    routes: (routes) => void routes.get('d', '/', ({ request }) => text(new Date(request.rawQuery).toISOString())),
    request: { url: '/?next-week' },
    place: 'new Date(request.rawQuery).toISOString()',
    says: ['Invalid time value', '/?next-week'],
    hint: /date/i,
  },
  {
    cause: 'A template is given an object in place of text.',
    routes: (routes) => void routes.get('h', '/', () => html`<p>${unchecked({ a: 1 })}</p>`),
    place: 'html`<p>${unchecked({ a: 1 })}</p>`',
    says: ['A template takes text, numbers, markup and lists of them, not object'],
  },
  {
    cause: 'A number that is a BigInt is added to one that is not.',
    routes: (routes) => void routes.get('m', '/', () => json((unchecked(1n) as number) + 1)),
    place: '(unchecked(1n) as number) + 1',
    says: [/Cannot mix BigInt/],
    hint: /BigInt/,
  },
]
