import type { Service } from '@coxswain/api/core/v1';
import type { Labels } from '@coxswain/apimachinery/labels';
import type { Indexer, SharedIndexInformer } from '@coxswain/client';
import { labelValue } from '../labels/label-index.ts';

const selectorIndex = 'selector';

/** Returns undefined for a service without a selector. Its endpoints are managed by others. */
export function selectorOf({ spec }: Service): Labels | undefined {
  const selector = spec?.selector;
  return selector && Object.keys(selector).length > 0 ? selector : undefined;
}

/** Adds the index that `servicesFor` uses. Does nothing when it exists. */
export function addSelectorIndex(services: SharedIndexInformer<Service>): void {
  if (services.indexer.hasIndex(selectorIndex)) return;
  services.addIndexers({
    [selectorIndex]: (service) => {
      const selector = selectorOf(service);
      return selector ? [labelValue(service.metadata.namespace, ...tellingLabel(selector))] : [];
    },
  });
}

/** Returns the services that select pods with these labels. */
export function servicesFor(
  services: Indexer<Service>,
  namespace: string | undefined,
  labels: Labels | undefined,
): Service[] {
  const found: Service[] = [];
  for (const [key, value] of Object.entries(labels ?? {})) {
    for (const service of services.byIndex(selectorIndex, labelValue(namespace, key, value))) {
      const selector = Object.entries(selectorOf(service) ?? {});
      if (selector.every(([wanted, its]) => labels?.[wanted] === its)) found.push(service);
    }
  }
  return found;
}

/** Any label of the selector is correct as the index key. A long value is more likely to be specific to this service. */
function tellingLabel(selector: Labels): [key: string, value: string] {
  return Object.entries(selector).reduce((best, entry) => (entry[1].length > best[1].length ? entry : best));
}
