import type { GroupVersionKind } from '../meta/group-version.ts';
import type { TypeMeta } from '../meta/type-meta.ts';

/**
 * The way from one version of a kind to the kind's hub and back. Every version knows the hub only, so a new version
 * is one conversion, not one for each of the others.
 *
 * Both functions own what they are given, may change it and share its parts with what they return. They need not mind
 * apiVersion and kind. They must lose nothing on the way there and back.
 */
export interface HubConversion<Version extends TypeMeta = TypeMeta, Hub extends TypeMeta = TypeMeta> {
  toHub(object: Version): Hub;
  fromHub(hub: Hub): Version;
}

export type Convert = (object: TypeMeta) => TypeMeta;

/** For versions that have the hub's fields exactly: only the apiVersion changes. */
export const identityConversion: HubConversion = { toHub: (object) => object, fromHub: (hub) => hub };

/** Which kinds convert to which hub, and how. */
export class HubRegistry {
  readonly #spokes = new Map<GroupVersionKind, { hub: GroupVersionKind; conversion: HubConversion }>();

  copyFrom(other: HubRegistry): void {
    for (const [kind, spoke] of other.#spokes) this.#spokes.set(kind, spoke);
  }

  /** Throws when the kind has a conversion already, and when hubs would form a chain. */
  add(kind: GroupVersionKind, hub: GroupVersionKind, conversion: HubConversion): void {
    const existing = this.#spokes.get(kind);
    if (existing) throw new Error(`Double registration of the conversion of ${kind}: old=${existing.hub}, new=${hub}`);
    const chained = kind === hub || this.#spokes.has(hub) || [...this.#spokes.values()].some((it) => it.hub === kind);
    if (chained) throw new Error(`a hub cannot be converted to another hub: ${kind} to ${hub}`);
    this.#spokes.set(kind, { hub, conversion });
  }

  /** The hub of a kind without a conversion is the kind itself. */
  hubOf(kind: GroupVersionKind): GroupVersionKind {
    return this.#spokes.get(kind)?.hub ?? kind;
  }

  /** Undefined when the two have no hub in common. apiVersion and kind of the result are for the caller to set. */
  converter(from: GroupVersionKind, to: GroupVersionKind): Convert | undefined {
    if (this.hubOf(from) !== this.hubOf(to)) return undefined;
    const source = this.#spokes.get(from)?.conversion;
    const target = this.#spokes.get(to)?.conversion;
    return (object) => {
      const hub = source ? source.toHub(object) : object;
      return target ? target.fromHub(hub) : hub;
    };
  }
}
