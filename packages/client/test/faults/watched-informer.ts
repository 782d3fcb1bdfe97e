import type { ConfigMap } from '@coxswain/api/core/v1';
import type { Clock } from '@coxswain/apimachinery/clock';
import { DeletedFinalStateUnknown, SharedIndexInformer } from '../../src/informers/index.ts';
import { ClientSet } from '../../src/kubernetes/index.ts';
import type { RESTClient } from '../../src/rest/index.ts';

/** An event that a handler received for an object. */
export interface Sighting {
  readonly event: 'add' | 'update' | 'delete';
  readonly uid: string;
  readonly resourceVersion: string;
}

/** An informer of ConfigMaps that records all events and errors. */
export class WatchedInformer {
  readonly informer: SharedIndexInformer<ConfigMap>;
  readonly sightings = new Map<string, Sighting[]>();
  readonly errors: unknown[] = [];
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;
  #wake: (() => void)[] = [];

  constructor(rest: RESTClient, namespace: string, clock: Clock) {
    this.informer = new SharedIndexInformer(new ClientSet(rest).core.v1.configMaps(namespace), {
      clock,
      onError: (error) => this.errors.push(error),
    });
    this.informer.addEventHandler({
      onAdd: (object) => this.#saw('add', object),
      onUpdate: (_, object) => this.#saw('update', object),
      onDelete: (deleted) =>
        this.#saw('delete', deleted instanceof DeletedFinalStateUnknown ? deleted.object : deleted),
    });
    this.#running = this.informer.run(this.#stop.signal);
  }

  /** Name → resourceVersion of all cached objects. */
  state(): Map<string, string> {
    return versions(this.informer.indexer.list());
  }

  /**
   * Resolves when the cache, and the state according to the handler's events, are as expected. Has no timeout of its
   * own.
   */
  async becomes(expected: ReadonlyMap<string, string>): Promise<void> {
    while (!isSame(this.state(), expected) || !isSame(this.#heard(), expected)) {
      await new Promise<void>((resolve) => this.#wake.push(resolve));
    }
  }

  /** Resolves after this number of further events. */
  async sees(changes: number): Promise<void> {
    for (let left = changes; left > 0; left--) await new Promise<void>((resolve) => this.#wake.push(resolve));
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  /** The state according to the handler's events. */
  #heard(): Map<string, string> {
    const heard = new Map<string, string>();
    for (const [name, sightings] of this.sightings) {
      const last = sightings.at(-1)!;
      if (last.event !== 'delete') heard.set(name, last.resourceVersion);
    }
    return heard;
  }

  #saw(event: Sighting['event'], { metadata }: ConfigMap): void {
    const { name = '', uid = '', resourceVersion = '' } = metadata;
    const sightings = this.sightings.get(name) ?? [];
    sightings.push({ event, uid, resourceVersion });
    this.sightings.set(name, sightings);
    for (const wake of this.#wake.splice(0)) wake();
  }
}

/** Returns why the events of an object are inconsistent; undefined when they are consistent. */
export function disorder(sightings: readonly Sighting[]): string | undefined {
  let there: Sighting | undefined;
  for (const sighting of sightings) {
    const { event, uid, resourceVersion } = sighting;
    if (event === 'add' && there) return `an add of an existing object (${there.resourceVersion}, ${resourceVersion})`;
    if (event !== 'add' && !there) return `${event} of a missing object (${resourceVersion})`;
    if (event !== 'add' && there!.uid !== uid) return `${event} of another object than was added`;
    if (event === 'update' && BigInt(resourceVersion) <= BigInt(there!.resourceVersion))
      return 'an update to an older version';
    there = event === 'delete' ? undefined : sighting;
  }
  return undefined;
}

/** Name → resourceVersion. */
export function versions(objects: readonly ConfigMap[]): Map<string, string> {
  return new Map(objects.map(({ metadata }) => [metadata.name ?? '', metadata.resourceVersion ?? '']));
}

const isSame = (a: ReadonlyMap<string, string>, b: ReadonlyMap<string, string>): boolean =>
  a.size === b.size && [...a].every(([name, version]) => b.get(name) === version);
