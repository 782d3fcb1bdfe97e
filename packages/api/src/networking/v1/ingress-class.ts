import {
  type ErrorList,
  forbidden,
  isDns1123Subdomain,
  isDomainPrefixedPath,
  isLongerThan,
  nameIsDnsSubdomain,
  ownEntry,
  Path,
  required,
  tooLong,
  validateImmutableField,
  validateNamespaceName,
  validateObjectMeta,
} from '@coxswain/apimachinery';
import { invalidEach, unlessSupported } from '../../core/v1/checks.ts';
import type { IngressClass, IngressClassParametersReference } from '../../generated/networking/v1.ts';
import { translateTimestampSince } from '../../strategy/print.ts';
import type { Strategy } from '../../strategy/strategy.ts';
import { columns } from '../../strategy/table.ts';
import { requiredSegment } from './ingress-validation.ts';

const defaultAnnotation = 'ingressclass.kubernetes.io/is-default-class';
const maxControllerLength = 250;
const scopes = ['Cluster', 'Namespace'];
const controllerPath = Path.of('spec', 'controller');
const parametersPath = Path.of('spec', 'parameters');

export function setIngressClassDefaults({ spec }: IngressClass): void {
  if (spec?.parameters) spec.parameters.scope ??= 'Cluster';
}

function validate({ spec }: IngressClass): ErrorList {
  const { controller = '', parameters } = spec ?? {};
  return [
    ...(isLongerThan(controller, maxControllerLength) ? [tooLong(controllerPath, maxControllerLength)] : []),
    ...isDomainPrefixedPath(controllerPath, controller),
    ...(parameters ? validateParameters(parameters, parametersPath) : []),
  ];
}

function validateParameters(parameters: IngressClassParametersReference, path: Path): ErrorList {
  const { apiGroup, kind, name, scope, namespace } = parameters;
  const errors =
    apiGroup === undefined ? [] : invalidEach(path.child('apiGroup'), apiGroup, isDns1123Subdomain(apiGroup));
  errors.push(...requiredSegment(kind, path.child('kind')), ...requiredSegment(name, path.child('name')));
  if (scope === undefined || scope === null) return [...errors, required(path.child('scope'))];
  errors.push(...unlessSupported(path.child('scope'), scope, scopes));
  const namespacePath = path.child('namespace');
  if (scope === 'Namespace' && namespace === undefined)
    errors.push(required(namespacePath, "`parameters.scope` is set to 'Namespace'"));
  else if (scope === 'Namespace')
    errors.push(...invalidEach(namespacePath, namespace, validateNamespaceName(namespace!, false)));
  else if (scope === 'Cluster' && namespace !== undefined)
    errors.push(forbidden(namespacePath, "`parameters.scope` is set to 'Cluster'"));
  return errors;
}

function printParameters({ parameters }: NonNullable<IngressClass['spec']>): string {
  if (!parameters) return '<none>';
  const { apiGroup, kind, name } = parameters;
  return `${kind}${apiGroup === undefined ? '' : `.${apiGroup}`}/${name}`;
}

export const ingressClassStrategy: Strategy<IngressClass> = {
  generation: ['spec'],
  validate,
  validateUpdate: (ingressClass, old) => [
    ...validateImmutableField(ingressClass.spec?.controller ?? '', old.spec?.controller ?? '', controllerPath),
    ...validateObjectMeta(ingressClass.metadata, false, nameIsDnsSubdomain, Path.of('metadata')),
    ...validate(ingressClass),
  ],
  table: {
    columns: columns('Name', 'Controller', 'Parameters', 'Age'),
    row: ({ metadata, spec = {} }, context) => [
      `${metadata.name}${ownEntry(metadata.annotations, defaultAnnotation) === 'true' ? ' (default)' : ''}`,
      spec.controller ?? '',
      printParameters(spec),
      translateTimestampSince(metadata.creationTimestamp, context),
    ],
  },
};
