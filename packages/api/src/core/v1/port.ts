import {
  type ErrorList,
  type IntOrString,
  invalidEach,
  isValidPortName,
  isValidPortNum,
  type Path,
} from '@coxswain/apimachinery';

export const protocols = ['SCTP', 'TCP', 'UDP'];

/** A port by number, or by the name it has elsewhere. */
export function validatePortNumOrName(port: IntOrString, path: Path, errors: ErrorList = []): ErrorList {
  const messages = typeof port === 'string' ? isValidPortName(port) : isValidPortNum(port);
  return invalidEach(path, port, messages, errors);
}
