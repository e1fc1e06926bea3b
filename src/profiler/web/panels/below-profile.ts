// Addresses below a profile: `/_profiler/<token>/explain/0`.

import type { PanelView } from '../panel.ts'

/** The link to a profile may go on with the list that the reader came from. */
export function belowProfile({ profile, linkTo }: Pick<PanelView, 'profile' | 'linkTo'>, path: string): string {
  const [address = ''] = linkTo(profile.token).split('?')
  return `${address}/${path}`
}
