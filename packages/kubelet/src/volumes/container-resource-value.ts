import type { Container, Node, Pod, ResourceFieldSelector } from '@coxswain/api/core/v1';
import { Quantity } from '@coxswain/apimachinery/quantity';

export interface ResourceHolders {
  readonly pod: Pod;
  /** The one that is meant when no other is named. */
  readonly container: Container;
  readonly node: Node | undefined;
}

/**
 * What a container asks for or may use, in whole parts of the divisor, the last one begun. One that has no limit may use what
 * the node has.
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
  const isLimit = resource.startsWith('limits.');
  const name = resource.replace(/^(limits|requests)\./, '');
  const own = quantityOf((isLimit ? meant.resources?.limits : meant.resources?.requests)?.[name]);
  const isOfNode = isLimit && own.isZero() && !name.startsWith('hugepages-');
  const amount = isOfNode ? quantityOf(node?.status?.allocatable?.[name]) : own;
  const part = [quantityOf(divisor), quantityOf('1')].find((quantity) => !quantity.isZero())!;
  const parts = name === 'cpu' ? amount.milliValue() / part.milliValue() : amount.value() / part.value();
  return String(Math.ceil(parts));
}

const quantityOf = (text: string | undefined): Quantity => Quantity.parse(text ?? '0');
