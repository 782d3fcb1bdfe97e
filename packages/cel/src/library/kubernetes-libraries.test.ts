import { fields, labels } from '@coxswain/apimachinery';
import { describe, expect, it } from 'vitest';
import {
  CelCompileError,
  CelEnvironment,
  CelError,
  CelList,
  CelMap,
  CelProgramError,
  type CelValue,
  type CostNode,
  Duration,
  DYN,
  INT,
  listOf,
  Optional,
  STRING,
  Timestamp,
  TypeValue,
  Uint,
  UNBOUNDED,
} from '../index.ts';
import { ArrayList } from '../values/values.ts';
import { CIDRValue } from './cidr.ts';
import { FormatValue } from './format.ts';
import {
  type AccessAnswer,
  type AccessChecker,
  type AccessQuestion,
  AUTHORIZER,
  AuthorizerValue,
  jsonPatchLibrary,
  kubernetesLibraries,
  RESOURCE_CHECK,
  ResourceCheck,
} from './index.ts';
import { IPValue } from './ip.ts';
import { QuantityValue } from './quantity.ts';
import { SemverValue } from './semver.ts';
import recorded from './testdata/upstream.json' with { type: 'json' };
import { URLValue } from './urls.ts';

type Costs = readonly [actual: number, min: number | string, max: number | string];
type Recorded = readonly [expression: string, outcome: string, result: string, costs?: Costs];

/** Returns the question as the reason of the decision. */
class Echo implements AccessChecker {
  readonly #user: string;
  readonly #groups: readonly string[];

  constructor(user: string, ...groups: readonly string[]) {
    this.#user = user;
    this.#groups = groups;
  }

  asServiceAccount(namespace: string, name: string): AccessChecker {
    const groups = ['system:serviceaccounts', `system:serviceaccounts:${namespace}`];
    return new Echo(`system:serviceaccount:${namespace}:${name}`, ...groups);
  }

  async check(asked: AccessQuestion): Promise<AccessAnswer> {
    const { verb } = asked;
    if (verb === 'boom') return { allowed: false, reason: '', error: 'it went boom' };
    const reason = [this.#user, this.#groups.join(), ...whatIsAsked(asked)].join('|') + selectorsOf(asked);
    return { allowed: verb === 'get', reason };
  }
}

const whatIsAsked = (asked: AccessQuestion): unknown[] =>
  'path' in asked
    ? [false, asked.verb, '', '', '', '', '', '', asked.path]
    : [true, asked.verb, asked.group, '*', asked.resource, asked.subresource, asked.namespace, asked.name, ''];

function selectorsOf(asked: AccessQuestion): string {
  if ('path' in asked) return '';
  const { fieldSelector, labelSelector } = asked;
  return [
    ...(fieldSelector ? fields.parse(fieldSelector).requirements() : []).map(
      ({ field, operator, value }) => ` f:${field}${operator}${value}`,
    ),
    ...(labelSelector ? labels.parseToRequirements(labelSelector) : []).map((each) => ` l:${each}`),
  ].join('');
}

const environment = new CelEnvironment({
  libraries: [...kubernetesLibraries, jsonPatchLibrary],
  variables: {
    s: STRING,
    t: STRING,
    u: STRING,
    n: INT,
    l: listOf(STRING),
    ints: listOf(INT),
    d: DYN,
    authorizer: AUTHORIZER,
    requestResource: RESOURCE_CHECK,
  },
});

const jane = new AuthorizerValue(new Echo('jane', 'dev'));
const variables = new Map<string, CelValue>(
  Object.entries({
    s: 'hello wörld',
    t: 'l',
    u: 'u',
    n: 3n,
    l: new ArrayList(['b', 'a', 'c', 'a']),
    ints: new ArrayList([3n, 1n, 2n]),
    d: 'dyn',
    authorizer: jane,
    requestResource: new ResourceCheck(jane, {
      group: 'apps',
      resource: 'deployments',
      subresource: 'scale',
      namespace: 'ns1',
      name: 'd1',
    }),
  }),
);

const sizes: Readonly<Record<string, { min: number; max: number }>> = {
  s: { min: 0, max: 100 },
  t: { min: 0, max: 100 },
  l: { min: 1, max: 50 },
  'l.@items': { min: 0, max: 20 },
  ints: { min: 0, max: 1000 },
};
const sizeOf = ({ path }: CostNode) => sizes[path?.join('.') ?? ''];

function show(value: CelValue): string {
  switch (typeof value) {
    case 'string':
      return JSON.stringify(value).replace(/[\u007f]/g, '\u007f');
    case 'number':
      return Number.isNaN(value) ? 'NaN' : `double:${showDouble(value)}`;
    case 'bigint':
    case 'boolean':
      return String(value);
  }
  if (value === null) return 'null';
  if (value instanceof Uint) return `${value.value}u`;
  if (value instanceof Uint8Array) return `bytes:${Buffer.from(value).toString('hex')}`;
  if (value instanceof Duration) return `duration:${value.nanos}`;
  if (value instanceof Timestamp) return `timestamp:${value.seconds}`;
  if (value instanceof Optional) {
    return value.value === undefined ? 'optional.none()' : `optional.of(${show(value.value)})`;
  }
  if (value instanceof TypeValue) return `type:${value.type.name}`;
  if (value instanceof CelList) return `[${Array.from(value, show).join()}]`;
  if (value instanceof CelMap) {
    return `{${Array.from(value.keys(), (key) => `${show(key)}:${show(value.get(key) ?? null)}`)
      .sort()
      .join()}}`;
  }
  if (value instanceof IPValue) return `ip:${value}`;
  if (value instanceof CIDRValue) return `cidr:${value}`;
  if (value instanceof QuantityValue) return `quantity:${value.quantity}`;
  if (value instanceof SemverValue) return `semver:${value}`;
  if (value instanceof URLValue) return `url:${value}`;
  if (value instanceof FormatValue) return `format:${value.name}`;
  return `?${value.celType.name}`;
}

/** Formats a double like Go's shortest form. */
function showDouble(value: number): string {
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf';
  const [, exponent = '0'] = value.toExponential().split('e');
  const power = Number(exponent);
  if (power >= -4 && power < 6) return String(value);
  return value.toExponential().replace(/e([+-])(\d)$/, 'e$10$2');
}

async function evaluate(expression: string): Promise<Recorded> {
  try {
    const compiled = environment.compile(expression);
    const { min, max } = compiled.estimateCost(sizeOf);
    const bound = (cost: number) => (cost === UNBOUNDED ? 'max' : cost);
    const { value, error, cost } = await compiled.program().evaluateAsync(variables);
    const costs: Costs = [cost, bound(min), bound(max)];
    if (error) return [expression, 'error', error.message, costs];
    return [expression, 'value', show(value), costs];
  } catch (error) {
    if (error instanceof CelCompileError) return [expression, 'compile', error.issues[0]?.message ?? ''];
    if (error instanceof CelProgramError) return [expression, 'program', error.message];
    throw error instanceof CelError ? new Error(error.message) : error;
  }
}

const expectations = recorded as unknown as readonly Recorded[];
const chunkSize = 400;
const chunks = Array.from({ length: Math.ceil(expectations.length / chunkSize) }, (_, i) => i * chunkSize);

describe('the libraries of Kubernetes', () => {
  it.each(chunks)('have upstream’s results, errors and costs: expressions from %i', async (start) => {
    const differences: unknown[] = [];
    for (const expected of expectations.slice(start, start + chunkSize)) {
      const actual = await evaluate(expected[0]);
      if (JSON.stringify(actual) !== JSON.stringify(expected)) differences.push([expected, actual.slice(1)]);
    }
    expect(differences).toEqual([]);
  });
});
