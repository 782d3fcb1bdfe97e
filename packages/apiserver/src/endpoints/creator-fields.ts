import { Catalogue } from '@coxswain/api';
import { FieldManager, type GroupVersionKind, type KubernetesObject, managerOrUserAgent } from '@coxswain/apimachinery';
import { headerOf } from '@coxswain/component-base/http';
import type { RequestContext } from '../http/request-context.ts';
import type { WriteOptions } from './options.ts';

/**
 * Computes managedFields of objects that are returned but never stored, such as reviews: the client owns the fields it sent.
 * Keeps one `FieldManager` per kind.
 */
export class CreatorFields {
  readonly #managers = new Map<GroupVersionKind, FieldManager>();
  readonly #now: () => Date;
  readonly #subresource: string;

  constructor(now: () => Date, subresource = '') {
    this.#now = now;
    this.#subresource = subresource;
  }

  /** Returns a copy whose managedFields give all fields to the client. */
  own<T extends KubernetesObject>(
    kind: GroupVersionKind,
    object: T,
    context: RequestContext,
    options: WriteOptions,
  ): T {
    const manager = managerOrUserAgent(options.fieldManager, headerOf(context.request, 'user-agent'));
    return this.#managerFor(kind).updateNoErrors(undefined, object, manager);
  }

  #managerFor(kind: GroupVersionKind): FieldManager {
    let manager = this.#managers.get(kind);
    if (!manager) {
      const schema = Catalogue.builtIn().kind(kind)?.schema;
      if (!schema) throw new Error(`${kind} is not a built-in kind`);
      manager = new FieldManager({
        apiVersion: kind.apiVersion,
        kind: kind.kind,
        subresource: this.#subresource,
        versions: { schemaFor: () => schema, convert: (converted) => converted },
        objectsFit: true,
        now: this.#now,
      });
      this.#managers.set(kind, manager);
    }
    return manager;
  }
}
