/**
 * A token that stands for a TypeScript type at run time, where interfaces do not exist. Two tokens are two types, whatever their names.
 *
 * Objects are plain data without a token: apiVersion and kind identify them, and a Scheme finds the token for those. Classes would
 * provide the identity, but then every object that is decoded, copied or patched would have to be made an instance.
 */
export class ObjectType<T = unknown> {
  /** Unique by convention, because errors print it: `core.v1.Pod`. */
  readonly name: string;
  /** Returns an object without any field set, and without apiVersion and kind. */
  readonly zero: (() => T) | undefined;

  constructor(name: string, zero?: () => T) {
    this.name = name;
    this.zero = zero;
  }

  /** The part of the name after the last dot: the kind as which the type is registered by default. */
  get kind(): string {
    return this.name.slice(this.name.lastIndexOf('.') + 1);
  }

  toString(): string {
    return this.name;
  }
}

/** Returns the token of a type: `const Pod = defineType<V1Pod>('core.v1.Pod')`. */
export const defineType = <T>(name: string, zero?: () => T): ObjectType<T> => new ObjectType(name, zero);
