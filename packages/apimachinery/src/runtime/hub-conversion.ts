import type { GroupVersionKind } from '../meta/group-version.ts';
import type { TypeMeta } from '../meta/type-meta.ts';

/**
 * The conversion between one version of a kind and the kind's hub. Every version is converted only from and to the hub, so a new version
 * needs one conversion, not one for each of the others.
 *
 * Both functions own their argument: they may modify it and share its parts with the result. They need not set apiVersion and kind. A
 * round trip must lose nothing.
 */
export interface HubConversion<Version extends TypeMeta = TypeMeta, Hub extends TypeMeta = TypeMeta> {
  toHub(object: Version): Hub;
  fromHub(hub: Hub): Version;
}

export type Convert = (object: TypeMeta) => TypeMeta;

/** For versions that have exactly the hub's fields: only the apiVersion changes. */
export const identityConversion: HubConversion = { toHub: (object) => object, fromHub: (hub) => hub };

/** The hub of each kind, and the conversion to it. */
export class HubRegistry {
  readonly #spokes = new Map<GroupVersionKind, { hub: GroupVersionKind; conversion: HubConversion }>();

  copyFrom(other: HubRegistry): void {
    for (const [kind, spoke] of other.#spokes) this.#spokes.set(kind, spoke);
  }

  /** Throws when the kind already has a conversion, and when hubs would form a chain. */
  add(kind: GroupVersionKind, hub: GroupVersionKind, conversion: HubConversion): void {
    const existing = this.#spokes.get(kind);
    if (existing) throw new Error(`Double registration of the conversion of ${kind}: old=${existing.hub}, new=${hub}`);
    const chained = kind === hub || this.#spokes.has(hub) || [...this.#spokes.values()].some((it) => it.hub === kind);
    if (chained) throw new Error(`a hub cannot be converted to another hub: ${kind} to ${hub}`);
    this.#spokes.set(kind, { hub, conversion });
  }

  /** Returns the hub of a kind. A kind without a conversion is its own hub. */
  hubOf(kind: GroupVersionKind): GroupVersionKind {
    return this.#spokes.get(kind)?.hub ?? kind;
  }

  /**
   * Returns the conversion between two kinds; undefined when they have no hub in common. The caller must set apiVersion and kind of the
   * result.
   */
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
