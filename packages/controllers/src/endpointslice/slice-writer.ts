import type { EndpointSlice } from '@coxswain/api/discovery/v1';
import { hasStatusCause, messageOf } from '@coxswain/apimachinery/errors';
import type { KubernetesObject } from '@coxswain/apimachinery/meta';
import type { ClientSet } from '@coxswain/client';
import type { SlicePlan } from './slice-plan.ts';
import type { SliceTracker } from './slice-tracker.ts';

/** Writes planned slices and records the writes in the tracker. */
export class SliceWriter {
  readonly #clients: ClientSet;
  readonly #tracker: SliceTracker;
  readonly #kind: string;

  /** `kind` is the kind of the slices' owner, for error messages. */
  constructor(clients: ClientSet, tracker: SliceTracker, kind: string) {
    this.#clients = clients;
    this.#tracker = tracker;
    this.#kind = kind;
  }

  /** Carries out the plan. Stops at the first failure and returns its message. */
  async carryOut({ metadata = {} }: KubernetesObject, plan: SlicePlan): Promise<string | undefined> {
    const { namespace = '', name, deletionTimestamp } = metadata;
    const client = this.#clients.discovery.v1.endpointSlices(namespace);
    let doing = '';
    try {
      // If the owner is being deleted, the garbage collector would delete new slices.
      for (const slice of deletionTimestamp === undefined ? plan.create : []) {
        doing = 'create';
        this.#tracker.written(await client.create(slice));
      }
      for (const slice of plan.update) {
        doing = `update ${slice.metadata.name}`;
        this.#tracker.written(await client.update(slice));
      }
      for (const slice of plan.delete) {
        doing = `delete ${slice.metadata.name}`;
        await this.delete(slice);
      }
    } catch (error) {
      // The namespace is being deleted: a retry is pointless.
      if (doing === 'create' && hasStatusCause(error, 'NamespaceTerminating')) return undefined;
      return `failed to ${doing} EndpointSlice for ${this.#kind} ${namespace}/${name}: ${messageOf(error)}`;
    }
    return undefined;
  }

  async delete(slice: EndpointSlice): Promise<void> {
    const { namespace = '', name = '' } = slice.metadata;
    await this.#clients.discovery.v1.endpointSlices(namespace).delete(name);
    this.#tracker.deleted(slice);
  }
}
