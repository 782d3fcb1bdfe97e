import type { UserInfo } from '@coxswain/api';
import type {
  FieldSelectorAttributes,
  LabelSelectorAttributes,
  LocalSubjectAccessReview,
  NonResourceAttributes,
  ResourceAttributes,
  SelfSubjectAccessReview,
  SubjectAccessReview,
  SubjectAccessReviewStatus,
} from '@coxswain/api/authorization/v1';
import { fields, labels, newBadRequest } from '@coxswain/apimachinery';
import { messageOf } from '@coxswain/apimachinery/errors';
import type { AuthorizationAttributes, Authorizer } from '@coxswain/component-base/authorization';
import { resourceAttributes } from './resource-attributes.ts';

/** Returns a copy of a valid SubjectAccessReview with the status. */
export async function reviewSubjectAccess(
  review: SubjectAccessReview,
  authorizer: Authorizer,
): Promise<SubjectAccessReview> {
  return { ...review, status: await decide(subjectOf(review), review.spec, authorizer) };
}

/** Like `reviewSubjectAccess` within a namespace. Throws BadRequest when it is not the namespace of the request. */
export async function reviewLocalSubjectAccess(
  review: LocalSubjectAccessReview,
  namespace: string,
  authorizer: Authorizer,
): Promise<LocalSubjectAccessReview> {
  if (namespace === '') throw newBadRequest('namespace is required on this type: ');
  if (namespace !== review.metadata.namespace) {
    throw newBadRequest(`spec.resourceAttributes.namespace must match namespace: ${namespace}`);
  }
  return { ...review, status: await decide(subjectOf(review), review.spec, authorizer) };
}

/** Like `reviewSubjectAccess` for the user of the request. */
export async function reviewSelfSubjectAccess(
  review: SelfSubjectAccessReview,
  user: UserInfo,
  authorizer: Authorizer,
): Promise<SelfSubjectAccessReview> {
  return { ...review, status: await decide(user, review.spec, authorizer) };
}

function subjectOf({ spec }: SubjectAccessReview | LocalSubjectAccessReview): UserInfo {
  const { user = '', uid, groups, extra } = spec;
  return { username: user, ...(uid && { uid }), ...(groups && { groups }), ...(extra && { extra }) };
}

async function decide(
  user: UserInfo,
  about: { resourceAttributes?: ResourceAttributes; nonResourceAttributes?: NonResourceAttributes },
  authorizer: Authorizer,
): Promise<SubjectAccessReviewStatus> {
  const { attributes, problems } = about.resourceAttributes
    ? resourceCheck(user, about.resourceAttributes)
    : { attributes: pathCheck(user, about.nonResourceAttributes ?? {}), problems: [] };
  try {
    const { decision, reason, error } = await authorizer.authorize(attributes);
    return status(decision, reason, error ? [error.message, ...problems] : problems);
  } catch (error) {
    return status('no opinion', '', [messageOf(error), ...problems]);
  }
}

const status = (decision: string, reason: string, problems: readonly string[]): SubjectAccessReviewStatus => ({
  allowed: decision === 'allow',
  ...(decision === 'deny' && { denied: true }),
  ...(reason && { reason }),
  ...(problems.length > 0 && { evaluationError: problems.join('; ') }),
});

const pathCheck = (user: UserInfo, { path = '', verb = '' }: NonResourceAttributes): AuthorizationAttributes =>
  resourceAttributes({ user, verb, resource: '', apiVersion: '', resourceRequest: false, path });

interface Check {
  attributes: AuthorizationAttributes;
  /** Selectors that were ignored, fully or partially. */
  problems: string[];
}

function resourceCheck(user: UserInfo, about: ResourceAttributes): Check {
  const { verb = '', group = '', version, resource = '', subresource = '', namespace = '', name = '' } = about;
  const fieldSelector = fieldSelectorText(about.fieldSelector);
  const labelSelector = labelSelectorText(about.labelSelector);
  const attributes = resourceAttributes({
    user,
    verb,
    apiGroup: group,
    apiVersion: version || '*',
    resource,
    subresource,
    namespace,
    name,
    ...(fieldSelector.text && { fieldSelector: fieldSelector.text }),
    ...(labelSelector.text && { labelSelector: labelSelector.text }),
  });
  const problems = Object.entries({ fieldSelector, labelSelector }).flatMap(([field, { text, dropped }]) =>
    dropped
      ? `spec.resourceAttributes.${field} ${text === '' ? 'ignored' : 'partially ignored'} due to parse error`
      : [],
  );
  return { attributes, problems };
}

/** The text of a selector. `dropped`: some of it was invalid and is left out, so that the check covers more objects. */
interface SelectorText {
  text: string;
  dropped: boolean;
}

function fieldSelectorText({ rawSelector = '', requirements = [] }: FieldSelectorAttributes = {}): SelectorText {
  if (requirements.length === 0) return parsed(() => fields.parse(rawSelector).toString());
  const operators: Readonly<Record<string, '=' | '!='>> = { In: '=', NotIn: '!=' };
  const understood = requirements.flatMap(({ key, operator, values = [] }) => {
    const symbol = Object.hasOwn(operators, operator) ? operators[operator] : undefined;
    const [value] = values;
    return symbol !== undefined && value !== undefined && values.length === 1
      ? [{ field: key, operator: symbol, value }]
      : [];
  });
  return {
    // Names with these characters cannot be written in a selector, and no field has one.
    text: fields.Selector.of(understood.filter(({ field }) => !/[=!,\\]/.test(field))).toString(),
    dropped: understood.length < requirements.length,
  };
}

function labelSelectorText({ rawSelector = '', requirements = [] }: LabelSelectorAttributes = {}): SelectorText {
  if (requirements.length === 0) return parsed(() => labels.parse(rawSelector).toString());
  const understood = requirements.map((requirement) =>
    parsed(() => labels.labelSelectorAsSelector({ matchExpressions: [requirement] }).toString()),
  );
  return {
    text: understood.flatMap(({ text }) => text || []).join(','),
    dropped: understood.some(({ dropped }) => dropped),
  };
}

function parsed(parse: () => string): SelectorText {
  try {
    return { text: parse(), dropped: false };
  } catch {
    return { text: '', dropped: true };
  }
}
