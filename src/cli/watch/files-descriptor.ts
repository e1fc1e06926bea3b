// Where a watched program names its files, one path a line.

/** A file descriptor: written at once, also by a program that ends, and nothing that the program itself could notice. */
export const filesDescriptor = 3
