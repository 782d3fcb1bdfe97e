import { type KubernetesObject, type Steps, stringifyJson } from '@coxswain/apimachinery';
import { inTurns, type Turns } from '../../turns/turns.ts';
import type { ObjectConverter } from './object-converter.ts';

/** Thrown for a conversion whose result is not known yet. */
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

/** Limit for one run, after which it fails. A write needs few: for the versions in managedFields. */
const maxConversions = 100;

/**
 * Runs synchronous code that converts objects, with a converter that may be asynchronous. The code is stopped at an
 * unknown conversion, and run again when its result is known. It must not have side effects before its end.
 */
export class Conversions {
  readonly #converter: ObjectConverter;
  /** The conversions of the run whose step is being executed. */
  #known: ReadonlyMap<string, KubernetesObject> | undefined;

  constructor(converter: ObjectConverter) {
    this.#converter = converter;
  }

  /** Converts an object. Must only be called by code within `run`. */
  convert(object: KubernetesObject, apiVersion: string): KubernetesObject {
    if (object.apiVersion === apiVersion) return object;
    if (this.#converter.convertNow) return this.#converter.convertNow(object, apiVersion);
    const key = `${apiVersion} ${stringifyJson(object)}`;
    const known = this.#known?.get(key);
    if (!known) throw new PendingConversion(key, object, apiVersion);
    return known;
  }

  /** Rejects with the error of the code, or of a conversion. */
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

  /** Runs the steps with the known conversions. These are unset between steps, when other runs execute. */
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

/** The error may be wrapped, as `cause`. */
function pendingIn(error: unknown): PendingConversion | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if (cause instanceof PendingConversion) return cause;
  return undefined;
}
