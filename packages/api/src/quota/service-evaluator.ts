import { GroupResource, Quantity } from '@coxswain/apimachinery';
import type { Service } from '../generated/core/v1.ts';
import { countName, type Evaluator, one, zero } from './evaluator.ts';

const groupResource = GroupResource.of('', 'services');
const names: ReadonlySet<string> = new Set([
  countName(groupResource),
  'services',
  'services.nodeports',
  'services.loadbalancers',
]);

/** Returns the number of node ports that the service needs. They are allocated only after the quota check. */
function nodePorts({ spec = {} }: Service): number {
  const { type, allocateLoadBalancerNodePorts } = spec;
  const ports = spec.ports ?? [];
  if (type === 'NodePort') return ports.length;
  if (type !== 'LoadBalancer') return 0;
  return allocateLoadBalancerNodePorts === false ? ports.filter(({ nodePort }) => nodePort).length : ports.length;
}

/** The evaluator of services, which use node ports and load balancers and are counted. */
export const serviceEvaluator: Evaluator = {
  groupResource,
  handles: ({ operation, subresource }) => subresource === '' && (operation === 'CREATE' || operation === 'UPDATE'),
  measures: (name) => names.has(name),
  usage(object) {
    const service = object as Service;
    return new Map([
      [countName(groupResource), one],
      ['services', one],
      ['services.nodeports', Quantity.of(nodePorts(service))],
      ['services.loadbalancers', service.spec?.type === 'LoadBalancer' ? one : zero],
    ]);
  },
};
