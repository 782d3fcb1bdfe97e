import type { Service, ServicePort } from '../../../generated/core/v1.ts';
import { formatLabels, translateTimestampSince } from '../../../strategy/print.ts';
import { columns, type TablePrinter } from '../../../strategy/table.ts';
import { specOf } from './service-facts.ts';

export const serviceTable: TablePrinter<Service> = {
  columns: columns('Name', 'Type', 'Cluster-IP', 'External-IP', 'Port(s)', 'Age', 'Selector (wide)'),
  row(service, context) {
    const spec = specOf(service);
    return [
      service.metadata.name ?? '',
      spec.type ?? '',
      spec.clusterIPs?.[0] ?? '<none>',
      externalAddress(service),
      (spec.ports ?? []).map(printPort).join(',') || '<none>',
      translateTimestampSince(service.metadata.creationTimestamp, context),
      formatLabels(spec.selector),
    ];
  },
};

function printPort({ port, nodePort, protocol }: ServicePort): string {
  return nodePort ? `${port}:${nodePort}/${protocol}` : `${port}/${protocol}`;
}

function externalAddress(service: Service): string {
  const { type, externalIPs = [], externalName = '' } = specOf(service);
  switch (type) {
    case 'ClusterIP':
    case 'NodePort':
      return externalIPs.join(',') || '<none>';
    case 'LoadBalancer':
      return [...ingressAddresses(service), ...externalIPs].join(',') || '<pending>';
    case 'ExternalName':
      return externalName;
    default:
      return '<unknown>';
  }
}

function ingressAddresses({ status }: Service): string[] {
  const addresses = (status?.loadBalancer?.ingress ?? []).map(({ ip, hostname }) => ip || hostname || '');
  return [...new Set(addresses)].filter((address) => address !== '').sort();
}
