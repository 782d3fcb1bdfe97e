import {
  type ErrorList,
  forbidden,
  invalid,
  notSupported,
  type Path,
  required,
  validateNamespaceName,
  validateServiceAccountName,
} from '@coxswain/apimachinery';
import { invalidEach } from '../../core/v1/checks.ts';
import type {
  NonResourcePolicyRule,
  PolicyRulesWithSubjects,
  ResourcePolicyRule,
  ServiceAccountSubject,
  Subject,
} from '../../generated/flowcontrol/v1.ts';

const verbs = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'proxy', 'update', 'watch'];
const wildcard = '*';
/** Kind of a subject → its field, in the order in which the others are forbidden. */
const subjectFields = { ServiceAccount: 'serviceAccount', User: 'user', Group: 'group' } as const;

/** Validates a rule: its subjects, and the requests that it matches. */
export function validateRule(rule: PolicyRulesWithSubjects, path: Path): ErrorList {
  const { resourceRules = [], nonResourceRules = [] } = rule;
  // Required lists are null in memory when they are absent.
  const subjects = rule.subjects ?? [];
  const errors =
    subjects.length === 0
      ? [required(path.child('subjects'), 'subjects must contain at least one value')]
      : subjects.flatMap((subject, i) => validateSubject(subject, path.child('subjects').index(i)));
  if (resourceRules.length === 0 && nonResourceRules.length === 0)
    errors.push(required(path, 'at least one of resourceRules and nonResourceRules has to be non-empty'));
  resourceRules.forEach((one, i) => {
    errors.push(...validateResourceRule(one, path.child('resourceRules').index(i)));
  });
  nonResourceRules.forEach((one, i) => {
    errors.push(...validateNonResourceRule(one, path.child('nonResourceRules').index(i)));
  });
  return errors;
}

function validateSubject(subject: Subject, path: Path): ErrorList {
  const { kind } = subject;
  if (!Object.hasOwn(subjectFields, kind))
    return [notSupported(path.child('kind'), kind, Object.keys(subjectFields).sort())];
  const own = subjectFields[kind as keyof typeof subjectFields];
  const who = subject[own];
  const ownPath = path.child(own);
  const errors = who
    ? validateWho(who, ownPath, own === 'serviceAccount')
    : [required(ownPath, `${own} is required when subject kind is '${kind}'`)];
  for (const [otherKind, field] of Object.entries(subjectFields)) {
    if (field === own || !subject[field]) continue;
    errors.push(forbidden(path.child(field), `${field} is forbidden when subject kind is not '${otherKind}'`));
  }
  return errors;
}

function validateWho(who: { name: string; namespace?: string }, path: Path, isServiceAccount: boolean): ErrorList {
  if (!isServiceAccount) return who.name ? [] : [required(path.child('name'))];
  const { name, namespace } = who as ServiceAccountSubject;
  const nameErrors = name
    ? invalidEach(path.child('name'), name, name === wildcard ? [] : validateServiceAccountName(name, false))
    : [required(path.child('name'))];
  const namespacePath = path.child('namespace');
  return [
    ...nameErrors,
    ...(namespace
      ? invalidEach(namespacePath, namespace, validateNamespaceName(namespace, false))
      : [required(namespacePath, 'must specify namespace for service account')]),
  ];
}

function validateResourceRule(rule: ResourcePolicyRule, path: Path): ErrorList {
  const namespaces = rule.namespaces ?? [];
  return [
    ...validateVerbs(rule.verbs, path.child('verbs')),
    ...validateSet(rule.apiGroups, path.child('apiGroups'), {
      none: 'resource rules must supply at least one api group',
      others: 'api groups',
    }),
    ...validateSet(rule.resources, path.child('resources'), {
      none: 'resource rules must supply at least one resource',
      others: 'resources',
    }),
    ...(namespaces.length === 0 && rule.clusterScope ? [] : validateNamespaces(namespaces, path.child('namespaces'))),
  ];
}

function validateNonResourceRule({ verbs: named, nonResourceURLs }: NonResourcePolicyRule, path: Path): ErrorList {
  return [
    ...validateVerbs(named, path.child('verbs')),
    ...validateSet(nonResourceURLs, path.child('nonResourceURLs'), {
      none: 'nonResourceURLs must contain at least one value',
      others: 'non-resource URLs',
      each: (url, at) => {
        const problem = urlProblem(url);
        return problem ? [invalid(at, url, problem)] : [];
      },
    }),
  ];
}

interface SetRules {
  readonly none: string;
  /** What the message calls the values that must not be combined with a wildcard. */
  readonly others: string;
  readonly each?: (value: string, path: Path) => ErrorList;
}

/** Validates a list, which must not be empty. A wildcard must be its only item. */
function validateSet(values: readonly string[] | undefined, path: Path, { none, others, each }: SetRules): ErrorList {
  if (!values?.length) return [required(path, none)];
  if (!values.includes(wildcard)) return each ? values.flatMap((value, i) => each(value, path.index(i))) : [];
  return values.length > 1 ? [invalid(path, values, `if '*' is present, must not specify other ${others}`)] : [];
}

function validateVerbs(named: readonly string[] | undefined, path: Path): ErrorList {
  const errors = validateSet(named, path, { none: 'verbs must contain at least one value', others: 'verbs' });
  if (errors.length > 0 || named!.includes(wildcard)) return errors;
  return named!.every((verb) => verbs.includes(verb)) ? [] : [notSupported(path, named, verbs)];
}

const validateNamespaces = (namespaces: readonly string[], path: Path): ErrorList =>
  validateSet(namespaces, path, {
    none: 'resource rules that are not cluster scoped must supply at least one namespace',
    others: 'namespaces',
    each: (name, at) =>
      validateNamespaceName(name, false).map((message) =>
        invalid(at, name, `each member of this list must be '*' or a DNS-1123 label; ${message}`),
      ),
  });

function urlProblem(url: string): string | undefined {
  if (url === '') return 'must not be empty';
  if (url === '/') return undefined;
  if (!url.startsWith('/')) return 'must start with slash';
  if (url.includes(' ')) return 'must not contain white-space';
  if (url.includes('//')) return 'must not contain double slash';
  const first = url.indexOf(wildcard);
  const isSuffix = first === url.length - 1 && url.endsWith('/*');
  return first < 0 || isSuffix ? undefined : 'wildcard can only do suffix matching';
}
