import type { EndpointAddress, EndpointSubset } from '@coxswain/api/core/v1';
import { newBadRequest, newServiceUnavailable, parseIPSloppy, quote } from '@coxswain/apimachinery';
import type { RequestContext } from '../http/request-context.ts';
import type { DialTarget } from './dialer.ts';
import { isGlobalUnicast } from './global-unicast.ts';
import { getOf, type ProxyDependencies } from './proxy-dependencies.ts';
import { lookupError } from './socket-error.ts';

/** Finds the server to which the `/proxy` subresource of an object leads. */
export type ProxyLocation = (context: RequestContext, deps: ProxyDependencies) => Promise<DialTarget>;

interface Requested {
  readonly scheme: DialTarget['scheme'];
  readonly name: string;
  readonly port: string;
}

const addressNotAllowed = 'address not allowed';

/** Parses `name`, `name:port` or `scheme:name:port`. Throws BadRequest. */
function readRequested(kind: string, id: string): Requested {
  const parts = id.split(':');
  const [scheme, name, port] = parts.length === 3 ? parts : ['', parts[0], parts[1] ?? ''];
  const isKnown = scheme === '' || scheme === 'http' || scheme === 'https';
  if (parts.length > 3 || !isKnown || !name) throw newBadRequest(`invalid ${kind} request ${quote(id)}`);
  return { scheme: scheme === '' ? 'http' : scheme, name, port: port ?? '' };
}

/** The kubelet of a node, or another port at its address. Throws BadRequest for loopback and link-local addresses. */
export const nodeLocation: ProxyLocation = async (context, deps) => {
  const { scheme, name, port } = readRequested('node', context.info.name);
  const kubelet = deps.kubelets.target(context, name);
  const isKubelet = port === '' || port === kubelet.port;
  // A kubelet in this process is called without a connection, so its address does not matter.
  if (isKubelet && deps.dialer.isLocal?.(kubelet)) return kubelet;
  await ensureProxyable(kubelet.host, deps);
  if (isKubelet) return kubelet;
  return { scheme, host: kubelet.host, port, trust: 'none' };
};

async function ensureProxyable(host: string, { lookup }: ProxyDependencies): Promise<void> {
  const addresses = await lookup(host).catch((error) => {
    throw newBadRequest(lookupError(host, error), { cause: error });
  });
  if (addresses.length === 0) throw newBadRequest('no addresses for hostname');
  if (!addresses.every(isGlobal)) throw newBadRequest(addressNotAllowed);
}

const isGlobal = (address: string): boolean => {
  const ip = parseIPSloppy(address);
  return ip !== undefined && isGlobalUnicast(ip);
};

/** A pod, by default at the first port of its containers. */
export const podLocation: ProxyLocation = async (context, deps) => {
  const { scheme, name, port } = readRequested('pod', context.info.name);
  const pod = getOf(deps.pods, context, name);
  const host = pod.status?.podIPs?.[0]?.ip ?? '';
  if (!isGlobal(host)) throw newBadRequest(addressNotAllowed);
  const first = pod.spec?.containers.find(({ ports }) => ports?.length)?.ports?.[0]?.containerPort;
  return { scheme, host, port: port || String(first ?? ''), trust: 'none' };
};

/** Any ready pod behind a service. Throws ServiceUnavailable when there is none. */
export const serviceLocation: ProxyLocation = async (context, deps) => {
  const id = context.info.name;
  const { scheme, name, port } = readRequested('service', id);
  const portName = /^[+-]?\d+$/.test(port) ? servicePortName(context, deps, name, Number(port)) : port;
  const { subsets = [] } = getOf(deps.endpoints, context, name);
  if (subsets.length === 0) throw newServiceUnavailable(`no endpoints available for service ${quote(name)}`);
  for (const subset of fromRandom(subsets, deps.random)) {
    const found = addressOf(subset, portName, context, deps);
    if (found) return { scheme, ...found, trust: 'none' };
  }
  throw newServiceUnavailable(`no endpoints available for service ${quote(id)}`);
};

function servicePortName(context: RequestContext, deps: ProxyDependencies, name: string, number: number): string {
  const service = getOf(deps.services, context, name);
  const port = service.spec?.ports?.find((candidate) => candidate.port === number);
  if (!port) throw newServiceUnavailable(`no service port ${number} found for service ${quote(name)}`);
  return port.name ?? '';
}

function addressOf(
  { addresses = [], ports = [] }: EndpointSubset,
  portName: string,
  context: RequestContext,
  deps: ProxyDependencies,
): Pick<DialTarget, 'host' | 'port'> | undefined {
  const port = ports.find(({ name = '' }) => name === portName);
  if (!port) return undefined;
  for (const address of fromRandom(addresses, deps.random)) {
    if (isOfPod(address, context, deps)) return { host: address.ip, port: String(port.port) };
  }
  return undefined;
}

/** Users can write Endpoints, so only addresses of pods in the same namespace are allowed. */
function isOfPod({ ip, targetRef }: EndpointAddress, { info }: RequestContext, { pods }: ProxyDependencies): boolean {
  if (targetRef?.namespace !== info.namespace) return false;
  const pod = pods.get(info.namespace, targetRef.name ?? '');
  return pod?.status?.podIPs?.some((podIP) => podIP.ip === ip) ?? false;
}

/** Yields all items in their order, starting at a random one and wrapping around. */
function* fromRandom<T>(items: readonly T[], random: () => number): Generator<T> {
  const start = Math.floor(random() * items.length);
  for (let i = 0; i < items.length; i++) yield items[(start + i) % items.length]!;
}
