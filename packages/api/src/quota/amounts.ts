import { Quantity } from '@coxswain/apimachinery';

/** Amounts of resources by name. */
export type Amounts = Map<string, Quantity>;

/** The same as JSON has them. */
export type ResourceList = Readonly<Record<string, string>>;

export const amountsOf = (list: ResourceList | undefined): Amounts =>
  new Map(Object.entries(list ?? {}).map(([name, text]) => [name, Quantity.parse(text)]));

export const resourceListOf = (amounts: ReadonlyMap<string, Quantity>): ResourceList =>
  Object.fromEntries([...amounts].map(([name, quantity]) => [name, `${quantity}`]));

/** Adds to what is there, and gives it back. */
export function addTo(amounts: Amounts, more: ReadonlyMap<string, Quantity>): Amounts {
  for (const [name, quantity] of more) {
    const known = amounts.get(name);
    amounts.set(name, known ? known.add(quantity) : quantity);
  }
  return amounts;
}

/** Makes each at least that much, and gives them back. */
export function raiseTo(amounts: Amounts, least: ReadonlyMap<string, Quantity>): Amounts {
  for (const [name, quantity] of least) {
    const known = amounts.get(name);
    if (!known || quantity.cmp(known) > 0) amounts.set(name, quantity);
  }
  return amounts;
}

/** Has those instead, where there are any, and gives them back. */
export function replaceIn(amounts: Amounts, others: ReadonlyMap<string, Quantity>): Amounts {
  for (const [name, quantity] of others) amounts.set(name, quantity);
  return amounts;
}
