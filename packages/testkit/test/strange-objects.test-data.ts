import { Catalogue, type Kind } from '@coxswain/api';
import { GroupVersionKind } from '@coxswain/apimachinery';
import { isJsonObject } from '@coxswain/apimachinery/json';
import type { FieldPath, Random } from '../../apimachinery/src/schema/random-objects.test-data.ts';
import {
  collectionsOf,
  RandomObjects,
  seededRandom,
  withNullAt,
  withNullBelow,
} from '../../apimachinery/src/schema/random-objects.test-data.ts';

/** A generated object that exists only in the responses of the StrangeServer. */
export interface StrangeObject {
  readonly kind: string;
  readonly apiVersion: string;
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly [field: string]: unknown };
  readonly [field: string]: unknown;
}

/** The depths of nested lists; no kind has deeper ones. */
const depths = [0, 1, 2, 3, 4, 5];

/**
 * Generated objects of one resource: for each list and each map of its kind an object with null for it, and some objects with null for all
 * of them. Each round has different objects with the same names.
 */
export class StrangeObjects {
  readonly namespaced: boolean;
  readonly #kind: Kind;
  readonly #paths: readonly FieldPath[];
  readonly #drawn: RandomObjects;
  readonly #seed: number;
  readonly #rounds = new Map<number, readonly StrangeObject[]>();

  constructor(kind: Kind, seed: number) {
    this.#kind = kind;
    this.namespaced = kind.resource?.namespaced ?? false;
    this.#paths = collectionsOf(kind.schema);
    this.#drawn = new RandomObjects(kind.schema);
    this.#seed = seed;
  }

  /** Returns the objects of a built-in resource; undefined when there is no such resource. */
  static of({ group, version, resource }: ResourceName, seed: number): StrangeObjects | undefined {
    const catalogue = Catalogue.builtIn();
    const resources = catalogue.groupVersions.find(
      (each) => each.group === group && each.version === version,
    )?.resources;
    const name = resources?.find((each) => each.name === resource)?.kind;
    const kind = name === undefined ? undefined : catalogue.kind(GroupVersionKind.of(group, version, name));
    return kind && new StrangeObjects(kind, seed);
  }

  get kind(): string {
    return this.#kind.gvk.kind;
  }

  get name(): string {
    return this.#kind.gvk.toString();
  }

  of(round: number): readonly StrangeObject[] {
    let objects = this.#rounds.get(round);
    if (!objects) {
      const random = seededRandom(this.#seed + round);
      objects = [...this.#withOneNull(round, random), ...this.#withAllNull(random)].map((object, index) =>
        this.#named(object, index, round),
      );
      this.#rounds.set(round, objects);
    }
    return objects;
  }

  #withOneNull(round: number, random: Random): unknown[] {
    const paths = this.#paths;
    return paths.map((_, index) => {
      // In the next round an object has null for another list.
      const path = paths[(index + round) % paths.length] ?? [];
      return withNullAt(this.#drawn.draw(path, random), path);
    });
  }

  #withAllNull(random: Random): unknown[] {
    return depths.map((depth) => {
      const deepest = this.#paths.filter(({ length }) => length > depth + 1);
      const path = deepest[Math.floor(random() * deepest.length)] ?? [];
      return withNullBelow(this.#kind.schema, this.#drawn.draw(path, random), depth);
    });
  }

  #named(drawn: unknown, index: number, round: number): StrangeObject {
    const { kind: _, apiVersion: __, metadata, ...rest } = partsOf(drawn);
    const { kind, apiVersion } = this.#kind.gvk;
    const { deletionTimestamp: ___, ...others } = partsOf(metadata);
    const name = `strange-${kind.toLowerCase()}-${index}`;
    return {
      kind,
      apiVersion,
      metadata: {
        ...others,
        name,
        ...(this.namespaced ? { namespace: 'strange' } : { namespace: undefined }),
        uid: `${name}-${this.#kind.gvk.version}`,
        // The same objects are being deleted in every round.
        ...(index % 4 === 3 && { deletionTimestamp: '2029-12-31T00:00:00Z' }),
        creationTimestamp: '2029-12-30T00:00:00Z',
        generation: round,
      },
      ...rest,
    };
  }
}

/** The kinds with a pod template. */
export const templated = [
  'Deployment',
  'ReplicaSet',
  'StatefulSet',
  'DaemonSet',
  'ReplicationController',
  'Job',
  'CronJob',
  'PodTemplate',
];

const partsOf = (value: unknown): Record<string, unknown> => (isJsonObject(value) ? value : {});

export interface ResourceName {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
}
