import {
  duplicate,
  type ErrorList,
  invalid,
  isValidPortName,
  isValidPortNum,
  type Path,
  required,
} from '@coxswain/apimachinery';
import type { ContainerPort, PodSpec } from '../../../generated/core/v1.ts';
import { protocols } from '../port.ts';
import { invalidEach, requiredSupported } from './checks.ts';
import type { AnyContainer } from './containers.ts';

export function validateContainerPorts(ports: readonly ContainerPort[], path: Path): ErrorList {
  const errors: ErrorList = [];
  const names = new Set<string>();
  ports.forEach(({ name, containerPort, hostPort, protocol }, i) => {
    const at = path.index(i);
    if (name) {
      const messages = isValidPortName(name);
      errors.push(...invalidEach(at.child('name'), name, messages));
      if (messages.length === 0) {
        if (names.has(name)) errors.push(duplicate(at.child('name'), name));
        names.add(name);
      }
    }
    const portPath = at.child('containerPort');
    errors.push(
      ...(containerPort ? invalidEach(portPath, containerPort, isValidPortNum(containerPort)) : [required(portPath)]),
    );
    if (hostPort) errors.push(...invalidEach(at.child('hostPort'), hostPort, isValidPortNum(hostPort)));
    errors.push(...requiredSupported(at.child('protocol'), protocol, protocols));
  });
  return errors;
}

/** No two of the containers want the same port of the host. */
export function validateHostPorts(containers: readonly AnyContainer[], path: Path): ErrorList {
  const errors: ErrorList = [];
  const taken = new Set<string>();
  containers.forEach(({ ports }, c) => {
    ports?.forEach(({ protocol = '', hostIP = '', hostPort }, i) => {
      if (!hostPort) return;
      const key = `${protocol}/${hostIP}/${hostPort}`;
      if (taken.has(key)) errors.push(duplicate(path.index(c).child('ports').index(i).child('hostPort'), key));
      else taken.add(key);
    });
  });
  return errors;
}

/** On the host's network a port is the same outside as inside. A template may leave it to the pod's defaults. */
export function validateHostNetworkPorts({ hostNetwork, containers }: PodSpec, path: Path, isPod: boolean): ErrorList {
  if (!hostNetwork) return [];
  const detail = 'must match `containerPort` when `hostNetwork` is true';
  return containers.flatMap(({ ports }, c) =>
    (ports ?? []).flatMap(({ hostPort = 0, containerPort }, i) =>
      (isPod || hostPort !== 0) && hostPort !== containerPort
        ? [invalid(path.child('containers').index(c).child('ports').index(i).child('hostPort'), hostPort, detail)]
        : [],
    ),
  );
}
