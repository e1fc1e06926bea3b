// The arguments of the command line.

import { parseArgs } from 'node:util'
import { isKind, kindNames, type Kind } from './kinds.ts'
import { UsageError } from './usage-error.ts'

export interface Wishes {
  /** The folder; its last part is the name. */
  readonly folder: string | undefined
  readonly kind: Kind | undefined
  readonly asks: boolean
  readonly installs: boolean
  /** A version of Fanlight, or the path of a packed one. */
  readonly fanlight: string | undefined
  readonly shows: 'help' | 'version' | undefined
}

export const usage: string = `Usage: npm create fanlight [folder] [-- options]

Options:
  --kind <kind>         ${kindNames.join(', ')}
  --yes                 ask nothing; the default is my-app and pages
  --no-install          only write the files
  --fanlight <version>  a version of Fanlight, or the path of a packed one
  --help, --version`

/** Throws a `UsageError` for what is not in the usage. */
export function readArguments(args: readonly string[]): Wishes {
  const { values, positionals } = parse(args)
  const [folder, ...others] = positionals
  if (others.length > 0) throw new UsageError(`Name one folder, not ${positionals.join(' and ')}`)
  const { kind } = values
  if (kind !== undefined && !isKind(kind))
    throw new UsageError(`There is no kind "${kind}". Choose one of ${kindNames.join(', ')}`)
  return {
    folder,
    kind,
    asks: values.yes !== true,
    installs: values['no-install'] !== true,
    fanlight: values.fanlight,
    shows: values.help === true ? 'help' : values.version === true ? 'version' : undefined,
  }
}

function parse(args: readonly string[]): ReturnType<typeof parseArgs<typeof config>> {
  try {
    return parseArgs({ ...config, args: [...args] })
  } catch (error) {
    throw new UsageError(error instanceof Error ? (error.message.split('. ')[0] ?? '') : String(error))
  }
}

const config = {
  allowPositionals: true,
  options: {
    kind: { type: 'string' },
    yes: { type: 'boolean', short: 'y' },
    'no-install': { type: 'boolean' },
    fanlight: { type: 'string' },
    help: { type: 'boolean', short: 'h' },
    version: { type: 'boolean' },
  },
} as const
