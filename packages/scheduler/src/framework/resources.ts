import { Quantity } from '@coxswain/apimachinery/quantity';

/** Resource amounts of nodes and pods, as numbers because they are compared for every pod and node. */
export class Resources {
  milliCPU = 0;
  memory = 0;
  ephemeralStorage = 0;
  /** The number of pods that a node accepts. */
  allowedPodNumber = 0;
  /** Extended resources and huge pages, by name. */
  scalar: Map<string, number> | undefined;

  static of(list: Iterable<readonly [string, string | Quantity]>): Resources {
    const resources = new Resources();
    for (const [name, amount] of list) resources.increase(name, amountOf(name, amount));
    return resources;
  }

  get(name: string): number {
    if (name === 'cpu') return this.milliCPU;
    if (name === 'memory') return this.memory;
    if (name === 'ephemeral-storage') return this.ephemeralStorage;
    if (name === 'pods') return this.allowedPodNumber;
    return this.scalar?.get(name) ?? 0;
  }

  increase(name: string, by: number): void {
    if (name === 'cpu') this.milliCPU += by;
    else if (name === 'memory') this.memory += by;
    else if (name === 'ephemeral-storage') this.ephemeralStorage += by;
    else if (name === 'pods') this.allowedPodNumber += by;
    else {
      this.scalar ??= new Map();
      this.scalar.set(name, (this.scalar.get(name) ?? 0) + by);
    }
  }

  /** Adds (`sign` 1) or subtracts (-1) the resources of a pod. Does not change the number of pods. */
  apply(other: Resources, sign: 1 | -1): void {
    this.milliCPU += sign * other.milliCPU;
    this.memory += sign * other.memory;
    this.ephemeralStorage += sign * other.ephemeralStorage;
    if (other.scalar) for (const [name, amount] of other.scalar) this.increase(name, sign * amount);
  }

  clone(): Resources {
    const copy = new Resources();
    copy.milliCPU = this.milliCPU;
    copy.memory = this.memory;
    copy.ephemeralStorage = this.ephemeralStorage;
    copy.allowedPodNumber = this.allowedPodNumber;
    if (this.scalar) copy.scalar = new Map(this.scalar);
    return copy;
  }
}

/** CPU in millicores, everything else in whole units, rounded up. */
function amountOf(name: string, amount: string | Quantity): number {
  const quantity = typeof amount === 'string' ? Quantity.parse(amount) : amount;
  return name === 'cpu' ? quantity.milliValue() : quantity.value();
}
