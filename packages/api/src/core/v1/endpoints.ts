import {
  type ErrorList,
  getWarningsForIP,
  isDns1123Label,
  isDns1123Subdomain,
  isQualifiedName,
  isValidIPForLegacyField,
  isValidPortNum,
  ownEntry,
  Path,
  required,
  semanticEqual,
} from '@coxswain/apimachinery';
import type { EndpointAddress, EndpointPort, EndpointSubset, Endpoints } from '../../generated/core/v1.ts';
import { translateTimestampSince } from '../../strategy/print.ts';
import type { Strategy, StrategyContext } from '../../strategy/strategy.ts';
import { columns } from '../../strategy/table.ts';
import { invalidEach, requiredSupported } from './checks.ts';
import { validateEndpointIP } from './endpoint-ip.ts';
import { protocols } from './port.ts';

const subsetsPath = Path.of('subsets');
const managedBy = 'endpoints.kubernetes.io/managed-by';
const shownEndpoints = 3;

export function setEndpointsDefaults({ subsets = [] }: Endpoints): void {
  for (const { ports = [] } of subsets) for (const port of ports) port.protocol ??= 'TCP';
}

/** Validates the subsets. Errors in subsets that an update leaves unchanged are tolerated. */
function validateEndpoints(
  { subsets = [] }: Endpoints,
  old: Endpoints | undefined,
  context: StrategyContext,
): ErrorList {
  const strict = context.features.enabled('StrictIPCIDRValidation');
  const errors = subsets.flatMap((subset, i) => validateSubset(subset, subsetsPath.index(i), strict));
  return errors.length > 0 && old && semanticEqual(subsets, old.subsets) ? [] : errors;
}

function validateSubset(subset: EndpointSubset, path: Path, strict: boolean): ErrorList {
  const { addresses = [], notReadyAddresses = [], ports = [] } = subset;
  const errors: ErrorList = [];
  if (addresses.length === 0 && notReadyAddresses.length === 0)
    errors.push(required(path, 'must specify `addresses` or `notReadyAddresses`'));
  for (const [name, list] of Object.entries({ addresses, notReadyAddresses }))
    for (const [i, address] of list.entries())
      errors.push(...validateAddress(address, path.child(name).index(i), strict));
  for (const [i, port] of ports.entries())
    errors.push(...validatePort(port, ports.length > 1, path.child('ports').index(i)));
  return errors;
}

function validateAddress({ ip, hostname, nodeName }: EndpointAddress, path: Path, strict: boolean): ErrorList {
  return [
    ...isValidIPForLegacyField(path.child('ip'), ip, strict),
    ...(hostname ? invalidEach(path.child('hostname'), hostname, isDns1123Label(hostname)) : []),
    ...(nodeName === undefined ? [] : invalidEach(path.child('nodeName'), nodeName, isDns1123Subdomain(nodeName))),
    ...validateEndpointIP(ip, path.child('ip')),
  ];
}

function validatePort({ name, port, protocol, appProtocol }: EndpointPort, needsName: boolean, path: Path): ErrorList {
  const namePath = path.child('name');
  return [
    ...(name ? invalidEach(namePath, name, isDns1123Label(name)) : needsName ? [required(namePath)] : []),
    ...invalidEach(path.child('port'), port, isValidPortNum(port)),
    ...requiredSupported(path.child('protocol'), protocol, protocols),
    ...(appProtocol === undefined
      ? []
      : invalidEach(path.child('appProtocol'), appProtocol, isQualifiedName(appProtocol))),
  ];
}

/** Warns of badly formatted addresses, except in Endpoints of the endpoints controller, which formats them correctly. */
function warningsForEndpoints({ metadata, subsets = [] }: Endpoints): string[] {
  if (ownEntry(metadata.labels, managedBy) === 'endpoint-controller') return [];
  return subsets.flatMap(({ addresses = [], notReadyAddresses = [] }, i) =>
    Object.entries({ addresses, notReadyAddresses }).flatMap(([name, list]) =>
      list.flatMap(({ ip }, j) => getWarningsForIP(subsetsPath.index(i).child(name).index(j).child('ip'), ip)),
    ),
  );
}

function printEndpoints({ subsets }: Endpoints): string {
  if (!subsets?.length) return '<none>';
  const all = subsets.flatMap(({ addresses, ports }) => {
    const ips = (addresses ?? []).map(({ ip }) => ip);
    if (!ports?.length) return ips;
    return ports.flatMap(({ port }) => ips.map((ip) => `${ip.includes(':') ? `[${ip}]` : ip}:${port}`));
  });
  const shown = all.slice(0, shownEndpoints).join(',');
  return all.length > shownEndpoints ? `${shown} + ${all.length - shownEndpoints} more...` : shown;
}

export const endpointsStrategy: Strategy<Endpoints> = {
  allowCreateOnUpdate: true,
  revalidatesMetadata: true,
  validate: (endpoints, context) => validateEndpoints(endpoints, undefined, context),
  validateUpdate: validateEndpoints,
  warningsOnCreate: warningsForEndpoints,
  warningsOnUpdate: warningsForEndpoints,
  table: {
    columns: columns('Name', 'Endpoints', 'Age'),
    row: (endpoints, context) => [
      endpoints.metadata.name ?? '',
      printEndpoints(endpoints),
      translateTimestampSince(endpoints.metadata.creationTimestamp, context),
    ],
  },
};
