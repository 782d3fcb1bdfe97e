import type { Service } from '@coxswain/api/core/v1';
import type { Labels } from '@coxswain/apimachinery/labels';
import type { Indexer, SharedIndexInformer } from '@coxswain/client';
import { labelValue } from '../labels/label-index.ts';

const selectorIndex = 'selector';

/** A service that selects nothing has none: its endpoints are somebody else's to make. */
export function selectorOf({ spec }: Service): Labels | undefined {
  const selector = spec?.selector;
  return selector && Object.keys(selector).length > 0 ? selector : undefined;
}

/** Lets `servicesFor` find services without going through all of a namespace. Harmless when called twice. */
export function addSelectorIndex(services: SharedIndexInformer<Service>): void {
  if (services.indexer.hasIndex(selectorIndex)) return;
  services.addIndexers({
    [selectorIndex]: (service) => {
      const selector = selectorOf(service);
      return selector ? [labelValue(service.metadata.namespace, ...tellingLabel(selector))] : [];
    },
  });
}

/** The services that select pods with these labels. */
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

/** Any one label of the selector would do; a long value is more likely to tell this service's pods from others'. */
function tellingLabel(selector: Labels): [key: string, value: string] {
  return Object.entries(selector).reduce((best, entry) => (entry[1].length > best[1].length ? entry : best));
}
