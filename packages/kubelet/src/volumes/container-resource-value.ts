import type { Container, Node, Pod, ResourceFieldSelector } from '@coxswain/api/core/v1';
import { Quantity } from '@coxswain/apimachinery/quantity';

export interface ResourceHolders {
  readonly pod: Pod;
  /** The one that is meant when no other is named. */
  readonly container: Container;
  readonly node: Node | undefined;
}

/** Resources whose limit defaults to that of the pod, or to what the node has. */
const limitedByNode: readonly string[] = ['cpu', 'memory', 'ephemeral-storage'];

/**
 * Returns what a container requests or may use, in whole parts of the divisor, the last one begun. Throws if there is no such container
 * or resource.
 */
export function containerResourceValue(
  field: ResourceFieldSelector,
  { pod, container, node }: ResourceHolders,
): string {
  const containers = pod.spec?.containers ?? [];
  const initContainers = pod.spec?.initContainers ?? [];
  const { containerName = '', resource, divisor } = field;
  const meant = containerName
    ? [...containers, ...initContainers].find(({ name }) => name === containerName)
    : container;
  if (!meant) throw new Error(`container ${containerName} not found`);
  const [, kind = '', name = ''] = /^(limits|requests)\.(.*)$/.exec(resource) ?? [];
  if (!limitedByNode.includes(name) && !name.startsWith('hugepages-')) {
    throw new Error(`unsupported container resource : ${resource}`);
  }
  const isLimit = kind === 'limits';
  const own = quantityOf((isLimit ? meant.resources?.limits : meant.resources?.requests)?.[name]);
  const amount = isLimit && own.isZero() && limitedByNode.includes(name) ? largest(name, pod, node) : own;
  const part = [quantityOf(divisor), quantityOf('1')].find((quantity) => !quantity.isZero())!;
  const parts = name === 'cpu' ? amount.milliValue() / part.milliValue() : amount.value() / part.value();
  return String(Math.ceil(parts));
}

/** Returns the limit for a container without its own: that of the pod, else what is allocatable on the node. */
function largest(name: string, pod: Pod, node: Node | undefined): Quantity {
  const ofNode = node?.status?.allocatable?.[name];
  const ofPod = name === 'ephemeral-storage' ? quantityOf('0') : quantityOf(pod.spec?.resources?.limits?.[name]);
  return ofNode === undefined || ofPod.isZero() ? quantityOf(ofNode) : ofPod;
}

const quantityOf = (text: string | undefined): Quantity => Quantity.parse(text ?? '0');
