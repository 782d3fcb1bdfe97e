import type { Pod, Service } from '@coxswain/api/core/v1';
import { type Labels, labelSelectorAsSelector, merge, Selector } from '@coxswain/apimachinery/labels';
import { getControllerOf, type LabelSelector } from '@coxswain/apimachinery/meta';
import { NAMESPACE_INDEX, type SharedInformerFactory } from '@coxswain/client';

/** Computes the selector for default constraints: that of the pod's services and controller. */
export class DefaultSelector {
  readonly #informers;
  /** Cached by object, since informers replace changed Services. */
  readonly #serviceSelectors = new WeakMap<Service, Selector>();

  constructor({ core, apps }: SharedInformerFactory) {
    this.#informers = {
      services: core.v1.services.informer,
      replicationControllers: core.v1.replicationControllers.informer,
      replicaSets: apps.v1.replicaSets.informer,
      statefulSets: apps.v1.statefulSets.informer,
    };
  }

  /** Empty when the pod has neither services nor a controller. */
  of(pod: Pod): Selector {
    let labels = this.#serviceLabels(pod);
    const controller = getControllerOf(pod);
    const key = `${pod.metadata.namespace}/${controller?.name}`;
    switch (controller && `${controller.apiVersion} ${controller.kind}`) {
      case 'v1 ReplicationController': {
        const selector = this.#informers.replicationControllers.indexer.getByKey(key)?.spec?.selector;
        labels = merge(labels, selector);
        return Selector.fromSet(labels);
      }
      case 'apps/v1 ReplicaSet':
        return and(labels, this.#informers.replicaSets.indexer.getByKey(key)?.spec?.selector);
      case 'apps/v1 StatefulSet':
        return and(labels, this.#informers.statefulSets.indexer.getByKey(key)?.spec?.selector);
      default:
        return Selector.fromSet(labels);
    }
  }

  /** Returns the merged selectors of the services that select the pod. Since all match the pod's labels, their values do not conflict. */
  #serviceLabels({ metadata }: Pod): Labels {
    let labels: Labels = {};
    for (const service of this.#informers.services.indexer.byIndex(NAMESPACE_INDEX, metadata.namespace ?? '')) {
      const selector = service.spec?.selector;
      if (selector && this.#selectorOf(service, selector).matches(metadata.labels)) labels = merge(labels, selector);
    }
    return labels;
  }

  #selectorOf(service: Service, labels: Labels): Selector {
    const known = this.#serviceSelectors.get(service);
    if (known) return known;
    const selector = Selector.fromSet(labels);
    this.#serviceSelectors.set(service, selector);
    return selector;
  }
}

/** An invalid selector, or one that selects nothing, is ignored. */
function and(labels: Labels, labelSelector: LabelSelector | undefined): Selector {
  const selector = Selector.fromSet(labels);
  try {
    return selector.add(...(labelSelectorAsSelector(labelSelector).requirements() ?? []));
  } catch {
    return selector;
  }
}
