import type {
  FieldSelectorAttributes,
  LabelSelectorAttributes,
  SubjectAccessReviewSpec,
} from '@coxswain/api/authorization/v1';
import { fields, labels } from '@coxswain/apimachinery';
import type { AuthorizationAttributes } from './authorizer.ts';

/** Returns the `spec` of the SubjectAccessReview for the attributes. */
export function reviewSpecOf(attributes: AuthorizationAttributes): SubjectAccessReviewSpec {
  const { username, uid, groups, extra } = attributes.user;
  const about = attributes.resourceRequest
    ? { resourceAttributes: resourceAttributesOf(attributes) }
    : { nonResourceAttributes: present({ path: attributes.path, verb: attributes.verb }) };
  return {
    ...about,
    ...present({ user: username }),
    ...(groups?.length && { groups: [...groups] }),
    ...(extra &&
      Object.keys(extra).length > 0 && {
        extra: Object.fromEntries(Object.entries(extra).map(([key, values]) => [key, [...values]])),
      }),
    ...present({ uid: uid ?? '' }),
  };
}

function resourceAttributesOf(attributes: AuthorizationAttributes): SubjectAccessReviewSpec['resourceAttributes'] {
  const { namespace, verb, apiGroup, apiVersion, resource, subresource, name } = attributes;
  const fieldRequirements = fieldRequirementsOf(attributes.fieldSelector);
  const labelRequirements = labelRequirementsOf(attributes.labelSelector);
  return {
    ...present({ namespace, verb, group: apiGroup, version: apiVersion, resource, subresource, name }),
    ...(fieldRequirements.length > 0 && { fieldSelector: { requirements: fieldRequirements } }),
    ...(labelRequirements.length > 0 && { labelSelector: { requirements: labelRequirements } }),
  };
}

const present = (texts: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== ''));

type Requirements<T extends { requirements?: unknown }> = NonNullable<T['requirements']>;

/**
 * Selectors only narrow a request. One that cannot be parsed is omitted: the review is then about the wider request.
 */
function fieldRequirementsOf(selector = ''): Requirements<FieldSelectorAttributes> {
  if (selector === '') return [];
  try {
    const requirements = fields.parse(selector).requirements();
    return requirements.map(({ field, operator, value }) => ({
      key: field,
      operator: operator === '=' ? 'In' : 'NotIn',
      values: [value],
    }));
  } catch {
    return [];
  }
}

type LabelOperator = Requirements<LabelSelectorAttributes>[number]['operator'];

const labelOperators: Readonly<Record<string, LabelOperator>> = {
  '=': 'In',
  '==': 'In',
  in: 'In',
  '!=': 'NotIn',
  notin: 'NotIn',
  exists: 'Exists',
  '!': 'DoesNotExist',
};

/**
 * Omits selectors that cannot be parsed, like `fieldRequirementsOf`, and numeric comparisons, which SubjectAccessReview
 * cannot express.
 */
function labelRequirementsOf(selector = ''): Requirements<LabelSelectorAttributes> {
  if (selector === '') return [];
  try {
    return labels.parseToRequirements(selector).flatMap(({ key, operator, values }) => {
      const name = Object.hasOwn(labelOperators, operator) ? labelOperators[operator] : undefined;
      return name === undefined ? [] : [{ key, operator: name, ...(values.length > 0 && { values: [...values] }) }];
    });
  } catch {
    return [];
  }
}
