import type { KubernetesObject } from '@coxswain/apimachinery';

const noLabels: Readonly<Record<string, string>> = Object.freeze({});

/**
 * An object in the watch cache: its JSON in the storage version with resourceVersion, ready to be sent, and the parsed values that
 * selectors need. Immutable and shared by all readers.
 */
export class StoredObject {
  /** The JSON, followed by a line break. */
  readonly line: Buffer;
  readonly namespace: string;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  /** The values of the kind's selectable fields, in the order of `ObjectCodec.fieldNames`. */
  readonly fieldValues: readonly string[];
  /**
   * The written object itself, in its hub version, so that listeners of the cache need not decode it. Set only until the response
   * to the write is made.
   */
  fresh: KubernetesObject | undefined;
  /** True when the value would be encoded or encrypted differently today. An update without changes then still writes it. */
  stale = false;
  /** Cached encodings in other representations, by the key that the endpoint uses. */
  #variants: Map<string, Buffer> | undefined;

  constructor(line: Buffer, { metadata }: Pick<KubernetesObject, 'metadata'>, fieldValues: readonly string[]) {
    const { namespace = '', name = '', labels = noLabels } = metadata ?? {};
    this.line = line;
    this.namespace = namespace;
    this.name = name;
    this.labels = labels;
    this.fieldValues = fieldValues;
  }

  /** Returns the same object with another line. */
  withLine(line: Buffer): StoredObject {
    const { namespace, name, labels } = this;
    return new StoredObject(line, { metadata: { namespace, name, labels } }, this.fieldValues);
  }

  /** The JSON without the line break. */
  get bytes(): Buffer {
    return this.line.subarray(0, -1);
  }

  /** Returns the cached encoding of that name. Calls `make` on the first call. */
  variant(name: string, make: () => Buffer): Buffer {
    this.#variants ??= new Map();
    let bytes = this.#variants.get(name);
    if (!bytes) {
      bytes = make();
      this.#variants.set(name, bytes);
    }
    return bytes;
  }
}
