import { type ErrorList, invalid, type Path, Quantity, Scale, setOwnEntry } from '@coxswain/apimachinery';

/** Amounts by resource, as JSON has them: canonical quantities. */
export type ResourceList = { [name: string]: string };

/** The amount of a resource; nothing at all is zero. */
export const quantityOf = (list: Readonly<ResourceList> | undefined, name: string): Quantity =>
  Quantity.parse(list && Object.hasOwn(list, name) ? list[name]! : '0');

/** Amounts are kept to the thousandth; what is finer is rounded up. */
export function roundUpToMilli(list: ResourceList | undefined): void {
  if (!list) return;
  for (const name of Object.keys(list)) {
    const text = list[name]!;
    if (isWholeMilli(text)) continue;
    const rounded = Quantity.parse(text).roundUp(Scale.Milli).toString();
    if (rounded !== text) setOwnEntry(list, name, rounded);
  }
}

/** Whether a canonical quantity is certainly no finer than a thousandth, as most are: told by how it ends. */
const isWholeMilli = (text: string): boolean => /^[0-9]+(?:m|[kMGTPE]|[KMGTPE]i)?$/.test(text);

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
