// Requirements that have a name, for paths: {id<int>}.

/** What a named requirement matches. */
interface RequirementType {
  readonly source: string
  /** Whether handlers get a number. */
  readonly isNumber: boolean
}

const types = {
  // As many digits as a number holds exactly.
  int: { source: String.raw`\d{1,15}`, isNumber: true },
  uuid: { source: '[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}', isNumber: false },
  ulid: { source: '[0-7][0-9A-HJKMNP-TV-Za-hjkmnp-tv-z]{25}', isNumber: false },
  slug: { source: '[A-Za-z0-9]+(?:-[A-Za-z0-9]+)*', isNumber: false },
  date: { source: String.raw`\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])`, isNumber: false },
  path: { source: '.+', isNumber: false },
} as const satisfies Readonly<Record<string, RequirementType>>

/** `int`, `uuid`, `ulid`, `slug`, `date`, `path`. */
export const requirementTypeNames: readonly string[] = Object.keys(types)

/** The type of that name, `undefined` for an expression. */
export function requirementType(requirement: string): RequirementType | undefined {
  return Object.hasOwn(types, requirement) ? types[requirement as keyof typeof types] : undefined
}
