import {
  checkField,
  checkRequiredField,
  duplicate,
  type ErrorList,
  invalid,
  invalidEach,
  isValidPortName,
  isValidPortNum,
  type Path,
} from '@coxswain/apimachinery';
import type { ContainerPort, PodSpec } from '../../../../generated/core/v1.ts';
import { checkRequiredSupported } from '../../checks.ts';
import { protocols } from '../../port.ts';
import { type AnyContainer, containersOf } from '../containers.ts';

export function validateContainerPorts(ports: readonly ContainerPort[], path: Path, errors: ErrorList): void {
  const names = new Set<string>();
  ports.forEach(({ name, containerPort, hostPort, protocol }, i) => {
    const at = path.index(i);
    if (name) {
      const messages = isValidPortName(name);
      if (messages.length > 0) invalidEach(at.child('name'), name, messages, errors);
      else if (names.has(name)) errors.push(duplicate(at.child('name'), name));
      else names.add(name);
    }
    checkRequiredField(at, 'containerPort', containerPort, isValidPortNum, errors);
    if (hostPort) checkField(at, 'hostPort', hostPort, isValidPortNum, errors);
    checkRequiredSupported(at, 'protocol', protocol, protocols, errors);
  });
}

/** Validates that no two containers use the same host port. */
export function validateHostPorts(containers: readonly AnyContainer[], path: Path, errors: ErrorList): void {
  let taken: Set<string> | undefined;
  containers.forEach(({ ports }, c) => {
    ports?.forEach(({ protocol = '', hostIP = '', hostPort }, i) => {
      if (!hostPort) return;
      taken ??= new Set();
      const key = `${protocol}/${hostIP}/${hostPort}`;
      if (taken.has(key)) errors.push(duplicate(path.index(c).child('ports').index(i).child('hostPort'), key));
      else taken.add(key);
    });
  });
}

/** With `hostNetwork`, hostPort must equal containerPort. A template may omit it, because pods get it by default. */
export function validateHostNetworkPorts(spec: PodSpec, path: Path, isPod: boolean, errors: ErrorList): void {
  if (!spec.hostNetwork) return;
  const detail = 'must match `containerPort` when `hostNetwork` is true';
  containersOf(spec).forEach(({ ports }, c) => {
    ports?.forEach(({ hostPort = 0, containerPort }, i) => {
      if ((!isPod && hostPort === 0) || hostPort === containerPort) return;
      const at = path.child('containers').index(c).child('ports').index(i).child('hostPort');
      errors.push(invalid(at, hostPort, detail));
    });
  });
}
