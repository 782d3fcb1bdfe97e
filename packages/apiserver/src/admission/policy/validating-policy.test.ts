import { ApiError } from '@coxswain/apimachinery';
import { describe, expect, it } from 'vitest';
import type { AdmissionAttributes } from '../admission.ts';
import { attributesOf, creates, pod } from '../plugin-runner.test-data.ts';
import { policyTest, validatingBinding, validatingPolicy } from './policies.test-data.ts';
import { validatingAdmissionPolicy } from './validating-policy.ts';

const params = (name: string, value: string) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'ns', labels: { a: 'b' } },
  data: { value },
});
const says = (expression: string, more: object = {}) => ({ validations: [{ expression, ...more }] });

/** Returns the error, warnings and audit annotations of a policy for a write. */
async function judged(plugin: ReturnType<typeof validatingAdmissionPolicy>, more: Partial<AdmissionAttributes> = {}) {
  const annotations = new Map<string, string>();
  const warnings: string[] = [];
  const attributes = {
    ...attributesOf(creates(pod()), annotations),
    warn: (text: string) => void warnings.push(text),
    ...more,
  };
  let message = '';
  try {
    await plugin.validate?.(attributes);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    message = `${error.code} ${error.message}`;
  }
  return { message, warnings, annotations: Object.fromEntries(annotations) };
}

describe('ValidatingAdmissionPolicy', () => {
  it('adds audit annotations for violations, and those of the policy', async () => {
    const { options, metric } = policyTest(
      [
        validatingPolicy('p', {
          paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
          validations: [{ expression: 'true' }, { expression: 'false', message: 'a < b' }],
          auditAnnotations: [
            { key: 'value', valueExpression: 'string(params.data.value)' },
            { key: 'same', valueExpression: '" same "' },
            { key: 'none', valueExpression: 'null' },
            { key: 'empty', valueExpression: '"  "' },
            { key: 'long', valueExpression: 'lists.range(20000).map(x, "é").join()' },
          ],
        }),
        validatingBinding('p', {
          validationActions: ['Audit', 'Warn'],
          paramRef: { selector: { matchLabels: { a: 'b' } }, parameterNotFoundAction: 'Deny' },
        }),
      ],
      [params('one', '1'), params('two', '2')],
    );
    const { message, warnings, annotations } = await judged(validatingAdmissionPolicy(options));
    expect(message).toBe('');
    const warning = "Validation failed for ValidatingAdmissionPolicy 'p' with binding 'p': a < b";
    expect(warnings).toEqual([warning, warning]);
    expect(Buffer.byteLength(annotations['p/long'] ?? '')).toBe(10 * 1024);
    expect({ ...annotations, 'p/long': '' }).toEqual({
      'validation.policy.admission.k8s.io/validation_failure':
        '[{"message":"a \\u003c b","policy":"p","binding":"p","expressionIndex":1,"validationActions":["Audit","Warn"]}]',
      'p/value': '1, 2',
      'p/same': 'same',
      'p/long': '',
    });
    const labels = (action: string) =>
      `enforcement_action="${action}",error_type="invalid_error",policy="p",policy_binding="p" 2`;
    expect(metric('apiserver_validating_admission_policy_check_total').sort()).toEqual([
      labels('audit'),
      labels('warn'),
    ]);
  });

  it('rejects a write when an audit annotation fails, unless failures are ignored', async () => {
    const annotated = { auditAnnotations: [{ key: 'a', valueExpression: 'string(object.nothing)' }] };
    const binding = validatingBinding('p', { validationActions: ['Warn'] });
    const strict = policyTest([validatingPolicy('p', annotated), binding]);
    expect((await judged(validatingAdmissionPolicy(strict.options))).message).toBe(
      `422 pods "p" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'p' denied request: expression 'string(object.nothing)' resulted in error: no such key: nothing`,
    );
    const lax = policyTest([validatingPolicy('p', { ...annotated, failurePolicy: 'Ignore' }), binding]);
    expect(await judged(validatingAdmissionPolicy(lax.options))).toEqual({
      message: '',
      warnings: [],
      annotations: {},
    });
  });

  it('applies changes of policies and bindings at once', async () => {
    const { options, context } = policyTest([]);
    const plugin = validatingAdmissionPolicy(options);
    const attributes = attributesOf(creates(pod()));
    await plugin.validate?.(attributes);
    // Without policies, it returns synchronously.
    expect(plugin.validate?.(attributes)).toBeUndefined();
    context.listers.set(validatingPolicy('p', says('false')));
    expect((await judged(plugin)).message).toBe('');
    context.listers.set(validatingBinding('p'));
    expect((await judged(plugin)).message).toContain('failed expression: false');
    context.listers.set(validatingPolicy('p', says('true')));
    expect((await judged(plugin)).message).toBe('');
    context.listers.set(validatingPolicy('p', says('1 == 2')));
    expect((await judged(plugin)).message).toContain('failed expression: 1 == 2');
    context.listers.of('admissionregistration.k8s.io', 'validatingadmissionpolicybindings').delete('', 'p');
    expect((await judged(plugin)).message).toBe('');
  });

  it('evaluates all policies in the order of their names, and reports the first violation', async () => {
    const { options } = policyTest([
      validatingPolicy('b', says('false', { message: 'second', reason: 'Forbidden' })),
      validatingBinding('b'),
      validatingPolicy('a', says('false', { message: 'first', reason: 'RequestEntityTooLarge' })),
      validatingBinding('a'),
      validatingPolicy('c', says('false', { message: 'third' })),
      validatingBinding('c', { validationActions: ['Warn'] }),
    ]);
    expect(await judged(validatingAdmissionPolicy(options))).toEqual({
      message: `413 pods "p" is forbidden: ValidatingAdmissionPolicy 'a' with binding 'a' denied request: first`,
      warnings: ["Validation failed for ValidatingAdmissionPolicy 'c' with binding 'c': third"],
      annotations: {},
    });
  });

  it('counts ignored failures', async () => {
    const { options, metric } = policyTest([
      validatingPolicy('p', { failurePolicy: 'Ignore', ...says('object.nothing == 1') }),
      validatingBinding('p'),
    ]);
    await judged(validatingAdmissionPolicy(options));
    expect(metric('apiserver_validating_admission_policy_check_total')).toEqual([
      'enforcement_action="allow",error_type="invalid_error",policy="p",policy_binding="p" 1',
    ]);
  });

  it('deletes the metrics of deleted policies and bindings', async () => {
    const conditions = { matchConditions: [{ name: 'c', expression: 'true' }] };
    const { context, options, metric } = policyTest([
      ...['a', 'b'].map((name) => validatingPolicy(name, { ...conditions, ...says('false') })),
      ...['a', 'b'].map((name) => validatingBinding(name, { validationActions: ['Warn'] })),
      validatingBinding('b-2', { policyName: 'b', validationActions: ['Warn'] }),
    ]);
    const plugin = validatingAdmissionPolicy(options);
    const counted = async (): Promise<unknown> => {
      await judged(plugin);
      return [
        metric('apiserver_validating_admission_policy_check_total').map((line) => /policy="(.*)" /.exec(line)?.[1]),
        metric('apiserver_admission_match_condition_evaluation_seconds')
          .filter((line) => line.includes('le="+Inf"'))
          .map((line) => /name="(\w)"/.exec(line)?.[1]),
      ];
    };
    expect(await counted()).toEqual([
      ['a",policy_binding="a', 'b",policy_binding="b', 'b",policy_binding="b-2'],
      ['a', 'b'],
    ]);
    const group = 'admissionregistration.k8s.io';
    context.listers.of(group, 'validatingadmissionpolicybindings').delete('', 'b-2');
    context.listers.of(group, 'validatingadmissionpolicies').delete('', 'a');
    expect(await counted()).toEqual([['b",policy_binding="b'], ['b']]);
  });

  it('fails after the deadline of the request', async () => {
    const { options } = policyTest([validatingPolicy('p', says('true')), validatingBinding('p')]);
    const { message } = await judged(validatingAdmissionPolicy(options), { signal: AbortSignal.abort() });
    expect(message).toBe('504 Timeout: request did not complete within requested timeout');
  });

  it('reports that objects cannot be converted to its version', async () => {
    const { options } = policyTest([validatingPolicy('p', says('true')), validatingBinding('p')]);
    const objects: NonNullable<AdmissionAttributes['objects']> = {
      equivalents: () => [],
      toKind: () => Promise.reject(new Error('boom')),
      toHub: (object) => Promise.resolve(object),
      read: () => ({}),
      schema: () => undefined,
      withDefaults: (object) => object,
    };
    expect((await judged(validatingAdmissionPolicy(options), { objects })).message).toBe(
      `422 pods "p" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'p' denied request: failed to configure binding: failed to convert object version: boom`,
    );
  });

  it('compiles a policy once for each generation', async () => {
    const identity = { uid: 'u', generation: 1 };
    const { options, context } = policyTest([validatingPolicy('p', says('false'), identity), validatingBinding('p')]);
    const plugin = validatingAdmissionPolicy(options);
    expect((await judged(plugin)).message).toContain('failed expression: false');
    // The same generation is not compiled again, as only the status should have changed.
    context.listers.set(validatingPolicy('p', says('true'), identity));
    expect((await judged(plugin)).message).toContain('failed expression: false');
    context.listers.set(validatingPolicy('p', says('true'), { ...identity, generation: 2 }));
    expect((await judged(plugin)).message).toBe('');
  });
});
