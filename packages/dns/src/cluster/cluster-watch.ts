import type { KubernetesObject } from '@coxswain/apimachinery/meta';
import { type ClientSet, type Clock, type ListerWatcher, type Logger, type Metrics, Reflector } from '@coxswain/client';
import { ClusterIndex } from './cluster-index.ts';
import { namespaceName, podInfo, serviceInfo, sliceInfo } from './cluster-objects.ts';
import { type Table, TableStore } from './table-store.ts';

/** Which objects are watched. Each combination that is used has watches of its own. */
export interface WatchOptions {
  /** A label selector for Services, EndpointSlices and pods; empty for all. */
  readonly labels: string;
  /** A label selector for namespaces; empty for all. */
  readonly namespaceLabels: string;
  readonly hasEndpoints: boolean;
  readonly hasPods: boolean;
  /** Whether endpoints have the names of their pods. */
  readonly hasPodNames: boolean;
}

export interface ClusterWatchOptions extends WatchOptions {
  readonly clients: ClientSet;
  readonly clock: Clock;
  readonly random: () => number;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

/** Pods in these phases have no address, or will never answer again. */
const livePods = 'status.phase!=Succeeded,status.phase!=Failed,status.phase!=Unknown';

/** Keeps a `ClusterIndex` up to date. */
export class ClusterWatch {
  readonly index: ClusterIndex;
  readonly #options: ClusterWatchOptions;
  /** The tables whose first list is missing. */
  readonly #missing = new Set<string>();
  #resolveSynced = (): void => {};
  /** Resolves when all tables have their first list. */
  readonly synced = new Promise<void>((resolve) => {
    this.#resolveSynced = resolve;
  });

  constructor(options: ClusterWatchOptions) {
    this.#options = options;
    const { clock } = options;
    this.index = new ClusterIndex(() => clock.now());
  }

  get isSynced(): boolean {
    return this.#missing.size === 0;
  }

  /** Watches until the signal is aborted. */
  async run(signal: AbortSignal): Promise<void> {
    const { clients, labels, namespaceLabels, hasEndpoints, hasPods, hasPodNames } = this.#options;
    const { index } = this;
    const { namespaces, services, pods } = clients.core.v1;
    const selected = labels === '' ? {} : { labelSelector: labels };
    const running = [
      this.#reflector('namespaces', namespaces(), namespaceName, {
        table: {
          set: (key, name) => index.setNamespace(name ?? key, name !== undefined),
          get: (key) => (index.namespaces.has(key) ? key : undefined),
          keys: () => [...index.namespaces],
        },
        listOptions: namespaceLabels === '' ? {} : { labelSelector: namespaceLabels },
      }),
      this.#reflector('services', services(), serviceInfo, {
        table: tableOf(index.tables.services, (key, service) => index.setService(key, service)),
        listOptions: selected,
      }),
    ];
    if (hasEndpoints)
      running.push(
        this.#reflector(
          'endpointslices',
          clients.discovery.v1.endpointSlices(),
          (slice) => sliceInfo(slice, hasPodNames),
          {
            table: tableOf(index.tables.slices, (key, slice) => index.setSlice(key, slice)),
            listOptions: selected,
          },
        ),
      );
    if (hasPods)
      running.push(
        this.#reflector('pods', pods(), podInfo, {
          table: tableOf(index.tables.pods, (key, pod) => index.setPod(key, pod)),
          listOptions: { ...selected, fieldSelector: livePods },
        }),
      );
    await Promise.all(running.map((reflector) => reflector(signal)));
  }

  #reflector<T extends KubernetesObject, Info>(
    name: string,
    client: ListerWatcher<T>,
    reduce: (object: T) => Info | undefined,
    { table, listOptions }: { table: Table<Info>; listOptions: { labelSelector?: string; fieldSelector?: string } },
  ): (signal: AbortSignal) => Promise<void> {
    const { clock, random, logger, metrics } = this.#options;
    this.#missing.add(name);
    const store = new TableStore(table, reduce, () => {
      this.#missing.delete(name);
      if (this.isSynced) this.#resolveSynced();
    });
    const reflector = new Reflector(client, store, { name, listOptions, clock, random, logger, metrics });
    return (signal) => reflector.run(signal);
  }
}

const tableOf = <Info>(map: ReadonlyMap<string, Info>, set: Table<Info>['set']): Table<Info> => ({
  set,
  get: (key) => map.get(key),
  keys: () => [...map.keys()],
});
