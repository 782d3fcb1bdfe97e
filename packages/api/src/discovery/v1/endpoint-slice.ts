import {
  duplicate,
  type ErrorList,
  internalError,
  invalid,
  isDns1123Label,
  isFullyQualifiedDomainName,
  isQualifiedName,
  isValidIP,
  isValidIPForLegacyField,
  isValidLabelValue,
  nameIsDnsSubdomain,
  ownEntry,
  Path,
  repeated,
  required,
  semanticEqual,
  tooMany,
  validateImmutableField,
  validateLabels,
} from '@coxswain/apimachinery';
import { invalidEach, requiredSupported } from '../../core/v1/checks.ts';
import { validateEndpointIP } from '../../core/v1/endpoint-ip.ts';
import { protocols } from '../../core/v1/port.ts';
import { isIPv6 } from '../../core/v1/service/service-facts.ts';
import type { Endpoint, EndpointHints, EndpointPort, EndpointSlice } from '../../generated/discovery/v1.ts';
import type { StrategyContext } from '../../strategy/strategy.ts';

const addressTypes = ['FQDN', 'IPv4', 'IPv6'];
const max = { endpoints: 1000, addresses: 100, ports: 20000, topologyLabels: 16, hints: 8 };
const zoneLabel = 'topology.kubernetes.io/zone';

export function setEndpointSliceDefaults({ ports }: EndpointSlice): void {
  for (const port of ports ?? []) {
    port.name ??= '';
    port.protocol ??= 'TCP';
  }
}

/** Validates an EndpointSlice. Errors in endpoints that an update leaves unchanged are tolerated. */
export function validateEndpointSlice(
  slice: EndpointSlice,
  old: EndpointSlice | undefined,
  context: StrategyContext,
): ErrorList {
  const { addressType } = slice;
  // Both lists are null in memory when they are absent.
  const endpoints = slice.endpoints ?? [];
  const errors = requiredSupported(Path.of('addressType'), addressType, addressTypes);
  errors.push(...validatePorts(slice.ports ?? [], Path.of('ports')));
  const problems = validateEndpoints(endpoints, addressType, Path.of('endpoints'), context);
  if (!(problems.length > 0 && old && semanticEqual(slice.endpoints, old.endpoints))) errors.push(...problems);
  if (old) errors.push(...validateImmutableField(addressType, old.addressType, Path.of('addressType')));
  return errors;
}

function validatePorts(ports: readonly EndpointPort[], path: Path): ErrorList {
  if (ports.length > max.ports) return [tooMany(path, ports.length, max.ports)];
  const names = new Set<string>();
  return ports.flatMap(({ name = '', protocol, appProtocol }, i) => {
    const at = path.index(i);
    const errors = name === '' ? [] : invalidEach(at.child('name'), name, isDns1123Label(name));
    if (names.has(name)) errors.push(duplicate(at.child('name'), name));
    names.add(name);
    errors.push(...requiredSupported(at.child('protocol'), protocol, protocols));
    if (appProtocol !== undefined)
      errors.push(...invalidEach(at.child('appProtocol'), appProtocol, isQualifiedName(appProtocol)));
    return errors;
  });
}

function validateEndpoints(
  endpoints: readonly Endpoint[],
  addressType: string,
  path: Path,
  context: StrategyContext,
): ErrorList {
  if (endpoints.length > max.endpoints) return [tooMany(path, endpoints.length, max.endpoints)];
  const validateAddress = addressRule(addressType, context.features.enabled('StrictIPCIDRValidation'));
  return endpoints.flatMap((endpoint, i) => validateEndpoint(endpoint, path.index(i), validateAddress));
}

/** Validates the address at an index of the list at `path`. */
type AddressRule = (address: string, path: Path, index: number) => ErrorList;

function addressRule(addressType: string, strict: boolean): AddressRule {
  switch (addressType) {
    case 'IPv4':
      return ipRule('IPv4', (at, address) => isValidIPForLegacyField(at, address, strict));
    case 'IPv6':
      return ipRule('IPv6', isValidIP);
    case 'FQDN':
      return (address, path, i) => isFullyQualifiedDomainName(path.index(i), address);
    default:
      return () => [];
  }
}

function ipRule(family: 'IPv4' | 'IPv6', check: (path: Path, address: string) => ErrorList): AddressRule {
  return (address, path, i) => {
    const errors = check(path.index(i), address);
    if (errors.length > 0) return errors;
    if (isIPv6(address) !== (family === 'IPv6')) errors.push(invalid(path, address, `must be an ${family} address`));
    return [...errors, ...validateEndpointIP(address, path.index(i))];
  };
}

function validateEndpoint(endpoint: Endpoint, path: Path, validateAddress: AddressRule): ErrorList {
  const { nodeName, deprecatedTopology = {}, hostname, hints } = endpoint;
  const addresses = endpoint.addresses ?? [];
  const addressesPath = path.child('addresses');
  const errors: ErrorList = [];
  if (addresses.length === 0) errors.push(required(addressesPath, 'must contain at least 1 address'));
  if (addresses.length > max.addresses) errors.push(tooMany(addressesPath, addresses.length, max.addresses));
  for (const [i, address] of addresses.entries()) errors.push(...validateAddress(address, addressesPath, i));
  if (nodeName !== undefined)
    errors.push(...invalidEach(path.child('nodeName'), nodeName, nameIsDnsSubdomain(nodeName, false)));
  errors.push(...validateTopology(deprecatedTopology, path.child('deprecatedTopology')));
  if (hostname !== undefined) errors.push(...invalidEach(path.child('hostname'), hostname, isDns1123Label(hostname)));
  if (hints) errors.push(...validateHints(hints, path.child('hints')));
  return errors;
}

function validateTopology(topology: Record<string, string>, path: Path): ErrorList {
  const errors: ErrorList = [];
  const count = Object.keys(topology).length;
  if (count > max.topologyLabels) errors.push(tooMany(path, count, max.topologyLabels));
  errors.push(...validateLabels(topology, path));
  if (ownEntry(topology, zoneLabel) !== undefined)
    errors.push(internalError(path.key(zoneLabel), new Error('reserved key was not removed in conversion')));
  return errors;
}

function validateHints({ forZones = [], forNodes = [] }: EndpointHints, path: Path): ErrorList {
  const zonesPath = path.child('forZones');
  if (forZones.length > max.hints) return [tooMany(zonesPath, forZones.length, max.hints)];
  const errors = validateHintNames(forZones, zonesPath, isValidLabelValue);
  const nodesPath = path.child('forNodes');
  if (forNodes.length > max.hints) return [...errors, tooMany(nodesPath, forNodes.length, max.hints)];
  return [...errors, ...validateHintNames(forNodes, nodesPath, (name) => nameIsDnsSubdomain(name, false))];
}

function validateHintNames(
  hints: readonly { name: string }[],
  path: Path,
  check: (name: string) => string[],
): ErrorList {
  const isRepeated = repeated(hints, ({ name }) => name);
  return hints.flatMap(({ name }, i) => {
    const at = path.index(i).child('name');
    return [...(isRepeated[i] ? [duplicate(at, name)] : []), ...invalidEach(at, name, check(name))];
  });
}
