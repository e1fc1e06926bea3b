// What a GraphQL operation is called: by its name, or by the fields that it asks for.

/** Names that are listed, and characters of one of them. */
const maxNamed = 3
const maxName = 60
/** How deep fragments in fragments are followed. */
const maxDepth = 5

/** What is read of a document that was parsed. */
interface Definition {
  readonly kind: string
  readonly operation?: string
  readonly name?: { readonly value: string }
  readonly selectionSet?: { readonly selections: readonly Definition[] }
}

interface NamedOperation {
  readonly kind: string
  readonly name: string | null
  /** `query Products`; of one without a name: `query product, customer`. */
  readonly title: string
}

/** The operation of this name, or the only one of the document. `undefined` if it is not known which one is meant. */
export function operationIn(document: unknown, asked: unknown): NamedOperation | undefined {
  const { definitions = [] } = document as { readonly definitions?: readonly Definition[] }
  const all = definitions.filter(({ kind }) => kind === 'OperationDefinition')
  const meant = all.length === 1 ? all[0] : all.find(({ name }) => name?.value === asked && asked !== undefined)
  if (meant === undefined) return undefined
  const { operation: kind = 'query', name } = meant
  const title = `${kind} ${name?.value.slice(0, maxName) ?? listed(rootFields(meant, definitions))}`
  return { kind, name: name?.value ?? null, title }
}

/** Names of the fields, those in fragments too. */
function rootFields({ selectionSet }: Definition, all: readonly Definition[], depth = 0): readonly string[] {
  if (depth > maxDepth) return []
  const names = (selectionSet?.selections ?? []).flatMap((selection): readonly string[] => {
    const { kind, name } = selection
    if (kind === 'Field') return [name?.value.slice(0, maxName) ?? '']
    const spread = all.find((one) => one.kind === 'FragmentDefinition' && one.name?.value === name?.value)
    return rootFields(kind === 'InlineFragment' ? selection : (spread ?? selection), all, depth + 1)
  })
  return [...new Set(names)]
}

/** The first names; of more than that, their number. */
export function listed(names: readonly string[]): string {
  const more = names.length - maxNamed
  return more > 0 ? `${names.slice(0, maxNamed).join(', ')} and ${more} more` : names.join(', ')
}
