import { type ErrorList, Path, tooMany, validateConditions } from '@coxswain/apimachinery';
import type { DeviceTaintRule } from '../../generated/resource/v1beta2.ts';
import { translateTimestampSince } from '../../strategy/print.ts';
import type { Strategy } from '../../strategy/strategy.ts';
import { columns } from '../../strategy/table.ts';
import { setTaintDefaults } from '../v1/defaults.ts';
import { validateDriverName, validateLabel, validatePoolName } from '../v1/names.ts';
import { validateDeviceTaint } from '../v1/taints.ts';

const maxConditions = 8;
const path = Path.of('spec');

export function setDeviceTaintRuleDefaults({ spec }: Pick<DeviceTaintRule, 'spec'>, now?: () => Date): void {
  if (spec.taint) setTaintDefaults(spec.taint, now);
}

const selectorRules = { driver: validateDriverName, pool: validatePoolName, device: validateLabel } as const;

function validate({ spec }: DeviceTaintRule, old?: DeviceTaintRule): ErrorList {
  const selector = spec.deviceSelector ?? {};
  const errors: ErrorList = [];
  for (const field of ['driver', 'pool', 'device'] as const) {
    const value = selector[field];
    if (value !== undefined) errors.push(...selectorRules[field](value, path.child('deviceSelector', field)));
  }
  return [...errors, ...validateDeviceTaint(spec.taint, old?.spec.taint, path.child('taint'))];
}

function validateStatus({ status }: DeviceTaintRule): ErrorList {
  const conditions = Path.of('status', 'conditions');
  const count = status?.conditions?.length ?? 0;
  return [
    ...validateConditions(status?.conditions, conditions),
    ...(count > maxConditions ? [tooMany(conditions, count, maxConditions)] : []),
  ];
}

export const deviceTaintRuleStrategy: Strategy<DeviceTaintRule> = {
  generation: ['spec'],
  prepareForUpdate: (rule, old, { now }) => {
    const { taint } = rule.spec;
    const before = old.spec.taint;
    // A changed effect makes a new taint, which gets a new time, unless the client sets timeAdded.
    if (taint.effect === before.effect || taint.timeAdded !== before.timeAdded) return;
    const { timeAdded: _, ...renewed } = taint;
    setTaintDefaults(renewed, now);
    rule.spec = { ...rule.spec, taint: renewed };
  },
  validate: (rule) => validate(rule),
  validateUpdate: validate,
  subresources: { status: { owns: ['status'], metadata: 'none', validateUpdate: validateStatus } },
  table: {
    columns: columns('Name', 'Key', 'Value', 'Effect', 'TimeAdded', 'Age'),
    row: ({ metadata, spec: { taint } }, context) => [
      metadata.name ?? '',
      taint.key ?? '',
      taint.value ?? '',
      taint.effect ?? '',
      taint.timeAdded === undefined ? '' : translateTimestampSince(taint.timeAdded, context),
      translateTimestampSince(metadata.creationTimestamp, context),
    ],
  },
};
