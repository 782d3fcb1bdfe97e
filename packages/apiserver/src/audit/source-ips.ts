import { formatIP, parseIPSloppy } from '@coxswain/apimachinery';
import type { ApiRequest } from '@coxswain/component-base/http';
import { headerOf } from '@coxswain/component-base/http';

/**
 * The client addresses of a request: first those of X-Forwarded-For and X-Real-IP, which a client can forge, and last
 * the remote address of the connection, which it cannot.
 */
export function sourceIPs(request: ApiRequest): string[] {
  const addresses = headerOf(request, 'x-forwarded-for')
    .split(',')
    .flatMap((part) => canonical(part.trim()));
  const [real] = canonical(headerOf(request, 'x-real-ip'));
  if (real !== undefined && !addresses.includes(real)) addresses.push(real);
  const [remote] = canonical(request.connection.remoteAddress);
  if (remote !== undefined && addresses.at(-1) !== remote) addresses.push(remote);
  return addresses;
}

function canonical(text: string): string[] {
  const address = parseIPSloppy(text);
  return address ? [formatIP(address.bytes)] : [];
}
