import {
  type ErrorList,
  type IntOrString,
  invalidEach,
  isValidPortName,
  isValidPortNum,
  type Path,
} from '@coxswain/apimachinery';

export const protocols = ['SCTP', 'TCP', 'UDP'];

/** Validates a port number or the name of a port. */
export function validatePortNumOrName(port: IntOrString, path: Path, errors: ErrorList = []): ErrorList {
  const messages = typeof port === 'string' ? isValidPortName(port) : isValidPortNum(port);
  return invalidEach(path, port, messages, errors);
}
