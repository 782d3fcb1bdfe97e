import { Quantity } from '@coxswain/apimachinery';

/** Amounts of resources by name. */
export type Amounts = Map<string, Quantity>;

/** Quantities by resource name, as in JSON. */
export type ResourceList = Readonly<Record<string, string>>;

export const amountsOf = (list: ResourceList | undefined): Amounts =>
  new Map(Object.entries(list ?? {}).map(([name, text]) => [name, Quantity.parse(text)]));

export const resourceListOf = (amounts: ReadonlyMap<string, Quantity>): ResourceList =>
  Object.fromEntries([...amounts].map(([name, quantity]) => [name, `${quantity}`]));

/** Adds `more` to `amounts` in place, and returns them. */
export function addTo(amounts: Amounts, more: ReadonlyMap<string, Quantity>): Amounts {
  for (const [name, quantity] of more) {
    const known = amounts.get(name);
    amounts.set(name, known ? known.add(quantity) : quantity);
  }
  return amounts;
}

/** Raises `amounts` to at least `least` in place, and returns them. */
export function raiseTo(amounts: Amounts, least: ReadonlyMap<string, Quantity>): Amounts {
  for (const [name, quantity] of least) {
    const known = amounts.get(name);
    if (!known || quantity.cmp(known) > 0) amounts.set(name, quantity);
  }
  return amounts;
}

/** Sets `others` in `amounts`, replacing existing ones, and returns them. */
export function replaceIn(amounts: Amounts, others: ReadonlyMap<string, Quantity>): Amounts {
  for (const [name, quantity] of others) amounts.set(name, quantity);
  return amounts;
}
