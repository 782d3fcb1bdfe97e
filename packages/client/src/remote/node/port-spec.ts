/** A port of this machine and the one of the pod that it leads to. */
export interface PortPair {
  /** 0: any that is free. */
  readonly local: number;
  readonly remote: number;
}

/** Reads `8080:80`, `80` (the same on both sides) or `:80` (any that is free). Throws a RangeError. */
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
