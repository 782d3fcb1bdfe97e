import {
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
} from '../../../generated/core/v1.ts';
import { validatePortNumOrName } from '../port.ts';
import { invalidEach, requiredFields, unlessSupported } from './checks.ts';

type Handler = ProbeHandler & LifecycleHandler;
type HandlerName = keyof Handler;

const validateHTTPGetAction = (action: HTTPGetAction, path: Path): ErrorList => [
  ...requiredFields(path, action, ['path']),
  ...validatePortNumOrName(action.port, path.child('port')),
  ...unlessSupported(path.child('scheme'), action.scheme ?? '', ['HTTP', 'HTTPS']),
  ...(action.httpHeaders ?? []).flatMap(({ name }) =>
    invalidEach(path.child('httpHeaders'), name, isHTTPHeaderName(name)),
  ),
];

const handlers: {
  readonly [T in HandlerName]-?: (
    action: NonNullable<Handler[T]>,
    path: Path,
    gracePeriod: number | undefined,
  ) => ErrorList;
} = {
  exec: (action, path) => requiredFields(path, action, ['command']),
  httpGet: validateHTTPGetAction,
  tcpSocket: ({ port }, path) => validatePortNumOrName(port, path.child('port')),
  grpc: ({ port }, path) => invalidEach(path.child('port'), port, isValidPortNum(port)),
  sleep: ({ seconds }, path, gracePeriod) =>
    gracePeriod !== undefined && (seconds < 0 || seconds > gracePeriod)
      ? [invalid(path, seconds, `must be non-negative and less than terminationGracePeriodSeconds (${gracePeriod})`)]
      : [],
};
const handlerNames = Object.keys(handlers) as HandlerName[];

/** Exactly one way to act, and that one valid. */
function validateHandler(handler: Handler, gracePeriod: number | undefined, path: Path): ErrorList {
  const [first, ...others] = handlerNames.filter((name) => handler[name] !== undefined);
  if (!first) return [required(path, 'must specify a handler type')];
  const validate = handlers[first] as (action: unknown, path: Path, gracePeriod: number | undefined) => ErrorList;
  return [
    ...validate(handler[first], path.child(first), gracePeriod),
    ...others.map((name) => forbidden(path.child(name), 'may not specify more than 1 handler type')),
  ];
}

const counts = [
  'initialDelaySeconds',
  'timeoutSeconds',
  'periodSeconds',
  'successThreshold',
  'failureThreshold',
] as const;

export type ProbeName = 'livenessProbe' | 'readinessProbe' | 'startupProbe';

/** The probe of that name, if there is one. Only one that asks for readiness may need more than one success. */
export function validateProbe(
  name: ProbeName,
  probe: Probe | undefined,
  gracePeriod: number | undefined,
  containerPath: Path,
): ErrorList {
  if (!probe) return [];
  const path = containerPath.child(name);
  const errors = validateHandler(probe, gracePeriod, path);
  for (const count of counts) errors.push(...validateNonnegativeField(probe[count], path.child(count)));
  const { terminationGracePeriodSeconds: seconds, successThreshold = 0 } = probe;
  const secondsPath = path.child('terminationGracePeriodSeconds');
  if (seconds !== undefined && seconds <= 0) errors.push(invalid(secondsPath, seconds, 'must be greater than 0'));
  if (name !== 'readinessProbe') {
    if (successThreshold !== 1) errors.push(invalid(path.child('successThreshold'), successThreshold, 'must be 1'));
  } else if (seconds !== undefined) {
    errors.push(invalid(secondsPath, seconds, 'must not be set for readinessProbes'));
  }
  return errors;
}

const numbered = (name: string, sign: string, last: number): string[] =>
  Array.from({ length: last }, (_, i) => `${name}${sign}${i + 1}`);
/** Sorted: messages list them. */
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

function validateStopSignal(signal: string, os: PodOS | undefined, path: Path): ErrorList {
  if (!os) return [forbidden(path, 'may not be set for containers with empty `spec.os.name`')];
  const signals = Object.hasOwn(stopSignals, os.name) ? stopSignals[os.name]! : [signal];
  return signals.includes(signal) ? [] : [notSupported(path, signal, signals)];
}

export function validateLifecycle(
  lifecycle: Lifecycle | undefined,
  gracePeriod: number | undefined,
  os: PodOS | undefined,
  path: Path,
): ErrorList {
  if (!lifecycle) return [];
  const { postStart, preStop, stopSignal } = lifecycle;
  return [
    ...(postStart ? validateHandler(postStart, gracePeriod, path.child('postStart')) : []),
    ...(preStop ? validateHandler(preStop, gracePeriod, path.child('preStop')) : []),
    ...(stopSignal === undefined ? [] : validateStopSignal(stopSignal, os, path.child('stopSignal'))),
  ];
}
