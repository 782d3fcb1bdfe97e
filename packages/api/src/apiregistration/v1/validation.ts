import {
  base64ByteLength,
  type ErrorList,
  invalid,
  isDns1035Label,
  isDns1123Subdomain,
  isPathSegmentName,
  isValidPortNum,
  notSupported,
  Path,
  quote,
  required,
  validateObjectMeta,
} from '@coxswain/apimachinery';
import type { APIService } from '../../generated/apiregistration/v1.ts';

const spec = Path.of('spec');
const conditionStatuses = ['True', 'False', 'Unknown'];

/** Validates metadata. The name must be `<version>.<group>` of the spec. */
export function validateAPIServiceMetadata(service: APIService): ErrorList {
  const wanted = `${service.spec?.version ?? ''}.${service.spec?.group ?? ''}`;
  const validateName = (name: string) => {
    const problems = isPathSegmentName(name);
    if (problems.length > 0 || name === wanted) return problems;
    return [`must be \`spec.version+"."+spec.group\`: ${quote(wanted)}`];
  };
  return validateObjectMeta(service.metadata, false, validateName, Path.of('metadata'));
}

export function validateAPIService(service: APIService): ErrorList {
  const errors: ErrorList = [];
  const { group = '', version = '', insecureSkipTLSVerify, caBundle } = service.spec ?? {};
  const complain = (field: string, value: unknown, detail: string) =>
    errors.push(invalid(spec.child(field), value, detail));
  if (group === '' && version !== 'v1') {
    errors.push(required(spec.child('group'), 'only v1 may have an empty group and it better be legacy kube'));
  }
  if (group !== '') for (const problem of isDns1123Subdomain(group)) complain('group', group, problem);
  for (const problem of isDns1035Label(version)) complain('version', version, problem);
  for (const [field, limit] of [
    ['groupPriorityMinimum', 20000],
    ['versionPriority', 1000],
  ] as const) {
    const priority = service.spec?.[field] ?? 0;
    if (priority <= 0 || priority > limit) complain(field, priority, `must be positive and less than ${limit}`);
  }
  const reference = service.spec?.service;
  if (!reference) {
    if (caBundle) {
      complain('caBundle', `${base64ByteLength(caBundle)} bytes`, 'local APIServices may not have a caBundle');
    }
    if (insecureSkipTLSVerify) {
      complain('insecureSkipTLSVerify', true, 'local APIServices may not have insecureSkipTLSVerify');
    }
    return errors;
  }
  if (!reference.namespace) errors.push(required(spec.child('service', 'namespace')));
  if (!reference.name) errors.push(required(spec.child('service', 'name')));
  const port = reference.port ?? 0;
  const problems = isValidPortNum(port);
  if (problems.length > 0) {
    errors.push(invalid(spec.child('service', 'port'), port, `port is not valid: ${problems.join(', ')}`));
  }
  if (insecureSkipTLSVerify && caBundle) {
    complain('insecureSkipTLSVerify', true, 'may not be true if caBundle is present');
  }
  return errors;
}

export function validateAPIServiceStatus({ status }: APIService): ErrorList {
  const conditions = Path.of('status', 'conditions');
  return (status?.conditions ?? []).flatMap((condition, i) =>
    conditionStatuses.includes(condition.status)
      ? []
      : [notSupported(conditions.index(i).child('status'), condition.status, conditionStatuses)],
  );
}
