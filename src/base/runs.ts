// Items that follow each other and belong together.

/** All items in their order, each with those after it as long as the next belongs to the one before it. */
export function runsOf<Item>(
  items: readonly Item[],
  belongs: (before: Item, item: Item) => boolean,
): readonly (readonly [Item, ...Item[]])[] {
  const runs: [Item, ...Item[]][] = []
  for (const item of items) {
    const run = runs.at(-1)
    if (run !== undefined && belongs(run.at(-1) as Item, item)) run.push(item)
    else runs.push([item])
  }
  return runs
}
