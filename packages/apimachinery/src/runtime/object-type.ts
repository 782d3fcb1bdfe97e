/**
 * Stands for a TypeScript type at run time, where interfaces are gone. Two tokens are two types, whatever their names.
 *
 * Objects are plain data and carry no token: apiVersion and kind say what they are, and a Scheme knows which token
 * goes with them. Classes would have given the identity for free, but then every object off the wire, every copy and
 * every patch result would have to be made an instance.
 */
export class ObjectType<T = unknown> {
  /** Unique by convention, since errors print it: `core.v1.Pod`. */
  readonly name: string;
  /** What an object is before anybody set anything, without apiVersion and kind. */
  readonly zero: (() => T) | undefined;

  constructor(name: string, zero?: () => T) {
    this.name = name;
    this.zero = zero;
  }

  /** What comes after the last dot of the name: the kind it is registered as unless told otherwise. */
  get kind(): string {
    return this.name.slice(this.name.lastIndexOf('.') + 1);
  }

  toString(): string {
    return this.name;
  }
}

/** Makes the token of a type: `const Pod = defineType<V1Pod>('core.v1.Pod')`. */
export const defineType = <T>(name: string, zero?: () => T): ObjectType<T> => new ObjectType(name, zero);
