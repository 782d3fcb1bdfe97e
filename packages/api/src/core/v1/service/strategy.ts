import { nameIsDns1035Label, nameIsDnsLabel, Path } from '@coxswain/apimachinery';
import type { Service, ServiceSpec } from '../../../generated/core/v1.ts';
import type { Strategy } from '../../../strategy/strategy.ts';
import { validateLoadBalancerStatus } from '../load-balancer-status.ts';
import { beginService } from './begin.ts';
import { isExternallyAccessible, needsClusterIP, needsHealthCheck, sameList, specOf } from './service-facts.ts';
import { serviceTable } from './table.ts';
import { validateService, validateServiceUpdate } from './validation.ts';
import { warningsForService, warningsForServiceStatus } from './warnings.ts';

export const serviceStrategy: Strategy<Service> = {
  validateName: (name, prefix, { features }) =>
    (features.enabled('RelaxedServiceNameValidation') ? nameIsDnsLabel : nameIsDns1035Label)(name, prefix),
  allowCreateOnUpdate: true,
  begin: beginService,
  prepareForUpdate(service, old) {
    dropTypeDependentFields(specOf(service), specOf(old));
    if (specOf(service).type !== 'LoadBalancer') service.status = { ...service.status, loadBalancer: {} };
  },
  validate: (service, context) => validateService(service, undefined, context),
  validateUpdate: validateServiceUpdate,
  // Upstream drops this field of ExternalName services whenever it reads one.
  canonicalize({ spec }) {
    if (spec?.type === 'ExternalName') spec.internalTrafficPolicy = undefined;
  },
  warningsOnCreate: warningsForService,
  warningsOnUpdate: warningsForService,
  subresources: {
    status: {
      owns: ['status'],
      validateUpdate: (service, old, context) =>
        validateLoadBalancerStatus(
          service.status?.loadBalancer,
          old.status?.loadBalancer,
          Path.of('status', 'loadBalancer'),
          specOf(service).type,
          context,
        ),
      warningsOnUpdate: warningsForServiceStatus,
    },
  },
  selectableFields: {
    'spec.clusterIP': (service) => specOf(service).clusterIP ?? '',
    'spec.type': (service) => specOf(service).type ?? '',
  },
  table: serviceTable,
};

const hasNodePorts = ({ type }: ServiceSpec): boolean => type === 'NodePort' || type === 'LoadBalancer';
const isLoadBalancer = ({ type }: ServiceSpec): boolean => type === 'LoadBalancer';

/** Drops fields that the new type does not have, unless the client changed them in the same update. */
function dropTypeDependentFields(spec: ServiceSpec, old: ServiceSpec): void {
  const loses = (needs: (one: ServiceSpec) => boolean): boolean => needs(old) && !needs(spec);
  const drop = (field: keyof ServiceSpec): void => {
    if (spec[field] === old[field]) spec[field] = undefined;
  };
  if (loses(needsClusterIP)) {
    if (spec.clusterIP === old.clusterIP && sameList(spec.clusterIPs, old.clusterIPs)) {
      spec.clusterIP = undefined;
      spec.clusterIPs = undefined;
    }
    if (sameList(spec.ipFamilies, old.ipFamilies)) spec.ipFamilies = undefined;
    drop('ipFamilyPolicy');
  }
  if (loses(hasNodePorts)) {
    const known = (old.ports ?? []).map((port) => port.nodePort);
    const ports = spec.ports ?? [];
    if (ports.every(({ nodePort }) => !nodePort || known.includes(nodePort)))
      for (const port of ports) port.nodePort = undefined;
  }
  if (loses(needsHealthCheck)) drop('healthCheckNodePort');
  if (loses(isLoadBalancer)) {
    drop('allocateLoadBalancerNodePorts');
    drop('loadBalancerClass');
  }
  if (loses(isExternallyAccessible)) drop('externalTrafficPolicy');
}
