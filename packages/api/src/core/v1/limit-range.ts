import {
  duplicate,
  type ErrorList,
  forbidden,
  invalid,
  isQualifiedName,
  ownEntry,
  Path,
  Quantity,
  repeated,
  required,
  setOwnEntry,
} from '@coxswain/apimachinery';
import { systemRandom } from '@coxswain/apimachinery/random';
import type { LimitRange, LimitRangeItem } from '../../generated/core/v1.ts';
import type { Strategy } from '../../strategy/strategy.ts';
import { defaultTable } from '../../strategy/table.ts';
import { invalidEach, sortedEntries } from './checks.ts';
import { type ResourceList, roundUpToMilli } from './resources/resource-list.ts';
import { isOvercommitAllowed, validateContainerResourceName, validateResourceName } from './resources/resource-name.ts';

const limitTypes = ['Pod', 'Container', 'PersistentVolumeClaim'];
const lists = ['max', 'min', 'default', 'defaultRequest', 'maxLimitRequestRatio'] as const;
type ListName = (typeof lists)[number];

const one = Quantity.of(1);
/** Above this value, thousandths do not fit an int64. */
const maxMilliValue = (2n ** 63n - 1n) / 1000n;

/** Sets the defaults of containers: the limit defaults to the maximum, the request to the limit or the minimum. */
export function setLimitRangeDefaults({ spec }: LimitRange): void {
  for (const item of spec?.limits ?? []) {
    if (item.type === 'Container') {
      item.default = withMissing(item.default, item.max);
      item.defaultRequest = withMissing(withMissing(item.defaultRequest, item.default), item.min);
    }
    for (const list of lists) roundUpToMilli(item[list]);
  }
}

function withMissing(list: ResourceList | undefined, more: ResourceList | undefined): ResourceList {
  const result = list ?? {};
  for (const [name, amount] of Object.entries(more ?? {}))
    if (!Object.hasOwn(result, name)) setOwnEntry(result, name, amount);
  return result;
}

function validateLimitRange({ spec }: LimitRange): ErrorList {
  const limits = spec?.limits ?? [];
  const path = Path.of('spec', 'limits');
  const isRepeated = repeated(limits, ({ type }) => type);
  return limits.flatMap((item, i) => {
    const at = path.index(i);
    return [
      ...validateType(item.type, at.child('type')),
      ...(isRepeated[i] ? [duplicate(at.child('type'), item.type)] : []),
      ...validateItem(item, at),
    ];
  });
}

function validateType(type: string, path: Path): ErrorList {
  const messages = isQualifiedName(type);
  if (messages.length > 0) return invalidEach(path, type, messages);
  return type.includes('/') || limitTypes.includes(type)
    ? []
    : [invalid(path, type, 'must be a standard limit type or fully qualified')];
}

function validateItem(item: LimitRangeItem, path: Path): ErrorList {
  const validateName =
    item.type === 'Pod' || item.type === 'Container' ? validateContainerResourceName : validateResourceName;
  const names = (list: ListName): ErrorList =>
    sortedEntries(item[list]).flatMap(([name]) => validateName(name, path.child(list).key(name)));
  const errors = [...names('max'), ...names('min')];
  const hasDefaults = item.type !== 'Pod';
  for (const list of ['default', 'defaultRequest'] as const) {
    if (hasDefaults) errors.push(...names(list));
    else if (Object.keys(item[list] ?? {}).length > 0)
      errors.push(forbidden(path.child(list), "may not be specified when `type` is 'Pod'"));
  }
  if (item.type === 'PersistentVolumeClaim' && !ownEntry(item.min, 'storage') && !ownEntry(item.max, 'storage')) {
    const detail = 'either minimum or maximum storage value is required, but neither was provided';
    errors.push(required(path.child('limits'), detail));
  }
  errors.push(...names('maxLimitRequestRatio'));
  const used = lists.filter((list) => hasDefaults || (list !== 'default' && list !== 'defaultRequest'));
  const resources = new Set(used.flatMap((list) => Object.keys(item[list] ?? {})));
  for (const resource of [...resources].sort()) {
    const amounts: Amounts = {};
    for (const list of used) {
      const text = ownEntry(item[list], resource);
      if (text !== undefined) amounts[list] = Quantity.parse(text);
    }
    errors.push(...validateAmounts(resource, amounts, path));
  }
  return errors;
}

type Amounts = { [list in ListName]?: Quantity };

/** `small` must not exceed `large`. The error is about `field` and prints the value of `shown`. */
const orders: readonly {
  small: ListName;
  large: ListName;
  field: ListName;
  shown: ListName;
  words: readonly [string, string];
}[] = [
  { small: 'min', large: 'max', field: 'min', shown: 'min', words: ['min', 'max'] },
  {
    small: 'min',
    large: 'defaultRequest',
    field: 'defaultRequest',
    shown: 'defaultRequest',
    words: ['min', 'default request'],
  },
  {
    small: 'defaultRequest',
    large: 'max',
    field: 'defaultRequest',
    shown: 'defaultRequest',
    words: ['default request', 'max'],
  },
  {
    small: 'defaultRequest',
    large: 'default',
    field: 'defaultRequest',
    shown: 'defaultRequest',
    words: ['default request', 'default limit'],
  },
  { small: 'min', large: 'default', field: 'default', shown: 'min', words: ['min', 'default'] },
  { small: 'default', large: 'max', field: 'default', shown: 'max', words: ['default', 'max'] },
];

function validateAmounts(resource: string, amounts: Amounts, path: Path): ErrorList {
  const errors: ErrorList = [];
  for (const { small, large, field, shown, words } of orders) {
    const [a, b] = [amounts[small], amounts[large]];
    if (!a || !b || a.cmp(b) <= 0) continue;
    const detail = `${words[0]} value ${a} is greater than ${words[1]} value ${b}`;
    errors.push(invalid(path.child(field).key(resource), amounts[shown], detail));
  }
  errors.push(...validateRatio(amounts, path.child('maxLimitRequestRatio').key(resource)));
  const { default: limit, defaultRequest: request } = amounts;
  if (limit && request && !isOvercommitAllowed(resource) && !limit.equals(request)) {
    const detail = `default value ${limit} must equal to defaultRequest value ${request} in ${resource}`;
    errors.push(invalid(path.child('defaultRequest').key(resource), request, detail));
  }
  return errors;
}

function validateRatio({ maxLimitRequestRatio: ratio, min, max }: Amounts, path: Path): ErrorList {
  const errors: ErrorList = [];
  if (ratio && ratio.cmp(one) < 0) errors.push(invalid(path, ratio, `ratio ${ratio} is less than 1`));
  if (!ratio || !min || !max) return errors;
  const inMilli = [ratio, min, max].every((amount) => amount.scaledValue(0) < maxMilliValue);
  const ratioValue = inMilli ? ratio.milliValue() / 1000 : ratio.value();
  const limit = inMilli ? max.milliValue() / min.milliValue() : max.value() / min.value();
  if (ratioValue > limit)
    errors.push(invalid(path, ratio, `ratio ${ratio} is greater than max/min = ${limit.toFixed(6)}`));
  return errors;
}

export const limitRangeStrategy: Strategy<LimitRange> = {
  allowCreateOnUpdate: true,
  prepareForCreate({ metadata }, { uuid = systemRandom.uuid }) {
    metadata.name ||= uuid();
  },
  validate: validateLimitRange,
  validateUpdate: validateLimitRange,
  table: defaultTable,
};
