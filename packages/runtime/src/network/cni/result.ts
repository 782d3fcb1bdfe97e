import { isObject, type JSONObject, objectsOf, textOf } from '../records/index.ts';
import { cniVersions, isAtLeast } from './cni-version.ts';

/** The result of a plug-in, in the form of version 1.0 and later. */
interface CurrentResult {
  readonly interfaces: readonly JSONObject[];
  readonly ips: readonly JSONObject[];
  readonly routes: readonly JSONObject[];
  readonly dns: JSONObject | undefined;
}

/** The version of a result. One that a plug-in has left out is that of the configuration. */
const versionOf = (result: JSONObject, fallback: string): string => {
  const version = textOf(result.cniVersion);
  return version === undefined || version === '' ? fallback : version;
};

/** A result in another version of the specification, as a previous result or for the cache. */
export function resultAsVersion(result: JSONObject, version: string): JSONObject {
  const own = versionOf(result, version);
  if (own === version) return { ...result, cniVersion: version };
  const known: readonly string[] = cniVersions;
  if (!known.includes(own) || !known.includes(version)) {
    throw new Error(`cannot convert a result of version ${JSON.stringify(own)} to ${JSON.stringify(version)}`);
  }
  const current = currentOf(result, own);
  if (!isAtLeast(version, '0.3.0')) return oldForm(current, version);
  return {
    cniVersion: version,
    interfaces: current.interfaces,
    ips: isAtLeast(version, '1.0.0') ? current.ips : current.ips.map((ip) => ({ version: ipVersion(ip), ...ip })),
    routes: current.routes,
    ...(current.dns && { dns: current.dns }),
  };
}

/** The addresses of an interface, in the order of the result. With no interface named, they are those of the only one. */
export function addressesOf(result: JSONObject, ifName: string, version: string): readonly string[] {
  const { interfaces, ips } = currentOf(result, versionOf(result, version));
  const addresses: string[] = [];
  for (const ip of ips) {
    const at = ip.interface;
    if (typeof at === 'number') {
      const named = interfaces[at];
      if (!named)
        throw new Error(
          `invalid interface config: invalid IP configuration (interface number ${at} is > number of interfaces ${interfaces.length})`,
        );
      if (named.name !== ifName) continue;
    }
    const address = textOf(ip.address)?.split('/')[0];
    if (address) addresses.push(address);
  }
  return addresses;
}

function currentOf(result: JSONObject, version: string): CurrentResult {
  const dns = isObject(result.dns) ? result.dns : undefined;
  if (isAtLeast(version, '0.3.0')) {
    const ips = objectsOf(result.ips).map(({ version: _, ...ip }) => ip);
    return { interfaces: objectsOf(result.interfaces), ips, routes: objectsOf(result.routes), dns };
  }
  const parts = [result.ip4, result.ip6].filter(isObject);
  return {
    interfaces: [],
    ips: parts.map(({ ip, gateway }) => ({ address: ip, ...(gateway !== undefined && { gateway }) })),
    routes: parts.flatMap(({ routes }) => objectsOf(routes)),
    dns,
  };
}

/** The form before version 0.3: one address of each family. */
function oldForm({ ips, routes, dns }: CurrentResult, version: string): JSONObject {
  const part = (family: '4' | '6'): JSONObject | undefined => {
    const ip = ips.find((one) => ipVersion(one) === family);
    const own = routes.filter(({ dst }) => (textOf(dst)?.includes(':') ? '6' : '4') === family);
    return ip && { ip: ip.address, ...(ip.gateway !== undefined && { gateway: ip.gateway }), routes: own };
  };
  const [ip4, ip6] = [part('4'), part('6')];
  if (!ip4 && !ip6) throw new Error('cannot convert: no valid IP addresses');
  return { cniVersion: version, ...(ip4 && { ip4 }), ...(ip6 && { ip6 }), ...(dns && { dns }) };
}

const ipVersion = ({ address }: JSONObject): '4' | '6' => (textOf(address)?.includes(':') ? '6' : '4');
