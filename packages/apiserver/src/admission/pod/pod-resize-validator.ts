import { podRequests } from '@coxswain/api';
import type { Node, Pod } from '@coxswain/api/core/v1';
import { ApiError, Quantity, quote } from '@coxswain/apimachinery';
import type { AdmissionAttributes, AdmissionPlugin } from '../admission.ts';
import { admissionForbidden } from '../admission-error.ts';
import type { AdmissionContext } from '../plugin-context.ts';
import { knownNode, nodeOfChangedPod } from './changed-pod.ts';

/** Rejects a resize of a running pod beyond the capacity of its node. */
export const podResizeValidator = ({ listers }: Pick<AdmissionContext, 'listers'>): AdmissionPlugin => ({
  name: 'PodResizeValidator',
  operations: ['UPDATE'],
  resources: ['pods/resize'],
  async validate(attributes) {
    const nodeName = nodeOfChangedPod(attributes);
    if (nodeName === undefined) return;
    const node = await knownNode(attributes, { listers }, nodeName);
    const system = node.metadata.labels?.['kubernetes.io/os'] ?? 'linux';
    if (system !== 'linux')
      throw withCause(
        attributes,
        `pod resize is only supported on linux nodes, node ${quote(nodeName)} is ${quote(system)}`,
        'UnsupportedPlatform',
      );
    const missing = shortages(attributes.object as Pod, node);
    if (missing.length > 0)
      throw withCause(
        attributes,
        `node didn't have enough allocatable resources: ${missing.join('; ')}`,
        'NodeCapacity',
      );
  },
});

const zero = Quantity.of(0);

function shortages(pod: Pod, { status }: Node): string[] {
  const requests = podRequests(pod);
  const measured = { cpu: (amount: Quantity) => amount.milliValue(), memory: (amount: Quantity) => amount.value() };
  return Object.entries(measured).flatMap(([name, measure]) => {
    const requested = requests.get(name) ?? zero;
    const allocatable = Quantity.parse(status?.allocatable?.[name] ?? '0');
    return requested.cmp(allocatable) > 0
      ? [`${name}, requested: ${measure(requested)}, allocatable: ${measure(allocatable)}`]
      : [];
  });
}

function withCause(attributes: AdmissionAttributes, why: string, reason: string): ApiError {
  const { status } = admissionForbidden(attributes, why);
  const causes = [...(status.details?.causes ?? []), { reason }];
  return new ApiError({ ...status, details: { ...status.details, causes } });
}
