import {
  duplicate,
  type ErrorList,
  forbidden,
  isDns1123Label,
  isQualifiedName,
  isValidPortNum,
  Path,
  required,
} from '@coxswain/apimachinery';
import type { ServicePort, ServiceSpec } from '../../../generated/core/v1.ts';
import { invalidEach, requiredSupported } from '../checks.ts';
import { internalForm } from '../internal-form/internal-form.ts';
import { protocols, validatePortNumOrName } from '../port.ts';

const path = Path.of('spec', 'ports');

/** Validates each port, and that names are unique. */
export function validatePorts({ ports = [] }: ServiceSpec): ErrorList {
  const errors: ErrorList = [];
  const names = new Set<string>();
  for (const [i, port] of ports.entries()) {
    const at = path.index(i);
    const { name = '' } = port;
    if (name !== '') {
      errors.push(...invalidEach(at.child('name'), name, isDns1123Label(name)));
      if (names.has(name)) errors.push(duplicate(at.child('name'), name));
      names.add(name);
    } else if (ports.length > 1) {
      errors.push(required(at.child('name')));
    }
    errors.push(...validatePort(port, at));
  }
  return errors;
}

function validatePort({ port = 0, protocol, targetPort = 0, appProtocol }: ServicePort, at: Path): ErrorList {
  return [
    ...invalidEach(at.child('port'), port, isValidPortNum(port)),
    ...requiredSupported(at.child('protocol'), protocol, protocols),
    ...validatePortNumOrName(targetPort, at.child('targetPort')),
    ...(appProtocol === undefined
      ? []
      : invalidEach(at.child('appProtocol'), appProtocol, isQualifiedName(appProtocol))),
  ];
}

/** Validates that ports and node ports are unique per protocol, and that a ClusterIP service has no node ports. */
export function validateUniquePorts({ type, ports = [] }: ServiceSpec): ErrorList {
  const errors: ErrorList = [];
  if (type === 'ClusterIP') {
    for (const [i, { nodePort }] of ports.entries())
      if (nodePort)
        errors.push(forbidden(path.index(i).child('nodePort'), "may not be used when `type` is 'ClusterIP'"));
  }
  const nodePorts = new Set<string>();
  for (const [i, { protocol, nodePort }] of ports.entries()) {
    if (!nodePort) continue;
    const key = `${protocol} ${nodePort}`;
    if (nodePorts.has(key)) errors.push(duplicate(path.index(i).child('nodePort'), nodePort));
    nodePorts.add(key);
  }
  const seen = new Set<string>();
  for (const [i, { protocol, port }] of ports.entries()) {
    const key = `${protocol} ${port}`;
    if (seen.has(key)) errors.push(duplicate(path.index(i), internalForm('ServicePort', { protocol, port })));
    seen.add(key);
  }
  return errors;
}
