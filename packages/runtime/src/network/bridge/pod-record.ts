import type { PortMapping } from '../pod-network.ts';
import { isObject, isStrings, objectsOf } from '../records/index.ts';

/** A pod that is connected, or was being connected. */
export interface PodRecord {
  /** Grows with each record. Of two pods with the same host port, the later one has it. */
  readonly sequence: number;
  readonly ips: readonly string[];
  readonly portMappings: readonly PortMapping[];
}

export function podRecordFromJSON(value: unknown): PodRecord | undefined {
  if (!isObject(value)) return undefined;
  const { sequence, ips, portMappings } = value;
  if (typeof sequence !== 'number' || !isStrings(ips)) return undefined;
  return { sequence, ips, portMappings: objectsOf(portMappings).flatMap(portMappingFromJSON) };
}

function portMappingFromJSON(value: Readonly<Record<string, unknown>>): PortMapping[] {
  const { protocol, containerPort, hostPort, hostIP } = value;
  const isProtocol = protocol === 'TCP' || protocol === 'UDP' || protocol === 'SCTP';
  if (!isProtocol || typeof containerPort !== 'number' || typeof hostPort !== 'number') return [];
  return typeof hostIP === 'string' ? [{ protocol, containerPort, hostPort, hostIP }] : [];
}
