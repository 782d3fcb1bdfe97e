import { isIPv4, isIPv6 } from 'node:net';
import { bareHost } from './dial.ts';
import { ipv6Bytes } from './proxy-tunnel.ts';

/**
 * Returns the proxy for a server according to the environment, with Go's rules: `HTTPS_PROXY` or `HTTP_PROXY` depending
 * on the server's scheme, in upper or lower case, unless the server is on this machine or `NO_PROXY` contains it.
 * Throws when the proxy's URL is invalid.
 */
export function proxyFromEnvironment(
  server: URL,
  environment: Readonly<Record<string, string | undefined>>,
): URL | undefined {
  const variable = (name: string): string => environment[name] || environment[name.toLowerCase()] || '';
  const proxy = variable(server.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY');
  if (!proxy) return undefined;
  const host = bareHost(server.hostname).toLowerCase();
  const port = server.port || (server.protocol === 'https:' ? '443' : '80');
  if (host === 'localhost' || isLoopback(host) || isExempt(host, port, variable('NO_PROXY'))) return undefined;
  return parseProxyUrl(proxy);
}

/** Parses a proxy's URL. Without a scheme it is an HTTP proxy. Throws for unsupported schemes. */
export function parseProxyUrl(text: string): URL {
  const url = new URL(/^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`);
  if (!['http:', 'https:', 'socks5:', 'socks5h:'].includes(url.protocol)) {
    throw new Error(
      `unsupported scheme ${JSON.stringify(url.protocol.slice(0, -1))} of a proxy, must be http, https, or socks5`,
    );
  }
  return url;
}

const isLoopback = (host: string): boolean =>
  isIPv4(host) ? host.startsWith('127.') : isIPv6(host) && inNetwork(host, '::1/128');

function isExempt(host: string, port: string, noProxy: string): boolean {
  for (const part of noProxy.split(',')) {
    const entry = part.trim().toLowerCase();
    if (entry === '') continue;
    if (entry === '*') return true;
    if (entry.includes('/')) {
      if (inNetwork(host, entry)) return true;
      continue;
    }
    const [name, onlyPort] = splitPort(entry);
    if (onlyPort !== undefined && onlyPort !== port) continue;
    if (isIPv4(name) || isIPv6(name)) {
      if (sameAddress(host, name)) return true;
    } else if (matchesDomain(host, name)) return true;
  }
  return false;
}

/** `example.com` matches the domain and its subdomains; `.example.com` and `*.example.com` only the subdomains. */
function matchesDomain(host: string, pattern: string): boolean {
  const suffix = pattern.startsWith('*.') ? pattern.slice(1) : pattern;
  if (suffix.startsWith('.')) return host.endsWith(suffix);
  return host === suffix || host.endsWith(`.${suffix}`);
}

function splitPort(entry: string): readonly [name: string, port: string | undefined] {
  if (isIPv6(entry)) return [entry, undefined];
  const [, name, port] = /^(.*):(\d+)$/.exec(entry) ?? [];
  return name === undefined ? [entry, undefined] : [bareHost(name), port];
}

const sameAddress = (a: string, b: string): boolean =>
  isIPv4(a) === isIPv4(b) && inNetwork(a, `${b}/${isIPv4(b) ? 32 : 128}`);

/** Whether the host is an address in the network; false for names. */
function inNetwork(host: string, network: string): boolean {
  const [base = '', length = ''] = network.split('/');
  const address = addressBytes(host);
  const prefix = addressBytes(base);
  if (!address || !prefix || address.length !== prefix.length || !/^\d+$/.test(length)) return false;
  const bits = Number(length);
  if (bits > prefix.length * 8) return false;
  return prefix.every((byte, i) => {
    const mask = (0xff << Math.max(0, 8 - Math.max(0, bits - i * 8))) & 0xff;
    return (byte & mask) === (address[i]! & mask);
  });
}

function addressBytes(address: string): readonly number[] | undefined {
  if (isIPv4(address)) return address.split('.').map(Number);
  return isIPv6(address) ? ipv6Bytes(address) : undefined;
}
