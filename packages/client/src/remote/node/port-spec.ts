/** A local port and the pod's port to which it is forwarded. */
export interface PortPair {
  /** 0 for any free port. */
  readonly local: number;
  readonly remote: number;
}

/**
 * Parses `8080:80`, `80` (the same port on both sides) or `:80` (any free local port). Throws a RangeError when it is
 * invalid.
 */
export function parsePort(spec: string | number): PortPair {
  const parts = String(spec).split(':');
  if (parts.length > 2) throw new RangeError(`invalid port format '${spec}'`);
  const [first = '', second = first] = parts;
  const local = parts.length === 2 && first === '' ? 0 : number(first, 'local');
  const remote = number(second, 'remote');
  if (remote === 0) throw new RangeError('remote port must be > 0');
  return { local, remote };
}

function number(text: string, side: string): number {
  if (!/^\d+$/.test(text) || Number(text) > 65535) throw new RangeError(`error parsing ${side} port '${text}'`);
  return Number(text);
}
