import { isExtendedResourceName, podRequests } from '@coxswain/api';
import type { Container, Node, Pod } from '@coxswain/api/core/v1';
import { Quantity } from '@coxswain/apimachinery/quantity';
import { requiredNodeAffinity, untoleratedTaint } from '@coxswain/component-helpers';
import { sysctlRejection } from './sysctls.ts';

/** The reason and message with which a kubelet rejects a pod, as the pod's status has them. */
export interface Rejection {
  readonly reason: string;
  readonly message: string;
}

/**
 * Decides whether the node admits a pod that is bound to it: pods may be bound without the scheduler. `others` are the pods that the
 * node has already. Returns undefined if the pod is admitted.
 */
export function rejectionOf(pod: Pod, node: Node, others: readonly Pod[]): Rejection | undefined {
  return (
    sysctlRejection(pod) ??
    osRejection(pod, node) ??
    resourceRejection(pod, node, others) ??
    affinityRejection(pod, node) ??
    portRejection(pod, others) ??
    taintRejection(pod, node)
  );
}

const osOf = ({ metadata }: Node): string => metadata.labels?.['kubernetes.io/os'] ?? 'linux';

function osRejection({ metadata, spec }: Pod, node: Node): Rejection | undefined {
  const label = metadata.labels?.['kubernetes.io/os'];
  if (label !== undefined && label !== osOf(node)) {
    const message = "Failed to admit pod as the `kubernetes.io/os` label doesn't match node label";
    return { reason: 'PodOSSelectorNodeLabelDoesNotMatch', message };
  }
  if (spec?.os && spec.os.name !== osOf(node)) {
    return { reason: 'PodOSNotSupported', message: "Failed to admit pod as the OS field doesn't match node OS" };
  }
  return undefined;
}

/** Returns CPU in thousandths and all other resources in units. */
const amountOf = (name: string, quantity: Quantity): number =>
  name === 'cpu' ? quantity.milliValue() : quantity.value();

function resourceRejection(pod: Pod, node: Node, others: readonly Pod[]): Rejection | undefined {
  const allocatable = node.status?.allocatable ?? {};
  const capacityOf = (name: string): number =>
    allocatable[name] === undefined ? 0 : amountOf(name, Quantity.parse(allocatable[name]));
  const lacks = (name: string, requested: number, used: number): Rejection | undefined => {
    const capacity = capacityOf(name);
    if (requested <= capacity - used) return undefined;
    const message = `Node didn't have enough resource: ${name}, requested: ${requested}, used: ${used}, capacity: ${capacity}`;
    return { reason: `OutOf${name}`, message };
  };
  const tooMany = lacks('pods', 1, others.length);
  if (tooMany) return tooMany;
  const requests = [...podRequests(pod)].filter(
    // An extended resource that the node does not report is not checked: a scheduler extender may manage it.
    ([name, quantity]) => !quantity.isZero() && !(isExtendedResourceName(name) && allocatable[name] === undefined),
  );
  if (requests.length === 0) return undefined;
  const taken = others.map(podRequests);
  const order = ['cpu', 'memory', 'ephemeral-storage'];
  const rank = (name: string): number => (order.indexOf(name) + order.length + 1) % (order.length + 1);
  for (const [name, quantity] of requests.sort(([a], [b]) => rank(a) - rank(b))) {
    const used = taken.reduce((sum, amounts) => {
      const amount = amounts.get(name);
      return amount ? sum + amountOf(name, amount) : sum;
    }, 0);
    const rejection = lacks(name, amountOf(name, quantity), used);
    if (rejection) return rejection;
  }
  return undefined;
}

function affinityRejection(pod: Pod, node: Node): Rejection | undefined {
  if (!pod.spec || requiredNodeAffinity(pod.spec)(node)) return undefined;
  return predicate('NodeAffinity', "node(s) didn't match Pod's node affinity/selector");
}

function portRejection(pod: Pod, others: readonly Pod[]): Rejection | undefined {
  const wanted = hostPorts(pod);
  if (wanted.length === 0) return undefined;
  const clashes = others.flatMap(hostPorts).some((taken) => wanted.some((port) => overlaps(port, taken)));
  return clashes ? predicate('NodePorts', "node(s) didn't have free ports for the requested pod ports") : undefined;
}

function taintRejection({ spec }: Pod, node: Node): Rejection | undefined {
  const taint = untoleratedTaint(node.spec?.taints ?? [], spec?.tolerations, ['NoExecute']);
  return taint && predicate('TaintToleration', "node(s) had taints that the pod didn't tolerate");
}

const predicate = (name: string, why: string): Rejection => ({
  reason: name,
  message: `Predicate ${name} failed: ${why}`,
});

interface HostPort {
  readonly ip: string;
  readonly protocol: string;
  readonly port: number;
}

function hostPorts({ spec }: Pod): HostPort[] {
  const isSidecar = ({ restartPolicy }: Container): boolean => restartPolicy === 'Always';
  return [...(spec?.containers ?? []), ...(spec?.initContainers ?? []).filter(isSidecar)].flatMap(({ ports }) =>
    (ports ?? []).flatMap(({ hostIP, protocol = 'TCP', hostPort = 0 }) =>
      hostPort > 0 ? { ip: hostIP || '0.0.0.0', protocol, port: hostPort } : [],
    ),
  );
}

const overlaps = (a: HostPort, b: HostPort): boolean =>
  a.port === b.port && a.protocol === b.protocol && (a.ip === b.ip || a.ip === '0.0.0.0' || b.ip === '0.0.0.0');
