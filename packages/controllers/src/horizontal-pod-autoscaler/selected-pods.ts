import type { Pod } from '@coxswain/api/core/v1';
import type { Selector } from '@coxswain/apimachinery/labels';

/** Finds autoscalers that select the same pods, which is an error. Holds one selector for each autoscaler. */
export class SelectedPods {
  readonly #selectors = new Map<string, { readonly selector: Selector; readonly bucket: string }>();
  /** Autoscalers by namespace and one label that their selector requires, or by namespace alone without such a label. */
  readonly #buckets = new Map<string, Set<string>>();

  set(namespace: string, key: string, selector: Selector): void {
    if (this.#selectors.get(key)?.selector.toString() === selector.toString()) return;
    this.delete(key);
    const bucket = bucketOf(namespace, exactLabel(selector));
    this.#selectors.set(key, { selector, bucket });
    const members = this.#buckets.get(bucket) ?? new Set();
    this.#buckets.set(bucket, members.add(key));
  }

  delete(key: string): void {
    const bucket = this.#selectors.get(key)?.bucket;
    this.#selectors.delete(key);
    if (bucket === undefined) return;
    const members = this.#buckets.get(bucket);
    members?.delete(key);
    if (members?.size === 0) this.#buckets.delete(bucket);
  }

  /** Returns the sorted keys of all autoscalers that select any of these pods. */
  autoscalersOf(namespace: string, pods: readonly Pod[]): string[] {
    const keys = new Set<string>();
    for (const { metadata } of pods) {
      const labels = Object.entries(metadata.labels ?? {});
      for (const label of [undefined, ...labels]) {
        for (const key of this.#buckets.get(bucketOf(namespace, label)) ?? []) {
          if (this.#selectors.get(key)?.selector.matches(metadata.labels)) keys.add(key);
        }
      }
    }
    return [...keys].sort();
  }
}

type Label = readonly [string, string];

const bucketOf = (namespace: string, label: Label | undefined): string =>
  label ? `${namespace}/${label[0]}=${label[1]}` : namespace;

function exactLabel(selector: Selector): Label | undefined {
  for (const { key } of selector.requirements() ?? []) {
    const value = selector.requiresExactMatch(key);
    if (value !== undefined) return [key, value];
  }
  return undefined;
}
