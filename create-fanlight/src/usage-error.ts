// An argument that cannot be used: a name, a kind, an option, a folder.

export class UsageError extends Error {
  override readonly name = 'UsageError'
}
