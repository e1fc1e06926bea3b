// Gives errors of a class its name and its code.

/**
 * Puts the name of the class on its prototype, and a code for code that tells errors apart: an own property would be shown with the
 * error's other properties, and a getter would not be read from values that are not trusted.
 */
export function nameError(errorClass: { readonly name: string; readonly prototype: Error }, code?: string): void {
  const shared = { configurable: true, writable: true }
  Object.defineProperty(errorClass.prototype, 'name', { value: errorClass.name, ...shared })
  if (code !== undefined) Object.defineProperty(errorClass.prototype, 'code', { value: code, ...shared })
}
