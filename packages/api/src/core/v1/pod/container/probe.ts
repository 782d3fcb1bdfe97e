import {
  checkField,
  type ErrorList,
  forbidden,
  invalid,
  isHTTPHeaderName,
  isValidPortNum,
  notSupported,
  type Path,
  required,
  validateNonnegativeField,
} from '@coxswain/apimachinery';
import type {
  HTTPGetAction,
  Lifecycle,
  LifecycleHandler,
  PodOS,
  Probe,
  ProbeHandler,
} from '../../../../generated/core/v1.ts';
import { checkSupported, requiredFields } from '../../checks.ts';
import { validatePortNumOrName } from '../../port.ts';

type Handler = ProbeHandler & LifecycleHandler;
type HandlerName = keyof Handler;

const schemes = ['HTTP', 'HTTPS'];

function validateHTTPGetAction(action: HTTPGetAction, path: Path, errors: ErrorList): void {
  if (!action.path) errors.push(required(path.child('path')));
  validatePortNumOrName(action.port, path.child('port'), errors);
  checkSupported(path, 'scheme', action.scheme ?? '', schemes, errors);
  for (const { name } of action.httpHeaders ?? []) checkField(path, 'httpHeaders', name, isHTTPHeaderName, errors);
}

const handlers: {
  readonly [T in HandlerName]-?: (
    action: NonNullable<Handler[T]>,
    path: Path,
    errors: ErrorList,
    gracePeriod: number | undefined,
  ) => unknown;
} = {
  exec: (action, path, errors) => requiredFields(path, action, ['command'], errors),
  httpGet: validateHTTPGetAction,
  tcpSocket: ({ port }, path, errors) => validatePortNumOrName(port, path.child('port'), errors),
  grpc: ({ port }, path, errors) => checkField(path, 'port', port, isValidPortNum, errors),
  sleep: ({ seconds }, path, errors, gracePeriod) => {
    if (gracePeriod === undefined || (seconds >= 0 && seconds <= gracePeriod)) return;
    const detail = `must be non-negative and less than terminationGracePeriodSeconds (${gracePeriod})`;
    errors.push(invalid(path, seconds, detail));
  },
};
const handlerNames = Object.keys(handlers) as HandlerName[];

/** Validates a handler, which must have exactly one action. */
function validateHandler(handler: Handler, gracePeriod: number | undefined, path: Path, errors: ErrorList): void {
  let found = false;
  for (const name of handlerNames) {
    const action = handler[name];
    if (action === undefined) continue;
    const validate = handlers[name] as (
      action: unknown,
      path: Path,
      errors: ErrorList,
      gracePeriod: number | undefined,
    ) => unknown;
    if (found) errors.push(forbidden(path.child(name), 'may not specify more than 1 handler type'));
    else validate(action, path.child(name), errors, gracePeriod);
    found = true;
  }
  if (!found) errors.push(required(path, 'must specify a handler type'));
}

const counts = [
  'initialDelaySeconds',
  'timeoutSeconds',
  'periodSeconds',
  'successThreshold',
  'failureThreshold',
] as const;

export type ProbeName = 'livenessProbe' | 'readinessProbe' | 'startupProbe';

/** Validates the probe of that name. Only a readiness probe may require more than one success. */
export function validateProbe(
  name: ProbeName,
  probe: Probe,
  gracePeriod: number | undefined,
  path: Path,
  errors: ErrorList,
): void {
  validateHandler(probe, gracePeriod, path, errors);
  for (const count of counts) {
    const value = probe[count];
    if (value !== undefined && value < 0) validateNonnegativeField(value, path.child(count), errors);
  }
  const { terminationGracePeriodSeconds: seconds, successThreshold = 0 } = probe;
  if (seconds !== undefined && seconds <= 0)
    errors.push(invalid(path.child('terminationGracePeriodSeconds'), seconds, 'must be greater than 0'));
  if (name !== 'readinessProbe') {
    if (successThreshold !== 1) errors.push(invalid(path.child('successThreshold'), successThreshold, 'must be 1'));
  } else if (seconds !== undefined) {
    const detail = 'must not be set for readinessProbes';
    errors.push(invalid(path.child('terminationGracePeriodSeconds'), seconds, detail));
  }
}

const numbered = (name: string, sign: string, last: number): string[] =>
  Array.from({ length: last }, (_, i) => `${name}${sign}${i + 1}`);
/** Sorted, because messages list them. */
const linuxStopSignals = [
  ...'ABRT ALRM BUS CHLD CLD CONT FPE HUP ILL INT IO IOT KILL PIPE POLL PROF PWR QUIT SEGV STKFLT STOP SYS'.split(' '),
  ...'TERM TRAP TSTP TTIN TTOU URG USR1 USR2 VTALRM WINCH XCPU XFSZ RTMIN RTMAX'.split(' '),
  ...numbered('RTMIN', '+', 15),
  ...numbered('RTMAX', '-', 14),
]
  .map((name) => `SIG${name}`)
  .sort();
const stopSignals: Readonly<Record<string, readonly string[]>> = {
  linux: linuxStopSignals,
  windows: ['SIGKILL', 'SIGTERM'],
};

function validateStopSignal(signal: string, os: PodOS | undefined, path: Path, errors: ErrorList): void {
  if (!os) {
    errors.push(forbidden(path, 'may not be set for containers with empty `spec.os.name`'));
    return;
  }
  const signals = Object.hasOwn(stopSignals, os.name) ? stopSignals[os.name]! : [signal];
  if (!signals.includes(signal)) errors.push(notSupported(path, signal, signals));
}

export function validateLifecycle(
  { postStart, preStop, stopSignal }: Lifecycle,
  gracePeriod: number | undefined,
  os: PodOS | undefined,
  path: Path,
  errors: ErrorList,
): void {
  if (postStart) validateHandler(postStart, gracePeriod, path.child('postStart'), errors);
  if (preStop) validateHandler(preStop, gracePeriod, path.child('preStop'), errors);
  if (stopSignal !== undefined) validateStopSignal(stopSignal, os, path.child('stopSignal'), errors);
}
