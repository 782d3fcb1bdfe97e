import {
  type ErrorList,
  type IntOrString,
  invalid,
  isValidPortName,
  isValidPortNum,
  type Path,
} from '@coxswain/apimachinery';

export const protocols = ['SCTP', 'TCP', 'UDP'];

/** A port by number, or by the name it has elsewhere. */
export function validatePortNumOrName(port: IntOrString, path: Path): ErrorList {
  const messages = typeof port === 'string' ? isValidPortName(port) : isValidPortNum(port);
  return messages.map((message) => invalid(path, port, message));
}
