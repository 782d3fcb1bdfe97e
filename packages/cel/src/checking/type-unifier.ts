import { CelType, DYN, isDynOrError, sameType, TypeTooComplexError } from '../values/types.ts';

/** The limit for all questions to one unifier. */
const MAX_STEPS = 5_000_000;
/**
 * The limit for one question, about 20 ms. The types bound to type parameters can grow exponentially with the number of
 * parameters.
 */
const MAX_QUESTION_STEPS = 100_000;

/** Decides assignability and binds type parameters. A failed question leaves no bindings. Throws TypeTooComplexError. */
export class TypeUnifier {
  readonly #substitutions = new Map<string, CelType>();
  /** The bindings to restore if the current question fails. */
  #trail: [name: string, previous: CelType | undefined][] = [];
  #freshCount = 0;
  #steps = 0;
  #questionEnd = 0;
  #stepsSeen = 0;

  /** The steps since the last read. */
  get stepsTaken(): number {
    const taken = this.#steps - this.#stepsSeen;
    this.#stepsSeen = this.#steps;
    return taken;
  }

  /** Returns a new type variable. */
  fresh(): CelType {
    return new CelType('typeParam', `_var${this.#freshCount++}`);
  }

  /** Reports whether a value of one type can be used for the other. Binds type parameters if so. */
  isAssignable(a: CelType, b: CelType): boolean {
    if (a === b) return true;
    return this.#attempt(() => this.#unify(a, b));
  }

  areAssignable(a: readonly CelType[], b: readonly CelType[]): boolean {
    return this.#attempt(() => this.#unifyAll(a, b));
  }

  /** Replaces type parameters by their bindings; unbound ones by dyn if `unknownToDyn`. */
  substitute(type: CelType, unknownToDyn: boolean): CelType {
    if (!type.isGeneric) return type;
    this.#startQuestion();
    return this.#replace(type, unknownToDyn, undefined);
  }

  /** Replaces all type parameters, unbound ones by dyn. For use after all questions; `resolved` caches results. */
  resolve(type: CelType, resolved: Map<CelType, CelType>): CelType {
    this.#startQuestion();
    return this.#replace(type, true, resolved);
  }

  #replace(type: CelType, unknownToDyn: boolean, resolved: Map<CelType, CelType> | undefined): CelType {
    if (!type.isGeneric) return type;
    const known = resolved?.get(type);
    if (known !== undefined) return known;
    this.#step();
    const result = this.#replaceOne(type, unknownToDyn, resolved);
    resolved?.set(type, result);
    return result;
  }

  #replaceOne(type: CelType, unknownToDyn: boolean, resolved: Map<CelType, CelType> | undefined): CelType {
    if (type.kind === 'typeParam') {
      const found = this.#substitutions.get(type.name);
      if (found !== undefined) return this.#replace(found, unknownToDyn, resolved);
      return unknownToDyn ? DYN : type;
    }
    let changed = false;
    const parameters = type.parameters.map((parameter) => {
      const replaced = this.#replace(parameter, unknownToDyn, resolved);
      if (replaced !== parameter) changed = true;
      return replaced;
    });
    return changed ? new CelType(type.kind, type.name, parameters, type.fields) : type;
  }

  #startQuestion(): void {
    this.#questionEnd = Math.min(this.#steps + MAX_QUESTION_STEPS, MAX_STEPS);
  }

  #step(): void {
    if (++this.#steps > this.#questionEnd) throw new TypeTooComplexError();
  }

  #attempt(question: () => boolean): boolean {
    this.#trail = [];
    this.#startQuestion();
    if (question()) return true;
    for (const [name, previous] of this.#trail.reverse()) {
      if (previous === undefined) this.#substitutions.delete(name);
      else this.#substitutions.set(name, previous);
    }
    return false;
  }

  #bind(parameter: CelType, to: CelType): void {
    this.#trail.push([parameter.name, this.#substitutions.get(parameter.name)]);
    this.#substitutions.set(parameter.name, to);
  }

  #unifyAll(a: readonly CelType[], b: readonly CelType[]): boolean {
    return a.length === b.length && a.every((type, i) => this.#unify(type, b[i] ?? DYN));
  }

  #unify(a: CelType, b: CelType): boolean {
    this.#step();
    if (a === b) return true;
    if (b.kind === 'typeParam') {
      const { valid, known } = this.#substitutes(a, b);
      if (valid) return true;
      if (known) return false;
    }
    if (a.kind === 'typeParam') return this.#substitutes(b, a).valid;
    if (isDynOrError(a) || isDynOrError(b)) return true;
    if (a.kind === 'null') return isNullable(b);
    if (b.kind === 'null') return isNullable(a);
    switch (a.kind) {
      case 'type':
        return b.kind === 'type';
      case 'opaque':
      case 'list':
      case 'map':
        return a.kind === b.kind && a.name === b.name && this.#unifyAll(a.parameters, b.parameters);
      default:
        return a.kind === b.kind && a.name === b.name;
    }
  }

  /** Reports whether `parameter` can be bound to `type`, and whether it was already bound. */
  #substitutes(type: CelType, parameter: CelType): { valid: boolean; known: boolean } {
    if (type.kind === 'typeParam' && type.name === parameter.name) return { valid: true, known: true };
    const current = this.#substitutions.get(parameter.name);
    if (current !== undefined) {
      if (sameType(type, current)) return { valid: true, known: true };
      if (!this.#unify(type, current)) return { valid: false, known: true };
      const general = mostGeneral(type, current);
      if (!this.#occursIn(parameter, general)) this.#bind(parameter, general);
      return { valid: true, known: true };
    }
    if (this.#occursIn(parameter, type)) return { valid: false, known: false };
    this.#bind(parameter, type);
    return { valid: true, known: false };
  }

  #occursIn(parameter: CelType, type: CelType): boolean {
    if (!type.isGeneric) return false;
    this.#step();
    if (type.kind === 'typeParam') {
      if (type.name === parameter.name) return true;
      const current = this.#substitutions.get(type.name);
      return current !== undefined && this.#occursIn(parameter, current);
    }
    return type.parameters.some((inner) => this.#occursIn(parameter, inner));
  }
}

function isNullable(type: CelType): boolean {
  return (
    type.kind === 'null' ||
    type.kind === 'opaque' ||
    type.kind === 'object' ||
    type.kind === 'duration' ||
    type.kind === 'timestamp'
  );
}

/** Returns the more general of two types that unify: the one with dyn or a type parameter where the other has a concrete type. */
export function mostGeneral(a: CelType, b: CelType): CelType {
  return isEqualOrLessSpecific(a, b) ? a : b;
}

function isEqualOrLessSpecific(a: CelType, b: CelType): boolean {
  if (a.kind === 'dyn' || a.kind === 'typeParam') return true;
  if (b.kind === 'dyn' || b.kind === 'typeParam') return false;
  if (a.kind !== b.kind) return false;
  if (a.kind === 'type') return true;
  if (a.kind !== 'opaque' && a.kind !== 'list' && a.kind !== 'map') return sameType(a, b);
  if (a.name !== b.name || a.parameters.length !== b.parameters.length) return false;
  return a.parameters.every((parameter, i) => isEqualOrLessSpecific(parameter, b.parameters[i] ?? DYN));
}
