import { type KubernetesObject, type Steps, stringifyJson } from '@coxswain/apimachinery';
import { inTurns, type Turns } from '../../turns/turns.ts';
import type { ObjectConverter } from './object-converter.ts';

/** Thrown where a conversion is needed that nobody has asked for yet. */
class PendingConversion extends Error {
  readonly key: string;
  readonly object: KubernetesObject;
  readonly apiVersion: string;

  constructor(key: string, object: KubernetesObject, apiVersion: string) {
    super(`conversion to ${apiVersion} has to be waited for`);
    this.key = key;
    this.object = object;
    this.apiVersion = apiVersion;
  }
}

/** A write has few owners of other versions; one that needs more conversions than this goes on in vain. */
const maxConversions = 100;

/**
 * Lets code that cannot wait convert objects by a converter that must: it is run, stopped where it needs an object in
 * another version, and run again when that is there. Such code must have no effects before its end.
 */
export class Conversions {
  readonly #converter: ObjectConverter;
  /** What is known to the code whose step is under way. */
  #known: ReadonlyMap<string, KubernetesObject> | undefined;

  constructor(converter: ObjectConverter) {
    this.#converter = converter;
  }

  /** To be called by the code that is run. */
  convert(object: KubernetesObject, apiVersion: string): KubernetesObject {
    if (object.apiVersion === apiVersion) return object;
    if (this.#converter.convertNow) return this.#converter.convertNow(object, apiVersion);
    const key = `${apiVersion} ${stringifyJson(object)}`;
    const known = this.#known?.get(key);
    if (!known) throw new PendingConversion(key, object, apiVersion);
    return known;
  }

  /** Rejects with what the code throws, or with why something could not be converted. */
  async run<T>(code: () => Steps<T>, turns?: Turns): Promise<T> {
    const known = new Map<string, KubernetesObject>();
    for (;;) {
      try {
        return await inTurns(turns, this.#knowing(known, code()));
      } catch (error) {
        const pending = pendingIn(error);
        if (!pending || known.size >= maxConversions) throw error;
        const { key, object, apiVersion } = pending;
        const [converted] = await this.#converter.convert([object], apiVersion);
        known.set(key, converted ?? object);
      }
    }
  }

  /** The same steps. What runs between them, on behalf of others, knows nothing of these conversions. */
  *#knowing<T>(known: ReadonlyMap<string, KubernetesObject>, steps: Steps<T>): Steps<T> {
    for (;;) {
      this.#known = known;
      let step: IteratorResult<undefined, T>;
      try {
        step = steps.next();
      } finally {
        this.#known = undefined;
      }
      if (step.done) return step.value;
      yield;
    }
  }
}

/** It may have been given as the cause of another error. */
function pendingIn(error: unknown): PendingConversion | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if (cause instanceof PendingConversion) return cause;
  return undefined;
}
