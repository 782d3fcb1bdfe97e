import type { Ingress } from '../../generated/networking/v1beta1.ts';
import type { GroupVersionBehaviour } from '../../strategy/strategy.ts';
import { ingressFromHub, ingressToHub } from './ingress-conversion.ts';

function setIngressDefaults({ spec }: Ingress): void {
  for (const { http } of spec?.rules ?? [])
    for (const path of http?.paths ?? []) path.pathType ??= 'ImplementationSpecific';
}

export const behaviour: GroupVersionBehaviour = {
  group: 'networking.k8s.io',
  version: 'v1beta1',
  defaults: { Ingress: setIngressDefaults },
  conversions: { Ingress: { toHub: ingressToHub, fromHub: ingressFromHub } },
};
