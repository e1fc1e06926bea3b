// What another file gives to the programs that do odd things.

export const stock: ReadonlyMap<string, number> = new Map([['sofa', 2]])
