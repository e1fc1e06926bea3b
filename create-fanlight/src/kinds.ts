// The kinds of applications.

export type Kind = 'pages' | 'api' | 'express' | 'fastify' | 'nest'

interface KindFacts {
  readonly title: string
  /** Folders of templates/: a later one replaces files of an earlier one. */
  readonly templates: readonly string[]
}

export const kinds: Readonly<Record<Kind, KindFacts>> = {
  pages: { title: 'HTML pages', templates: ['common', 'fanlight', 'pages'] },
  api: { title: 'JSON API', templates: ['common', 'fanlight', 'api'] },
  express: { title: 'inside Express', templates: ['common', 'express'] },
  fastify: { title: 'inside Fastify', templates: ['common', 'fastify'] },
  nest: { title: 'inside Nest', templates: ['common', 'nest'] },
}

export const kindNames: readonly Kind[] = Object.keys(kinds).filter(isKind)

export function isKind(text: string): text is Kind {
  return Object.hasOwn(kinds, text)
}
