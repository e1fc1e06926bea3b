// Tells the bench on which port a server listens.

/** Sends the port to the bench, or prints it where the server was started by hand. */
export function listening(port: number | string): void {
  if (process.send === undefined) {
    console.log(`http://127.0.0.1:${port}`)
    return
  }
  // A bench that ends early leaves no server behind.
  process.once('disconnect', () => process.exit())
  process.send({ port: Number(port) })
}
