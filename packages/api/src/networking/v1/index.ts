import type { GroupVersionBehaviour } from '../../strategy/strategy.ts';
import { ingressStrategy } from './ingress.ts';
import { ingressClassStrategy, setIngressClassDefaults } from './ingress-class.ts';
import { ipAddressStrategy } from './ip-address.ts';
import { networkPolicyStrategy, setNetworkPolicyDefaults } from './network-policy.ts';
import { serviceCIDRStrategy } from './service-cidr.ts';

export const behaviour: GroupVersionBehaviour = {
  group: 'networking.k8s.io',
  version: 'v1',
  defaults: { IngressClass: setIngressClassDefaults, NetworkPolicy: setNetworkPolicyDefaults },
  strategies: {
    Ingress: ingressStrategy,
    IngressClass: ingressClassStrategy,
    IPAddress: ipAddressStrategy,
    NetworkPolicy: networkPolicyStrategy,
    ServiceCIDR: serviceCIDRStrategy,
  },
};
