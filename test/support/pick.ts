// What a test compares of the members of a list.

/** The value of one key of each member, or a list of the values of several keys. */
export function pick<Member, Key extends keyof Member>(members: Iterable<Member>, key: Key): Member[Key][]
export function pick<Member, const Keys extends readonly (keyof Member)[]>(
  members: Iterable<Member>,
  ...keys: Keys
): { [Index in keyof Keys]: Member[Keys[Index]] }[]
export function pick<Member>(members: Iterable<Member>, ...keys: readonly (keyof Member)[]): unknown[] {
  const [first] = keys
  return Array.from(members, (member) =>
    keys.length === 1 && first !== undefined ? member[first] : keys.map((key) => member[key]),
  )
}
