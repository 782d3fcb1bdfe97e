import { type ErrorList, invalid, type Path, Quantity, Scale, setOwnEntry } from '@coxswain/apimachinery';

/** Canonical quantities by resource name. */
export type ResourceList = { [name: string]: string };

/** Returns the amount of a resource; zero if absent. */
export const quantityOf = (list: Readonly<ResourceList> | undefined, name: string): Quantity =>
  Quantity.parse(list && Object.hasOwn(list, name) ? list[name]! : '0');

/** Rounds amounts up to thousandths, in place. */
export function roundUpToMilli(list: ResourceList | undefined): void {
  if (!list) return;
  for (const name of Object.keys(list)) {
    const text = list[name]!;
    if (isWholeMilli(text)) continue;
    const rounded = Quantity.parse(text).roundUp(Scale.Milli).toString();
    if (rounded !== text) setOwnEntry(list, name, rounded);
  }
}

/** Reports whether a canonical quantity certainly has no parts below a thousandth, by its suffix. True for most amounts. */
const isWholeMilli = (text: string): boolean => /^[0-9]+(?:m|[kMGTPE]|[KMGTPE]i)?$/.test(text);

/** Reports whether two lists have the same resources with equal amounts; quantities are compared by value. */
export function sameResources(a: Readonly<ResourceList> = {}, b: Readonly<ResourceList> = {}): boolean {
  const names = Object.keys(a);
  return (
    names.length === Object.keys(b).length &&
    names.every((name) => Object.hasOwn(b, name) && quantityOf(a, name).equals(quantityOf(b, name)))
  );
}

/** Validates that an amount of a claim or volume is not negative. The error prints whole units. */
export function validateBasicResource(amount: Quantity, path: Path): ErrorList {
  const value = amount.value();
  return value < 0 ? [invalid(path, value, 'must be a valid resource quantity')] : [];
}
