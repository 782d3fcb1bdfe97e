import type { EndpointSlice } from '@coxswain/api/discovery/v1';
import { hasStatusCause, messageOf } from '@coxswain/apimachinery/errors';
import type { KubernetesObject } from '@coxswain/apimachinery/meta';
import type { ClientSet } from '@coxswain/client';
import type { SlicePlan } from './slice-plan.ts';
import type { SliceTracker } from './slice-tracker.ts';

/** Carries out what was planned for the slices of an object, and keeps account of it. */
export class SliceWriter {
  readonly #clients: ClientSet;
  readonly #tracker: SliceTracker;
  readonly #kind: string;

  /** `kind` is what the slices are for: in messages. */
  constructor(clients: ClientSet, tracker: SliceTracker, kind: string) {
    this.#clients = clients;
    this.#tracker = tracker;
    this.#kind = kind;
  }

  /** Stops at the first thing that fails, and answers what that was. */
  async carryOut({ metadata = {} }: KubernetesObject, plan: SlicePlan): Promise<string | undefined> {
    const { namespace = '', name, deletionTimestamp } = metadata;
    const client = this.#clients.discovery.v1.endpointSlices(namespace);
    let doing = '';
    try {
      // What the garbage collector is about to delete is not made anew.
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
      // All else in the namespace goes too: nothing to try again.
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
