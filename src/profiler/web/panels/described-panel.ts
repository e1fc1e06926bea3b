// The panel of a part that is described once.

import { emptyState } from '../../../framework/html/components.ts'
import type { DescribedPart } from '../../blocks/described-part.ts'
import { drawBlocks } from '../draw-blocks.ts'
import type { Panel } from '../panel.ts'

export function describedPanel<Data>({ empty, draw, noun = 'entry', of, ...part }: DescribedPart<Data>): Panel<Data> {
  return {
    ...part,
    ...(of !== undefined && { of }),
    render: (data, view) =>
      data === undefined
        ? emptyState(typeof empty === 'string' ? empty : empty(view.profile))
        : drawBlocks(draw(data, view.profile), noun, view),
  }
}
