import type { KubernetesObject } from '@coxswain/apimachinery';

const noLabels: Readonly<Record<string, string>> = Object.freeze({});

/**
 * An object as the watch cache keeps it: its JSON in the storage version, resource version included, ready to be sent,
 * and the few parsed things that selectors look at. Immutable and shared by everybody who reads.
 */
export class StoredObject {
  /** The JSON and a line break. */
  readonly line: Buffer;
  readonly namespace: string;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  /** The values of the kind's selectable fields, in the order the codec knows. */
  readonly fieldValues: readonly string[];
  /**
   * The object itself, in its hub version, while those who follow the cache hear of it: nobody needs to parse what was
   * just written. Let go of as soon as the write is answered.
   */
  fresh: KubernetesObject | undefined;
  /** It would be stored otherwise today: a write that changes nothing is done all the same. */
  stale = false;
  /** Other representations, by what the endpoint calls them; made when first asked for and kept. */
  #variants: Map<string, Buffer> | undefined;

  constructor(line: Buffer, { metadata }: Pick<KubernetesObject, 'metadata'>, fieldValues: readonly string[]) {
    const { namespace = '', name = '', labels = noLabels } = metadata ?? {};
    this.line = line;
    this.namespace = namespace;
    this.name = name;
    this.labels = labels;
    this.fieldValues = fieldValues;
  }

  /** The same object in other bytes. */
  withLine(line: Buffer): StoredObject {
    const { namespace, name, labels } = this;
    return new StoredObject(line, { metadata: { namespace, name, labels } }, this.fieldValues);
  }

  /** The JSON alone. */
  get bytes(): Buffer {
    return this.line.subarray(0, -1);
  }

  /** The representation of that name, made now if nobody asked before. */
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
