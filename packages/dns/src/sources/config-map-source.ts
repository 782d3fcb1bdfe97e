import { basename } from 'node:path';
import type { ConfigMap } from '@coxswain/api/core/v1';
import { type ClientSet, type Clock, type Logger, Reflector } from '@coxswain/client';
import type { ConfigurationFiles } from '../plugins/index.ts';
import type { CorefileFiles } from '../corefile/index.ts';
import type { CorefileSource } from './corefile-source.ts';
import { machineFiles, pathMatcher } from './file-source.ts';

export interface ConfigMapSourceOptions {
  readonly clients: ClientSet;
  readonly namespace?: string;
  readonly name?: string;
  /** Used while the ConfigMap does not exist. Without it, `read` waits. */
  readonly fallback?: string;
  readonly clock: Clock;
  readonly random: () => number;
  readonly logger: Logger;
}

/** Where clusters mount the ConfigMap for CoreDNS, and where k3s mounts the optional `coredns-custom`. */
const folder = '/etc/coredns/';
const customFolder = `${folder}custom/`;

type Data = Readonly<Record<string, string>>;

/**
 * The ConfigMap `kube-system/coredns` as a source, watched. Its keys are the files of `/etc/coredns`, as if it were mounted there, and those of `coredns-custom` the
 * files of `/etc/coredns/custom`: the Corefile of k3s names both. All other files are those of the machine.
 */
export function configMapSource(options: ConfigMapSourceOptions): CorefileSource {
  const { namespace = 'kube-system', name = 'coredns', fallback } = options;
  const own = new WatchedData(options, namespace, name);
  const custom = new WatchedData(options, namespace, `${name}-custom`);
  const fileAt = (path: string): string | undefined => {
    if (path.startsWith(customFolder)) return custom.data?.[path.slice(customFolder.length)];
    return path.startsWith(folder) ? own.data?.[path.slice(folder.length)] : undefined;
  };
  const files: ConfigurationFiles = { read: async (path) => fileAt(path) ?? machineFiles.read(path) };
  const imports: CorefileFiles = {
    matching: (pattern) => {
      const path = pattern.startsWith('/') ? pattern : `${folder}${pattern}`;
      const data = path.startsWith(customFolder) ? custom.data : own.data;
      const matches = pathMatcher(basename(path));
      const names = Object.keys(data ?? {})
        .filter(matches)
        .sort();
      return path.startsWith(folder)
        ? names.map((key) => ({ path: `${path.slice(0, -basename(path).length)}${key}`, text: data?.[key] ?? '' }))
        : [];
    },
  };
  return {
    files,
    read: async (signal) => {
      await Promise.all([own.synced, custom.synced]);
      while (own.data?.Corefile === undefined && fallback === undefined) await own.nextChange(signal);
      const corefile = own.data?.Corefile ?? fallback ?? '';
      return {
        corefile,
        origin: `${namespace}/${name}`,
        imports,
        fingerprint: JSON.stringify([corefile, own.data, custom.data]),
      };
    },
    onChange: (callback) => {
      own.onChange(callback);
      custom.onChange(callback);
    },
    run: async (signal) => {
      await Promise.all([own.run(signal), custom.run(signal)]);
    },
  };
}

/** The data of one ConfigMap, which may not exist. */
class WatchedData {
  readonly #reflector: Reflector<ConfigMap>;
  readonly #callbacks = new Set<() => void>();
  #resolveSynced = (): void => {};
  readonly synced = new Promise<void>((resolve) => {
    this.#resolveSynced = resolve;
  });
  data: Data | undefined;

  constructor({ clients, clock, random, logger }: ConfigMapSourceOptions, namespace: string, name: string) {
    const set = ({ data }: ConfigMap): void => this.#set(data ?? {});
    const store = {
      add: set,
      update: set,
      delete: () => this.#set(undefined),
      replace: ([object]: readonly ConfigMap[]) => {
        this.#set(object?.data ?? (object ? {} : undefined));
        this.#resolveSynced();
      },
    };
    const listOptions = { fieldSelector: `metadata.name=${name}` };
    this.#reflector = new Reflector(clients.core.v1.configMaps(namespace), store, {
      name: 'configmaps',
      listOptions,
      clock,
      random,
      logger,
    });
  }

  run(signal: AbortSignal): Promise<void> {
    return this.#reflector.run(signal);
  }

  onChange(callback: () => void): void {
    this.#callbacks.add(callback);
  }

  /** Resolves after the next change. Rejects when the signal is aborted. */
  nextChange(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const onAbort = (): void => reject(signal.reason);
      const changed = (): void => {
        this.#callbacks.delete(changed);
        signal.removeEventListener('abort', onAbort);
        resolve();
      };
      this.#callbacks.add(changed);
      signal.addEventListener('abort', onAbort, { once: true });
    });
  }

  #set(data: Data | undefined): void {
    this.data = data;
    for (const callback of [...this.#callbacks]) callback();
  }
}
