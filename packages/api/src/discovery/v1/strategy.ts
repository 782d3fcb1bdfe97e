import { getWarningsForIP, nameIsDnsSubdomain, ownEntry, Path, semanticEqual } from '@coxswain/apimachinery';
import type { EndpointPort, EndpointSlice } from '../../generated/discovery/v1.ts';
import { translateTimestampSince } from '../../strategy/print.ts';
import type { Strategy } from '../../strategy/strategy.ts';
import { columns } from '../../strategy/table.ts';
import { validateEndpointSlice } from './endpoint-slice.ts';

const managedBy = 'endpointslice.kubernetes.io/managed-by';
/** Controllers that format addresses correctly. */
const controllers = ['endpointslice-controller.k8s.io', 'endpointslicemirroring-controller.k8s.io'];
const hostnameLabel = 'kubernetes.io/hostname';
const shown = 3;

/**
 * Drops deprecatedTopology, a field of v1beta1, from changed endpoints. A hostname that the old slice already had sets
 * nodeName.
 */
function dropTopology(slice: EndpointSlice, old: EndpointSlice | undefined): void {
  if (old && semanticEqual(slice.endpoints, old.endpoints)) return;
  const known = (old?.endpoints ?? []).map(({ deprecatedTopology }) => ownEntry(deprecatedTopology, hostnameLabel));
  for (const endpoint of slice.endpoints ?? []) {
    const node = ownEntry(endpoint.deprecatedTopology, hostnameLabel);
    if (node && known.includes(node) && nameIsDnsSubdomain(node, false).length === 0) endpoint.nodeName ??= node;
    endpoint.deprecatedTopology = undefined;
  }
}

function warningsForAddresses({ metadata, endpoints }: EndpointSlice): string[] {
  if (controllers.includes(ownEntry(metadata.labels, managedBy) ?? '')) return [];
  return (endpoints ?? []).flatMap(({ addresses }, i) =>
    (addresses ?? []).flatMap((address, j) =>
      getWarningsForIP(Path.of('endpoints').index(i).child('addresses').index(j), address),
    ),
  );
}

function printList(items: readonly string[]): string {
  const text = items.slice(0, shown).join(',');
  return items.length > shown ? `${text} + ${items.length - shown} more...` : text || '<unset>';
}

const printPort = ({ port, name = '*' }: EndpointPort): string => (port === undefined ? name : String(port));

export const endpointSliceStrategy: Strategy<EndpointSlice> = {
  generation: (slice, old) =>
    !semanticEqual({ ...slice, metadata: undefined }, { ...old, metadata: undefined }) ||
    !semanticEqual(slice.metadata.labels, old.metadata.labels),
  prepareForCreate: (slice) => dropTopology(slice, undefined),
  prepareForUpdate: dropTopology,
  validate: (slice, context) => validateEndpointSlice(slice, undefined, context),
  validateUpdate: validateEndpointSlice,
  warningsOnCreate: (slice) => [
    ...(slice.addressType === 'FQDN' ? ['spec.addressType: FQDN endpoints are deprecated'] : []),
    ...warningsForAddresses(slice),
  ],
  warningsOnUpdate: warningsForAddresses,
  table: {
    columns: columns('Name', 'AddressType', 'Ports', 'Endpoints', 'Age'),
    row: ({ metadata, addressType, ports, endpoints }, context) => [
      metadata.name ?? '',
      addressType,
      printList((ports ?? []).map(printPort)),
      printList((endpoints ?? []).flatMap(({ addresses }) => addresses ?? [])),
      translateTimestampSince(metadata.creationTimestamp, context),
    ],
  },
};
