import { type ErrorList, invalid, type Path, Quantity, Scale, setOwnEntry } from '@coxswain/apimachinery';

/** Amounts by resource, as JSON has them: canonical quantities. */
export type ResourceList = { [name: string]: string };

/** The amount of a resource; nothing at all is zero. */
export const quantityOf = (list: Readonly<ResourceList> | undefined, name: string): Quantity =>
  Quantity.parse(list && Object.hasOwn(list, name) ? list[name]! : '0');

/** Amounts are kept to the thousandth; what is finer is rounded up. */
export function roundUpToMilli(list: ResourceList | undefined): void {
  for (const [name, text] of Object.entries(list ?? {})) {
    const rounded = Quantity.parse(text).roundUp(Scale.Milli).toString();
    if (rounded !== text) setOwnEntry(list!, name, rounded);
  }
}

/** The same resources in the same amounts, however they are written. */
export function sameResources(a: Readonly<ResourceList> = {}, b: Readonly<ResourceList> = {}): boolean {
  const names = Object.keys(a);
  return (
    names.length === Object.keys(b).length &&
    names.every((name) => Object.hasOwn(b, name) && quantityOf(a, name).equals(quantityOf(b, name)))
  );
}

/** Not negative, as a claim's or volume's amounts must be. Prints whole units. */
export function validateBasicResource(amount: Quantity, path: Path): ErrorList {
  const value = amount.value();
  return value < 0 ? [invalid(path, value, 'must be a valid resource quantity')] : [];
}
