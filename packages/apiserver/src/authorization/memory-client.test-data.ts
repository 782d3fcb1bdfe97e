import {
  GroupResource,
  type KubernetesObject,
  newAlreadyExists,
  newConflict,
  newNotFound,
} from '@coxswain/apimachinery';
import type { InternalClient } from '../registry/lister.ts';
import type { MemoryListers } from './memory-listers.test-data.ts';

/** Writes to MemoryListers, sets resource versions, and records its requests. */
export class MemoryClient implements InternalClient {
  /** `create clusterroles/NAME` … */
  readonly requests: string[] = [];
  /** Called before each request. An error that it throws is the result of the request. */
  intercept: (request: string) => void = () => {};
  readonly #listers: MemoryListers;
  #revision = 0;

  constructor(listers: MemoryListers) {
    this.#listers = listers;
  }

  async get<T extends KubernetesObject>(group: string, resource: string, namespace: string, name: string): Promise<T> {
    this.#note('get', resource, name);
    const found = this.#listers.lister<T>(group, resource).get(namespace, name);
    if (!found) throw newNotFound(GroupResource.of(group, resource), name);
    return found;
  }

  async create<T extends KubernetesObject>(group: string, resource: string, object: T): Promise<T> {
    const { namespace = '', name = '' } = object.metadata ?? {};
    this.#note('create', resource, name);
    if (this.#listers.of(group, resource).get(namespace, name)) {
      throw newAlreadyExists(GroupResource.of(group, resource), name);
    }
    return this.#store(group, resource, object);
  }

  async update<T extends KubernetesObject>(group: string, resource: string, object: T): Promise<T> {
    const { namespace = '', name = '', resourceVersion } = object.metadata ?? {};
    this.#note('update', resource, name);
    const old = this.#listers.of(group, resource).get(namespace, name);
    if (!old) throw newNotFound(GroupResource.of(group, resource), name);
    if (resourceVersion && resourceVersion !== old.metadata?.resourceVersion) {
      throw newConflict(GroupResource.of(group, resource), name, 'changed');
    }
    return this.#store(group, resource, object);
  }

  async delete(
    group: string,
    resource: string,
    namespace: string,
    name: string,
    preconditions: { uid?: string } = {},
  ): Promise<void> {
    this.#note('delete', resource, name);
    const old = this.#listers.of(group, resource).get(namespace, name);
    if (!old) throw newNotFound(GroupResource.of(group, resource), name);
    if (preconditions.uid !== old.metadata?.uid) {
      throw newConflict(GroupResource.of(group, resource), name, 'another');
    }
    this.#listers.of(group, resource).delete(namespace, name);
  }

  #store<T extends KubernetesObject>(group: string, resource: string, object: T): T {
    const stored = { ...object, metadata: { ...object.metadata, resourceVersion: String(++this.#revision) } };
    this.#listers.of(group, resource).set(stored);
    return stored;
  }

  #note(verb: string, resource: string, name: string): void {
    const request = `${verb} ${resource}/${name}`;
    this.requests.push(request);
    this.intercept(request);
  }
}
