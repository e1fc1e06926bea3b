// Tells which packages of `bench/package.json` are there.

/** Whether a package can be imported from here; `npm install --prefix bench` brings it. */
export function isInstalled(name: string): boolean {
  try {
    import.meta.resolve(name)
    return true
  } catch {
    return false
  }
}
