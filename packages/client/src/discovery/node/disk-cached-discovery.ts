import { open, readFile, rename, rm, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { type Clock, systemClock } from '@coxswain/apimachinery/clock';
import { isJsonObject } from '@coxswain/apimachinery/json';
import type { APIGroup, APIGroupList, APIResourceList } from '@coxswain/apimachinery/meta';
import { makeDirectory } from '../../files/make-directory.ts';
import type { CallOptions } from '../../rest/call-options.ts';
import type { CachedDiscoveryInterface, ServerResources } from '../discovery-interface.ts';
import type { OpenAPIDocument, OpenAPIV3GroupVersion } from '../open-api.ts';
import { namespacedOf, preferredOf } from '../preferred-resources.ts';
import { resourcesOfGroups } from '../resources-of-groups.ts';
import type { VersionInfo } from '../version-info.ts';

export interface DiskCachedDiscoveryOptions {
  /**
   * The directory of one server; `discoveryCacheDirectory` returns the one that kubectl uses. Created when it does not
   * exist.
   */
  readonly directory: string;
  /** Older files are not used. Default: six hours, as in kubectl. */
  readonly maxAgeMs?: number;
  readonly clock?: Clock;
}

const sixHoursMs = 6 * 60 * 60 * 1000;

/**
 * Caches discovery on disk, so that short-lived programs need not request it each time. The files are kubectl's and are
 * shared with it. Files that cannot be read or written are ignored. There is one file per group version. OpenAPI is not
 * cached.
 */
export class DiskCachedDiscovery implements CachedDiscoveryInterface {
  readonly #delegate: CachedDiscoveryInterface;
  readonly #directory: string;
  readonly #maxAgeMs: number;
  readonly #clock: Clock;
  /** Files that this object wrote since it was created or last invalidated. */
  readonly #ours = new Set<string>();
  /** After `invalidate`, files written by others are ignored. */
  #isInvalidated = false;
  /** Whether a file that this object did not write was used. */
  #usedOthers = false;
  #written = 0;

  constructor(delegate: CachedDiscoveryInterface, options: DiskCachedDiscoveryOptions) {
    this.#delegate = delegate;
    this.#directory = options.directory;
    this.#maxAgeMs = options.maxAgeMs ?? sixHoursMs;
    this.#clock = options.clock ?? systemClock;
  }

  fresh(): boolean {
    return this.#ours.size > 0 && !this.#usedOthers;
  }

  invalidate(): void {
    this.#ours.clear();
    this.#isInvalidated = true;
    this.#usedOthers = false;
    this.#delegate.invalidate();
  }

  serverVersion(options?: CallOptions): Promise<VersionInfo> {
    return this.#delegate.serverVersion(options);
  }

  async groups(options?: CallOptions): Promise<readonly APIGroup[]> {
    const file = join(this.#directory, 'servergroups.json');
    const kept = await this.#read(file, isGroupList);
    if (kept) return kept.groups;
    const groups = await this.#delegate.groups(options);
    if (groups.length > 0) await this.#write(file, { kind: 'APIGroupList', apiVersion: 'v1', groups });
    return groups;
  }

  async resourcesFor(groupVersion: string, options?: CallOptions): Promise<APIResourceList> {
    const file = this.#fileOf(groupVersion);
    const kept = file && (await this.#read(file, isResourceList));
    if (kept) return kept;
    const list = await this.#delegate.resourcesFor(groupVersion, options);
    if (file && list.resources.length > 0) {
      await this.#write(file, { ...list, kind: 'APIResourceList', apiVersion: 'v1' });
    }
    return list;
  }

  async serverGroupsAndResources(options?: CallOptions): Promise<ServerResources> {
    return resourcesOfGroups(this, await this.groups(options), options);
  }

  async preferredResources(options?: CallOptions): Promise<ServerResources> {
    return preferredOf(await this.serverGroupsAndResources(options));
  }

  async preferredNamespacedResources(options?: CallOptions): Promise<ServerResources> {
    return namespacedOf(await this.preferredResources(options));
  }

  openAPIV2(options?: CallOptions): Promise<OpenAPIDocument> {
    return this.#delegate.openAPIV2(options);
  }

  openAPIV3(options?: CallOptions): Promise<ReadonlyMap<string, OpenAPIV3GroupVersion>> {
    return this.#delegate.openAPIV3(options);
  }

  /**
   * Returns undefined for invalid group versions. They come from the server and must not name a path outside the
   * directory.
   */
  #fileOf(groupVersion: string): string | undefined {
    const isName = /^([a-z0-9]([-a-z0-9.]*[a-z0-9])?\/)?[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(groupVersion);
    if (!isName || groupVersion.includes('..')) return undefined;
    return join(this.#directory, groupVersion, 'serverresources.json');
  }

  async #read<T>(file: string, is: (value: unknown) => value is T): Promise<T | undefined> {
    const isOurs = this.#ours.has(file);
    if (this.#isInvalidated && !isOurs) return undefined;
    try {
      const { mtimeMs } = await stat(file);
      if (this.#clock.now() > mtimeMs + this.#maxAgeMs) return undefined;
      const value: unknown = JSON.parse(await readFile(file, 'utf8'));
      if (!is(value)) return undefined;
      if (!isOurs) this.#usedOthers = true;
      return value;
    } catch {
      return undefined;
    }
  }

  /** Writes a temporary file and renames it, because other processes read the file concurrently. */
  async #write(file: string, value: object): Promise<void> {
    const draft = `${file}.${process.pid}.${this.#written++}`;
    try {
      await makeDirectory(dirname(file), 0o750);
      const handle = await open(draft, 'wx', 0o660);
      try {
        await handle.writeFile(`${JSON.stringify(value)}\n`);
      } finally {
        await handle.close();
      }
      await rename(draft, file);
      this.#ours.add(file);
    } catch {
      await rm(draft, { force: true }).catch(() => {});
    }
  }
}

/**
 * The directory in which kubectl caches discovery of a server: below `KUBECACHEDIR`, or `.kube/cache` in the home
 * directory. It is named after the server's host and port.
 */
export function discoveryCacheDirectory(server: string, parent = defaultParent()): string {
  const host = server.replace('https://', '').replace('http://', '');
  return join(parent, host.replaceAll(/[^(\w/.)]/g, '_'));
}

const defaultParent = (): string => join(process.env.KUBECACHEDIR || join(homedir(), '.kube', 'cache'), 'discovery');

const isGroupList = (value: unknown): value is APIGroupList =>
  isJsonObject(value) && value.kind === 'APIGroupList' && Array.isArray(value.groups);

const isResourceList = (value: unknown): value is APIResourceList =>
  isJsonObject(value) && value.kind === 'APIResourceList' && Array.isArray(value.resources);
