// Gives errors of a class its name.

/**
 * Puts the name of the class on its prototype: an own property would be shown with the error's other properties, and a getter would
 * not be read from values that are not trusted.
 */
export function nameError(errorClass: { readonly name: string; readonly prototype: Error }): void {
  Object.defineProperty(errorClass.prototype, 'name', { value: errorClass.name, configurable: true, writable: true })
}
