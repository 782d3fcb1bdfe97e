import { type Path, quote } from '@coxswain/apimachinery';
import type { ContainerPort, PodSpec } from '../../../../generated/core/v1.ts';
import { containersWithPath } from '../containers.ts';
import { comparable, remember } from './warning-limits.ts';

interface Place {
  readonly path: Path;
  readonly port: ContainerPort;
}

/** Formats a port like Go prints the struct. */
const goStruct = ({ name = '', hostPort = 0, containerPort, protocol, hostIP = '' }: ContainerPort): string =>
  `{Name:${name} HostPort:${hostPort} ContainerPort:${containerPort} Protocol:${protocol} HostIP:${hostIP}}`;

/** Returns how two definitions of the same container port conflict; undefined if they do not. */
function conflict(a: ContainerPort, b: ContainerPort): string | undefined {
  const { hostIP = '', hostPort = 0 } = a;
  const { hostIP: otherIP = '', hostPort: otherPort = 0 } = b;
  if (hostIP === otherIP && hostPort === otherPort) return 'duplicate port definition';
  if (hostPort === 0 || otherPort === 0) return 'overlapping port definition';
  return hostPort === otherPort && (hostIP === '') !== (otherIP === '')
    ? 'dangerously ambiguous port definition'
    : undefined;
}

/** Adds warnings about conflicting ports of a pod and duplicate port names. */
export function addPortWarnings(spec: PodSpec, specPath: Path, warnings: string[]): void {
  const nameWarnings: string[] = [];
  const byNumber = new Map<string, Place[]>();
  const byName = new Map<string, Path>();
  for (const [{ ports }, containerPath] of containersWithPath(spec, specPath))
    ports?.forEach((port, i) => {
      const path = containerPath.child('ports').index(i);
      if (port.hostIP && !port.hostPort) warnings.push(`${path}: hostIP set without hostPort: ${goStruct(port)}`);
      const key = `${port.containerPort}/${port.protocol}`;
      const others = byNumber.get(key) ?? [];
      for (const other of comparable(others, warnings)) {
        const what = conflict(port, other.port);
        if (what) warnings.push(`${path}: ${what} with ${other.path}`);
      }
      if (others.length === 0) byNumber.set(key, others);
      remember(others, { path, port });
      if (!port.name) return;
      const namesake = byName.get(port.name);
      if (!namesake) byName.set(port.name, path);
      else
        nameWarnings.push(
          `${path}: duplicate port name ${quote(port.name)} with ${namesake}, ` +
            `services and probes that select ports by name will use ${namesake}`,
        );
    });
  for (const warning of nameWarnings) warnings.push(warning);
}
