import type { ValidatingAdmissionPolicy } from '@coxswain/api/admissionregistration/v1';
import { recordLogs } from '@coxswain/apimachinery/log';
import { expect, it } from 'vitest';
import { MemoryListers } from '../../authorization/memory-listers.test-data.ts';
import { validatingPolicy } from './policies.test-data.ts';
import { PolicyStatusController } from './status-controller.ts';

const group = 'admissionregistration.k8s.io';
const resource = 'validatingadmissionpolicies';
const policy = (name: string, generation: number, observedGeneration = 0): ValidatingAdmissionPolicy => ({
  ...validatingPolicy(name, {}, { generation }),
  status: { observedGeneration },
});

function controllerOver(listers: MemoryListers, fails: (name: string) => boolean = () => false) {
  const applied: [string, unknown][] = [];
  const { logger, lines: reported } = recordLogs();
  const controller = new PolicyStatusController({
    policies: listers.lister(group, resource),
    check: async ({ metadata }) =>
      metadata.name === 'warned' ? [{ fieldRef: 'spec.validations[0].expression', warning: 'w' }] : [],
    apply: async (name, status) => {
      if (fails(name)) throw new Error('conflict');
      applied.push([name, status]);
    },
    logger,
  });
  return { controller, applied, reported };
}

it('writes the status of policies whose generation was not observed', async () => {
  const listers = new MemoryListers().set(policy('seen', 1, 1), policy('warned', 2, 1));
  const { controller, applied } = controllerOver(listers);
  await controller.start();
  listers.set(policy('new', 1));
  await controller.stop();
  expect(applied).toEqual([
    [
      'warned',
      {
        observedGeneration: 2,
        typeChecking: { expressionWarnings: [{ fieldRef: 'spec.validations[0].expression', warning: 'w' }] },
      },
    ],
  ]);
  const again = controllerOver(listers);
  await again.controller.start();
  await new Promise((resolve) => setImmediate(resolve));
  await again.controller.stop();
  expect(again.applied.map(([name]) => name)).toEqual(['new', 'warned']);
});

it('retries a limited number of times', async () => {
  const listers = new MemoryListers().set(policy('a', 1), policy('b', 1));
  let failures = 0;
  const { controller, applied, reported } = controllerOver(listers, (name) => name === 'b' || ++failures < 3);
  await controller.start();
  await new Promise((resolve) => setImmediate(resolve));
  await controller.stop();
  expect(applied).toEqual([['a', { observedGeneration: 1, typeChecking: {} }]]);
  expect(reported).toEqual(['error "Failed to update status of policy" err="conflict" policy="b"']);
});
