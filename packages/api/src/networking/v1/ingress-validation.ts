import {
  type ErrorList,
  invalid,
  isDns1123Subdomain,
  isPathSegmentName,
  isValidIPForLegacyField,
  isValidPortName,
  isValidPortNum,
  isWildcardDns1123Subdomain,
  nameIsDns1035Label,
  nameIsDnsLabel,
  nameIsDnsSubdomain,
  ownEntry,
  Path,
  parseIPSloppy,
  required,
} from '@coxswain/apimachinery';
import { invalidEach, unlessSupported } from '../../core/v1/checks.ts';
import type { TypedLocalObjectReference } from '../../generated/core/v1.ts';
import type {
  HTTPIngressPath,
  Ingress,
  IngressBackend,
  IngressRule,
  IngressTLS,
} from '../../generated/networking/v1.ts';
import type { StrategyContext } from '../../strategy/strategy.ts';

/** The legacy annotation for the ingress class. */
export const ingressClassAnnotation = 'kubernetes.io/ingress.class';

const pathTypes = ['Exact', 'ImplementationSpecific', 'Prefix'];
const forbiddenSequences = ['//', '/./', '/../', '%2f', '%2F'];
const forbiddenEnds = ['/..', '/.'];
const specPath = Path.of('spec');
const notAnIP = 'must be a DNS name, not an IP address';

/** Exceptions from the rules that apply because the old ingress already violates them. */
interface Options {
  readonly allowInvalidSecretName: boolean;
  readonly allowInvalidWildcardHostRule: boolean;
  readonly allowRelaxedServiceName: boolean;
}

/** Validates an ingress, on create without `old`, and on update. */
export function validateIngress(ingress: Ingress, old: Ingress | undefined, context: StrategyContext): ErrorList {
  const { defaultBackend, rules = [], tls = [], ingressClassName } = ingress.spec ?? {};
  const options = optionsFor(old, context);
  const errors: ErrorList = [];
  if (rules.length === 0 && !defaultBackend)
    errors.push(invalid(specPath, ingress.spec?.rules, 'either `defaultBackend` or `rules` must be specified'));
  if (defaultBackend) errors.push(...validateBackend(defaultBackend, specPath.child('defaultBackend'), options));
  rules.forEach((rule, i) => {
    errors.push(...validateRule(rule, specPath.child('rules').index(i), options));
  });
  tls.forEach((one, i) => {
    errors.push(...validateTLS(one, specPath.child('tls').index(i), options));
  });
  if (ingressClassName !== undefined) {
    const path = specPath.child('ingressClassName');
    errors.push(...invalidEach(path, ingressClassName, nameIsDnsSubdomain(ingressClassName, false)));
  }
  return errors;
}

/** Validates that annotation and field do not name different classes. */
export function validateClassAnnotation({ metadata, spec }: Ingress): ErrorList {
  const annotation = ownEntry(metadata.annotations, ingressClassAnnotation);
  if (annotation === undefined || spec?.ingressClassName === undefined || annotation === spec.ingressClassName)
    return [];
  const path = Path.of('annotations', ingressClassAnnotation);
  return [invalid(path, annotation, 'must match `ingressClassName` when both are specified')];
}

export function validateIngressStatus({ status }: Ingress, old: Ingress, { features }: StrategyContext): ErrorList {
  const existing = (old.status?.loadBalancer?.ingress ?? []).flatMap(({ ip }) => (ip ? [ip] : []));
  const strict = features.enabled('StrictIPCIDRValidation');
  return (status?.loadBalancer?.ingress ?? []).flatMap(({ ip, hostname }, i) => {
    const path = Path.of('status', 'loadBalancer', 'ingress').index(i);
    const errors = ip ? isValidIPForLegacyField(path.child('ip'), ip, strict, existing) : [];
    if (!hostname) return errors;
    const hostnamePath = path.child('hostname');
    errors.push(...invalidEach(hostnamePath, hostname, isDns1123Subdomain(hostname)));
    if (parseIPSloppy(hostname)) errors.push(invalid(hostnamePath, hostname, notAnIP));
    return errors;
  });
}

const isWildcard = (host: string): boolean => host.includes('*');
const validateHostName = (host: string): string[] =>
  isWildcard(host) ? isWildcardDns1123Subdomain(host) : isDns1123Subdomain(host);

function validateRule({ host = '', http }: IngressRule, path: Path, options: Options): ErrorList {
  const hostPath = path.child('host');
  const errors = host && parseIPSloppy(host) ? [invalid(hostPath, host, notAnIP)] : [];
  if (host) errors.push(...invalidEach(hostPath, host, validateHostName(host)));
  if (!http || (isWildcard(host) && options.allowInvalidWildcardHostRule)) return errors;
  return [...errors, ...validatePaths(http.paths, path.child('http', 'paths'), options)];
}

function validatePaths(paths: readonly HTTPIngressPath[] | undefined, path: Path, options: Options): ErrorList {
  if (!paths?.length) return [required(path)];
  return paths.flatMap((one, i) => validatePath(one, path.index(i), options));
}

function validatePath(
  { pathType, path: target = '', backend }: HTTPIngressPath,
  path: Path,
  options: Options,
): ErrorList {
  if (pathType === undefined || pathType === null)
    return [required(path.child('pathType'), 'pathType must be specified')];
  const errors = unlessSupported(path.child('pathType'), pathType, pathTypes);
  const isLiteral = pathType === 'Exact' || pathType === 'Prefix';
  const complain = (detail: string): void => void errors.push(invalid(path.child('path'), target, detail));
  if (!target.startsWith('/') && (isLiteral || (pathType === 'ImplementationSpecific' && target)))
    complain('must be an absolute path');
  if (isLiteral) {
    for (const part of forbiddenSequences) if (target.includes(part)) complain(`must not contain '${part}'`);
    for (const end of forbiddenEnds) if (target.endsWith(end)) complain(`cannot end with '${end}'`);
  }
  return [...errors, ...validateBackend(backend, path.child('backend'), options)];
}

function validateBackend({ resource, service }: IngressBackend, path: Path, options: Options): ErrorList {
  if (resource && service) return [invalid(path, '', 'cannot set both resource and service backends')];
  if (resource) return validateResource(resource, path.child('resource'));
  if (!service) return [invalid(path, '', 'resource or service backend is required')];
  const namePath = path.child('service', 'name');
  const validateName = options.allowRelaxedServiceName ? nameIsDnsLabel : nameIsDns1035Label;
  const errors = service.name
    ? invalidEach(namePath, service.name, validateName(service.name, false))
    : [required(namePath)];
  const { name, number } = service.port ?? {};
  const portPath = path.child('service', 'port');
  if (name && number) errors.push(invalid(path, '', 'cannot set both port name & port number'));
  else if (name) errors.push(...invalidEach(portPath.child('name'), name, isValidPortName(name)));
  else if (number) errors.push(...invalidEach(portPath.child('number'), number, isValidPortNum(number)));
  else errors.push(required(path, 'port name or number is required'));
  return errors;
}

/** An absent group is null in memory; an empty string is an invalid name. */
const isSet = (apiGroup: string | null | undefined): apiGroup is string => typeof apiGroup === 'string';

function validateResource({ apiGroup, kind, name }: TypedLocalObjectReference, path: Path): ErrorList {
  return [
    ...(isSet(apiGroup) ? invalidEach(path.child('apiGroup'), apiGroup, isDns1123Subdomain(apiGroup)) : []),
    ...requiredSegment(kind, path.child('kind')),
    ...requiredSegment(name, path.child('name')),
  ];
}

/** Validates a required name that must be a valid URL path segment. */
export function requiredSegment(name: string | undefined, path: Path): ErrorList {
  return name ? invalidEach(path, name, isPathSegmentName(name)) : [required(path)];
}

function validateTLS({ hosts = [], secretName }: IngressTLS, path: Path, options: Options): ErrorList {
  const errors = hosts.flatMap((host, i) => invalidEach(path.child('hosts').index(i), host, validateHostName(host)));
  if (secretName && !options.allowInvalidSecretName)
    errors.push(...invalidEach(path.child('secretName'), secretName, nameIsDnsSubdomain(secretName, false)));
  return errors;
}

function optionsFor(old: Ingress | undefined, { features }: StrategyContext): Options {
  const { defaultBackend, rules = [], tls = [] } = old?.spec ?? {};
  const backends = [defaultBackend, ...rules.flatMap(({ http }) => http?.paths ?? []).map(({ backend }) => backend)];
  const strictest = {
    allowInvalidSecretName: false,
    allowInvalidWildcardHostRule: false,
    allowRelaxedServiceName: false,
  };
  return {
    allowInvalidSecretName: tls.some(
      ({ secretName }) => secretName && nameIsDnsSubdomain(secretName, false).length > 0,
    ),
    allowInvalidWildcardHostRule: rules.some(
      ({ host = '', http }) => isWildcard(host) && http && validatePaths(http.paths, specPath, strictest).length > 0,
    ),
    allowRelaxedServiceName:
      features.enabled('RelaxedServiceNameValidation') ||
      backends.some((backend) => isRelaxedName(backend?.service?.name)),
  };
}

/** Reports whether the name is valid only by the relaxed rule for Service names: it starts with a digit. */
const isRelaxedName = (name: string | undefined): boolean =>
  name !== undefined && nameIsDnsLabel(name, false).length === 0 && nameIsDns1035Label(name, false).length > 0;
