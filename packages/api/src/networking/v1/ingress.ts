import { getWarningsForIP, ownEntry, Path } from '@coxswain/apimachinery';
import type { Ingress, IngressLoadBalancerStatus, IngressRule } from '../../generated/networking/v1.ts';
import { translateTimestampSince } from '../../strategy/print.ts';
import type { Strategy } from '../../strategy/strategy.ts';
import { columns } from '../../strategy/table.ts';
import {
  ingressClassAnnotation,
  validateClassAnnotation,
  validateIngress,
  validateIngressStatus,
} from './ingress-validation.ts';

const shownHosts = 3;

/** Formats the hosts of the rules. The number of hidden rules includes those without host. */
function printHosts(rules: readonly IngressRule[]): string {
  const hosts: string[] = [];
  let more = false;
  for (const { host } of rules) {
    more ||= hosts.length === shownHosts;
    if (!more && host) hosts.push(host);
  }
  if (hosts.length === 0) return '*';
  return more ? `${hosts.join(',')} + ${rules.length - shownHosts} more...` : hosts.join(',');
}

const printAddresses = (status: IngressLoadBalancerStatus | undefined): string =>
  [...new Set((status?.ingress ?? []).map(({ ip, hostname }) => ip || hostname || '').filter(Boolean))]
    .sort()
    .join(',');

export const ingressStrategy: Strategy<Ingress> = {
  generation: ['spec'],
  revalidatesMetadata: true,
  validate: (ingress, context) => [
    ...validateIngress(ingress, undefined, context),
    ...validateClassAnnotation(ingress),
  ],
  validateUpdate: validateIngress,
  warningsOnCreate: ({ metadata, spec }) =>
    ownEntry(metadata.annotations, ingressClassAnnotation) !== undefined && spec?.ingressClassName === undefined
      ? [`annotation "${ingressClassAnnotation}" is deprecated, please use 'spec.ingressClassName' instead`]
      : [],
  subresources: {
    status: {
      owns: ['status'],
      validateUpdate: validateIngressStatus,
      warningsOnUpdate: ({ status }) =>
        (status?.loadBalancer?.ingress ?? []).flatMap(({ ip }, i) =>
          ip ? getWarningsForIP(Path.of('status', 'loadBalancer', 'ingress').index(i), ip) : [],
        ),
    },
  },
  table: {
    columns: columns('Name', 'Class', 'Hosts', 'Address', 'Ports', 'Age'),
    row: ({ metadata, spec, status }, context) => [
      metadata.name ?? '',
      spec?.ingressClassName ?? '<none>',
      printHosts(spec?.rules ?? []),
      printAddresses(status?.loadBalancer),
      spec?.tls?.length ? '80, 443' : '80',
      translateTimestampSince(metadata.creationTimestamp, context),
    ],
  },
};
